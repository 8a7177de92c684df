"""How the commands show their work and its outcome to a person at a terminal."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from accounting.domain.money import plain
from ingest.formats.base import UnreadableError
from ingest.services import paths
from ingest.services.inputs import files_of
from ingest.services.results import InputResult, Warned

_COLUMNS = ("lines", "recorded", "updated", "duplicates", "conflicts", "skipped", "rejected")
_SUMS = ("requests", "errors", "input_tokens", "cache_read_input_tokens", "output_tokens")
_REJECTIONS_SHOWN = 5
_WIDTH = 250


@contextmanager
def progress_bar(path: str) -> Iterator[paths.Progress]:
    """A bar of the input's bytes on standard error if that is a terminal, else nothing."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _unseen
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Progress(*columns, TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(path, total=_size_of(path))

        def advance(size: int) -> None:
            bar.advance(task, size)

        yield advance


def told(results: Sequence[InputResult], total: InputResult) -> str:
    """The results as a table, with the first rejections of each input below it."""
    text = StringIO()
    console = Console(file=text, width=_WIDTH)
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("input", overflow="fold")
    table.add_column("format")
    table.add_column("state")
    for name in (*_COLUMNS, *_SUMS):
        table.add_column(name.replace("_", " "), justify="right")
    table.add_column("cost", justify="right")
    for result in (*results, total) if len(results) > 1 else results:
        table.add_row(
            result.path,
            result.format or "",
            result.state,
            *(f"{getattr(result, name):,}" for name in _COLUMNS),
            *(_shown(getattr(result.change, name)) for name in _SUMS),
            _money(result),
        )
    console.print(table)
    for result in results:
        _print_rejections(result, console)
    return text.getvalue()


def _print_rejections(result: InputResult, console: Console) -> None:
    for one in result.rejections[:_REJECTIONS_SHOWN]:
        place = f"{one['path']}:{one['line']}" if one["line"] else one["path"]
        console.print(f"  {place}: {one['code']}: {one['reason']}", markup=False, soft_wrap=True)
    for warned in result.warnings:
        console.print(f"  {_doubt(result.path, warned)}", markup=False, soft_wrap=True)
    unpriced = result.change.unpriced_requests
    if unpriced:
        console.print(f"  {result.path}: {unpriced:,} requests without a price", markup=False)


def left_out(result: InputResult) -> str:
    """How many lines and files of an input were not read, '' where all were."""
    counts = ((result.rejected, "line", "rejected"), (result.unread_files, "file", "not read"))
    told = [
        f"{count:,} {what}{'' if count == 1 else 's'} {how}" for count, what, how in counts if count
    ]
    return f"{result.path}: {', '.join(told)}" if told else ""


def _doubt(path: str, warned: Warned) -> str:
    """A doubt with the first lines it is about."""
    inside = [
        str(line) if place == path else f"{place}:{line}"
        for place, line in sorted(warned.places)[:_REJECTIONS_SHOWN]
    ]
    more = " …" if warned.lines > len(inside) else ""
    where = f" ({', '.join(inside)}{more})" if inside else ""
    lines = "line" if warned.lines == 1 else "lines"
    return f"{path}: {warned.lines:,} {lines}{where}: {warned.code}: {warned.reason}"


def _money(result: InputResult) -> str:
    sums = sorted(result.change.cost.items())
    return ", ".join(f"{plain(amount)} {currency}" for currency, amount in sums)


def _shown(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"


def _size_of(path: str) -> int:
    try:
        return sum(file.size for file in files_of(Path(path)))
    except UnreadableError:
        return 0


def _unseen(_size: int) -> None:
    return
