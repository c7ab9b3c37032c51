"""Runs a command file and reports."""
# mypy: allow-untyped-calls

import os
from typing import Any, Dict, List, Optional, Union

from .execute import Machine
from .parts import Refused
from .reader import CommandFile


class Report:
    """`status` is `equal` or `refused`; then `reason` says which command (`command`, or None) breaks which rule."""

    def __init__(self) -> None:
        self.status, self.reason = "equal", ""
        self.command: Optional[int] = None
        self.commands = self.bytes = self.latency_cycles = self.elements = self.last_bits = self.more_bytes = 0
        self.stand_ins: List[str] = []

    def as_json(self) -> Dict[str, Any]:
        data: Dict[str, Any] = {"tessera": "run/1", "status": self.status, "commands": self.commands, "latency_cycles": self.latency_cycles,
                "dram_bytes": self.bytes, "elements": self.elements, "last_bits": self.last_bits, "more_bytes": self.more_bytes,
                "stand_ins": self.stand_ins}
        if self.status == "refused":
            data.update(command=self.command, reason=self.reason)
        return data

    def as_text(self) -> str:
        if self.status == "refused":
            where = "after the last command: " if self.command is None else f"command {self.command}: "
            return f"refused, {where}{self.reason}"
        text = (f"{self.commands} commands run: {self.elements} elements computed, all equal to the network layer by layer; "
                f"{self.latency_cycles} cycles and {self.bytes} off-chip bytes, as planned")
        if self.more_bytes:
            text += (f"\nat the addresses of all tiles, transfers take {self.more_bytes:+} bytes of whole bursts: the plan counts equal tiles "
                     "with the address of the first")
        if self.last_bits:
            text += f"\n{self.last_bits} floating elements differ in their last bits, because sums have another order"
        if self.stand_ins:
            text += f"\nops without a defined function ran with a stand-in that reads all of their inputs: {', '.join(self.stand_ins)}"
        return text


def run_commands(path: Union[str, os.PathLike[str]], seed: int = 0) -> Report:
    """A Report. Raises BadFile if the file is not one of commands."""
    report, machine = Report(), None  # the other modules have no annotations
    with CommandFile(path) as file:
        try:
            machine = Machine(file.header, seed)
            report.stand_ins = [op.name for op in machine.network.ops if op.stands_in()]
            for command in file.commands():
                report.command = command.get("id")
                machine.step(command)
            report.command = None
            machine.finish(file.end)
        except Refused as refused:
            report.status, report.reason = "refused", str(refused)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            report.status, report.reason = "refused", f"it is malformed ({type(error).__name__}: {error})"
        if machine is not None:
            report.commands, report.bytes, report.latency_cycles = machine.count, machine.bytes, machine.clock.latest
            report.elements, report.last_bits, report.more_bytes = machine.compared, machine.differing, machine.more_bytes
    return report
