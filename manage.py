#!/usr/bin/env python3
"""Tallybook's command line; called with any Python, it goes on with that of `.venv`."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

VENV_PYTHON = Path(__file__).resolve().parent / ".venv" / "bin" / "python"

if __name__ == "__main__":
    if find_spec("django") is None and VENV_PYTHON.exists():
        os.execv(VENV_PYTHON, [str(VENV_PYTHON), *sys.argv])  # noqa: S606
    # Only now: a Python without Django could not import it.
    from accounting.config.startup import main

    main(sys.argv)
