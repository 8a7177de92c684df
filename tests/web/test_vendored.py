"""Files of others, unchanged."""

import re
from hashlib import sha256
from pathlib import Path

VENDOR = Path(__file__).parents[2] / "static" / "vendor"


def test_vendored_files_are_those_of_their_releases():
    said = dict(
        reversed(line)
        for line in re.findall(
            r"^([0-9a-f]{64})  (\S+)$", (VENDOR / "README.md").read_text(), re.MULTILINE
        )
    )
    found = {
        str(path.relative_to(VENDOR)): sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.rglob("*")
        if path.is_file() and path.name != "README.md"
    }
    assert found == said


def test_each_vendored_package_has_its_licence():
    assert all((folder / "LICENSE").exists() for folder in VENDOR.iterdir() if folder.is_dir())
