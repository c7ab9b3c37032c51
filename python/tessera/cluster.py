"""Candidates of a sweep, planned by the workers of a Dask cluster.

    from dask.distributed import Client
    tessera.explore("sweep.yaml", "out", client=Client("tcp://scheduler:8786"))

Nothing is scheduled here: Dask does that. Each candidate is a task, which gets the sweep's files as
bytes, plans the candidate into a store of its own and sends back what that store then knows. A worker
keeps what its candidates have in common, as a sweep on one machine does, and is lost at the cost of
the candidate it was at: Dask gives that to another one. Workers need this package and nothing else,
no shared folder.
"""

import contextlib
import functools
import hashlib
import importlib
import os
import sqlite3
import tempfile
from typing import Any, Dict, List, Sequence, Tuple

from . import _tessera

# The columns of both tables of the store (explorer/store.cpp).
_TABLES = {"result": 9, "plan": 2}
_Rows = Dict[str, List[Tuple[Any, ...]]]
_Files = Tuple[Tuple[str, bytes], ...]  # by name


def _packed(sweep: str) -> Tuple[str, _Files]:
    """The sweep's path below the folder its own files have in common, and the files by such paths.

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
    """This process's worker for the sweep, and the folder with the files it was read from."""
    folder = tempfile.TemporaryDirectory(prefix="tessera-")
    for name, content in files:
        path = os.path.join(folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    return _tessera._SweepWorker(os.path.join(folder.name, sweep)), folder


def plan_candidate(sweep: str, files: _Files, candidate: int) -> _Rows:
    """What a store knows when this candidate has been planned: runs on a worker."""
    worker, _ = _worker(sweep, files)
    with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
        store = os.path.join(folder, "store.sqlite")
        worker.plan(candidate, store)
        return _rows(store)


class Elsewhere:
    """Called with the candidates of a wave: when it returns, the store knows their plans."""

    def __init__(self, client: Any, sweep: str, store: str) -> None:
        self._client = client
        self._sweep, files = _packed(sweep)
        digest = hashlib.sha256(repr(files).encode()).hexdigest()[:16]
        self._name = f"tessera-{digest}"
        # In a list: what is in a dict would be scattered by its keys.
        self._files = client.scatter([files], broadcast=True, hash=True)[0]
        self._store = os.path.abspath(store)

    def __call__(self, candidates: Sequence[int]) -> None:
        # By name: it is there where a client is, and types are checked where it may not be.
        distributed: Any = importlib.import_module("dask.distributed")
        tasks = [
            self._client.submit(plan_candidate, self._sweep, self._files, candidate, pure=False,
                                key=f"{self._name}-{candidate}-{os.urandom(4).hex()}")
            for candidate in candidates
        ]
        try:
            for task in distributed.as_completed(tasks):
                # What failed there is planned here, and its error is told by who asked.
                if task.status == "finished":
                    self._keep(task.result())
                task.release()
        finally:
            self._client.cancel(tasks)

    def _keep(self, rows: _Rows) -> None:
        with contextlib.closing(sqlite3.connect(self._store, timeout=60)) as base, base:
            for table, columns in _TABLES.items():
                places = ", ".join("?" * columns)
                base.executemany(f"INSERT OR REPLACE INTO {table} VALUES ({places})", rows[table])
