"""Names an error of ours by its kind and place, for logs and reasons."""

import traceback
from pathlib import Path


def named(error: Exception) -> str:
    """The error's name, code and place, not its message: that may quote what stood in a log."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    code = getattr(error, "code", "")
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return f"{type(error).__name__} {code} in {place}".replace("  ", " ")
