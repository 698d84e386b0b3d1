"""Runs the program, and loads stored runs."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from secchi._program import find_program
from secchi._tables import TABLES, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from secchi.documents import RunDocument

Argument = str | PathLike[str]
Frames = Literal["pandas", "polars"]
TableName = Literal["levels", "intervals", "histogram", "judgement"]

# Commands that print another tool's format have an option for a file instead of `--json`.
_FILE_OPTIONS = {"fio": "--report", "ping": "--output"}


class SecchiError(Exception):
    """A command of secchi had no result: it was refused, its input was invalid, or it could not begin.

    A need that is not met is a result, not an error.
    """

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(message)
        self.exit_code = exit_code
        """Exit code of the program, such as 3 = refused for safety, 64 = invalid input."""


class Run:
    """A run of secchi: what was measured, and what follows from it."""

    def __init__(self, document: RunDocument, frames: Frames | None = None) -> None:
        if "record" not in document or "judgement" not in document:
            raise ValueError(f"not the document of a run: it has {', '.join(document) or 'no fields'}; see secchi.document")
        self.document = document
        """The document of `--json`; `secchi.documents` has its types."""
        self.frames = frames
        """Library of the tables; `None` = pandas if it is installed, otherwise Polars."""

    @property
    def id(self) -> str:
        """ID of the run, a UUID."""
        return self.document["record"]["id"]

    @property
    def state(self) -> str:
        """`complete`, `stopped`, `hung`, `failed`, `interrupted` or `damaged`."""
        return self.document["record"]["state"]

    @property
    def verdict(self) -> str:
        """Verdict in one sentence."""
        return self.document["judgement"]["verdict"]

    @property
    def outcome(self) -> Literal["pass", "fail", "undecided"]:
        """Outcome of the needs; without needs `pass` if the measurement is valid."""
        return self.document["judgement"]["outcome"]

    @property
    def exit_code(self) -> int:
        """Exit code of the judgement: 0 = needs met, 1 = a need is not met, 2 = undecided, 5 = the device hung."""
        return self.document["judgement"]["exit_code"]

    @property
    def levels(self) -> Any:
        """DataFrame of levels of concurrency, one row for each level of each workload."""
        return self._frame("levels")

    @property
    def intervals(self) -> Any:
        """DataFrame of intervals of about a second, one row for each interval and kind of operation."""
        return self._frame("intervals")

    @property
    def histogram(self) -> Any:
        """DataFrame of latencies, one row for each step, kind of operation and bucket that is not empty."""
        return self._frame("histogram")

    @property
    def judgement(self) -> Any:
        """DataFrame of conclusions: the answer's lines, needs, further findings and doubts."""
        return self._frame("judgement")

    def columns(self, table: TableName) -> dict[str, list[Any]]:
        """Returns a table as lists, one for each column, without another library."""
        return self._table(table).columns()

    def plot(self, table: Literal["levels", "intervals", "histogram"] = "levels") -> Figure:
        """Draws a table with matplotlib (`pip install 'secchi-storage[plot]'`)."""
        from secchi._plot import draw

        return draw(self, table)

    def _table(self, name: TableName) -> Table:
        return TABLES[name](cast("dict[str, Any]", self.document))

    def _frame(self, name: TableName) -> Any:
        table = self._table(name)
        if self.frames != "polars":
            try:
                return table.to_pandas()
            except ModuleNotFoundError:
                if self.frames == "pandas":
                    raise
        try:
            return table.to_polars()
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "a DataFrame needs pandas or Polars: pip install 'secchi-storage[pandas]' or 'secchi-storage[polars]'; "
                f"without them, use Run.columns({name!r})"
            ) from error

    def __repr__(self) -> str:
        return f"<secchi.Run {self.id[:8]}: {self.verdict}>"


def run(arguments: Sequence[Argument], *, frames: Frames | None = None) -> Run:
    """Runs a command that measures, such as `["qualify", "/mnt/data"]`, and returns its run.

    The arguments are those of the command line, without a shell and without `--json`. The call returns when the command
    ends. A verdict such as a need that is not met is a result: see `Run.outcome`. Without a result, raises `SecchiError`.
    """
    words = [fspath(word) for word in arguments]
    option = _FILE_OPTIONS.get(words[0]) if words else None
    if option is None:
        return Run(cast("RunDocument", document(words)), frames)
    with tempfile.TemporaryDirectory(prefix="secchi-") as folder:
        file = Path(folder) / "run.json"
        _, errors, code = _execute([words[0], option, str(file), *words[1:]])
        if not file.exists():
            raise SecchiError(_last_sentence(errors, code), code)
        return Run(json.loads(file.read_text(encoding="utf-8")), frames)


def load(run: str = "last", *, store: Argument | None = None, frames: Frames | None = None) -> Run:
    """Returns a stored run, named by its ID, the first digits of its ID, a tag, `last` or `last-1`."""
    return Run(cast("RunDocument", document(["show", run, *(["--store", store] if store is not None else [])])), frames)


def document(arguments: Sequence[Argument]) -> dict[str, Any]:
    """Runs a command with `--json` and returns its document, for commands whose result is not a run, such as `judge`."""
    words = [fspath(word) for word in arguments]
    # Words after `--` are not options.
    end = words.index("--") if "--" in words else len(words)
    output, errors, code = _execute([*words[:end], "--json", *words[end:]])
    try:
        result = json.loads(output)
    except ValueError:
        result = None
    if not isinstance(result, dict):
        raise SecchiError(_last_sentence(errors, code), code)
    if "error" in result:
        raise SecchiError(result["error"]["message"], result["error"]["exit_code"])
    return result


def _execute(words: list[str]) -> tuple[str, str, int]:
    command = [find_program(), *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
    ) as process:
        try:
            output, errors = process.communicate()
        except BaseException:
            # Not killed: after SIGTERM it waits for operations in flight, and removes its test file.
            process.terminate()
            process.wait()
            raise
    return output, errors, process.returncode


def _last_sentence(errors: str, code: int) -> str:
    lines = [line.removeprefix("secchi: ") for line in errors.splitlines() if line.strip()]
    return lines[-1] if lines else f"secchi ended with exit code {code} and without a message"
