"""Named points of receiving and reading at which a test may end the process.

Nothing watches them but a test that puts a function here, from inside the process: there is no
setting, and no variable, that could end a worker by mistake.
"""

from collections.abc import Callable

#: In the order in which a push or an upload and then its chunks pass them.
POINTS = (
    "receive.read",  # a push's body is here
    "receive.piece",  # one piece of an upload is kept
    "receive.kept",  # the rows are written, not committed
    "receive.committed",  # the promise holds, the sender has not heard it
    "read.begun",  # the attempt is counted
    "read.parsed",
    "read.booked",  # the ledger and its sums are written, the chunk is not done
    "read.committing",  # all is written, not committed
    "read.committed",
)


def _nobody(_point: str) -> None:
    return


watcher: Callable[[str], None] = _nobody


def passing(point: str) -> None:
    """Tell whoever watches that this point is passed."""
    watcher(point)
