"""Plans the candidates of a sweep on the workers of a Dask cluster.

    from dask.distributed import Client
    tessera.explore("sweep.yaml", "out", client=Client("tcp://scheduler:8786"))

Dask does the scheduling. Each candidate is a task, which gets the sweep's files as bytes, plans the candidate
into a store of its own and returns the contents of that store. A worker keeps shared results of its
candidates, as a sweep on one machine does. If a worker is lost, Dask gives its current candidate to another
one. Workers need this package and no shared folder.

Dask cannot interrupt a running task. Therefore each task is told how much time is left, ends by itself, and
returns its results so far. If the caller stops, it notifies all workers.
"""

import contextlib
import functools
import hashlib
import os
import queue
import sqlite3
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from . import _tessera

# Number of columns of both tables of the store (explorer/store.cpp).
_TABLES = {"result": 9, "plan": 2}
_Rows = Dict[str, List[Tuple[Any, ...]]]
_Files = Tuple[Tuple[str, bytes], ...]  # sorted by name

# Seconds. `_SPARE`: how long before the end of the time tasks end, so that their results come back and are
# read; at most `_SPARE_PART` of the time. Then: how long to wait for workers after a stop, and how often to
# check for Ctrl-C where no signal arrives.
_SPARE = 1.5
_SPARE_PART = 0.25
_GOODBYE = 1.0
_LOOK = 0.1


def _packed(sweep: str) -> Tuple[str, _Files]:
    """The sweep's path below the common folder of its files, and the files by such paths.

    Profiles of the package are on the workers already.
    """
    package = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    paths = {os.path.abspath(path) for path in [sweep, *_tessera._files_of_sweep(sweep)]}
    own = [path for path in paths if not os.path.realpath(path).startswith(package + os.sep)]
    root = os.path.commonpath([os.path.dirname(path) for path in own])
    files = []
    for path in sorted(own):
        with open(path, "rb") as file:
            files.append((os.path.relpath(path, root), file.read()))
    return os.path.relpath(os.path.abspath(sweep), root), tuple(files)


def _rows(store: str) -> _Rows:
    with contextlib.closing(sqlite3.connect(store)) as base:
        return {table: base.execute(f"SELECT * FROM {table}").fetchall() for table in _TABLES}


@functools.lru_cache(maxsize=1)
def _worker(sweep: str, files: _Files) -> Tuple[Any, "tempfile.TemporaryDirectory[str]"]:
    """This process's worker for the sweep, and the folder of its files."""
    folder = tempfile.TemporaryDirectory(prefix="tessera-")
    for name, content in files:
        path = os.path.join(folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    return _tessera._SweepWorker(os.path.join(folder.name, sweep)), folder


_lock = threading.Lock()


@functools.lru_cache(maxsize=256)
def _state(wave: str, left: Optional[float]) -> Tuple[_tessera._Stop, Optional[float]]:
    return _tessera._Stop(), None if left is None else time.monotonic() + left


def _asked(wave: str, left: Optional[float]) -> Tuple[_tessera._Stop, Optional[float]]:
    """The stop and the deadline of a wave in this process, by its own clock from the first task on.

    Later tasks of the wave share the deadline.
    """
    with _lock:
        return _state(wave, left)


def end(wave: str, left: Optional[float]) -> None:
    """Stops the wave's running and future tasks in this process; runs on every worker."""
    _asked(wave, left)[0].request()


def plan_candidate(
    sweep: str, files: _Files, candidate: int, wave: str, left: Optional[float]
) -> _Rows:
    """Plans this candidate and returns the contents of the store, possibly after the deadline; runs on a
    worker."""
    stop, deadline = _asked(wave, left)
    if deadline is not None and time.monotonic() >= deadline:
        return {}
    worker, _ = _worker(sweep, files)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        store = os.path.join(folder, "store.sqlite")
        worker.plan(candidate, store, deadline and max(0.0, deadline - time.monotonic()), stop)
        return _rows(store)


def _spread(client: Any, files: _Files) -> Any:
    """The files on every worker, in a form that tasks can receive."""
    tries = 3
    while True:
        try:
            # As a list: Dask would scatter a dict by its keys.
            return client.scatter([files], broadcast=True, hash=True)[0]
        except OSError:  # a worker was lost meanwhile: use the remaining ones
            tries -= 1
            if not tries:
                raise
            time.sleep(0.2)


class Elsewhere:
    """Called with the candidates of a wave, the remaining seconds, and a stop request. On return the store
    has their plans, unless the time was over first."""

    def __init__(self, client: Any, sweep: str, store: str) -> None:
        self._client = client
        self._sweep, files = _packed(sweep)
        digest = hashlib.sha256(repr(files).encode()).hexdigest()[:16]
        self._name = f"tessera-{digest}"
        self._files = _spread(client, files)
        self._store = os.path.abspath(store)

    def __call__(
        self, candidates: Sequence[int], left: Optional[float], ended: Callable[[], bool]
    ) -> None:
        deadline = None
        if left is not None:
            spare = max(0.0, min(_SPARE, left * _SPARE_PART))
            deadline = time.monotonic() + left - spare / 4
            left -= spare
        wave = os.urandom(8).hex()
        tasks = [
            self._client.submit(plan_candidate, self._sweep, self._files, candidate, wave, left,
                                pure=False, key=f"{self._name}-{candidate}-{wave}")
            for candidate in candidates
        ]
        # Not as_completed(), which supports a timeout only in Dask 2023 and later.
        done: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        for task in tasks:
            task.add_done_callback(done.put)
        waiting = len(tasks)
        try:
            while waiting and not ended() and (deadline is None or time.monotonic() < deadline):
                try:
                    task = done.get(timeout=_LOOK)
                except queue.Empty:
                    continue
                waiting -= 1
                # Tasks that failed there run here, where errors are reported.
                if task.status == "finished":
                    self._keep(task.result())
                task.release()
        finally:
            if waiting:
                self._give_up(tasks, wave, left)

    def _give_up(self, tasks: Sequence[Any], wave: str, left: Optional[float]) -> None:
        """Cancels waiting tasks and stops running ones; does not wait for an unresponsive cluster."""

        def work() -> None:
            with contextlib.suppress(Exception):
                self._client.cancel(tasks)
                self._client.run(end, wave, left)

        goodbye = threading.Thread(target=work, daemon=True)
        goodbye.start()
        goodbye.join(_GOODBYE)

    def _keep(self, rows: _Rows) -> None:
        with contextlib.closing(sqlite3.connect(self._store, timeout=60)) as base, base:
            for table, columns in _TABLES.items():
                places = ", ".join("?" * columns)
                base.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows.get(table, []))
