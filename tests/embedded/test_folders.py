import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from accounting.embedded.errors import DataFolderError
from accounting.embedded.folders import DataFolder, told_plainly


def test_the_data_folder_is_closed_to_others(place):
    folder = DataFolder(place / "var")
    folder.make()
    mode = stat.S_IMODE(folder.path.stat().st_mode)
    assert mode == (0o711 if os.geteuid() == 0 else 0o700)


def test_six_processes_that_ask_at_once_get_one_secret_key(place):
    program = (
        "import sys; from pathlib import Path; from accounting.embedded.folders import DataFolder;"
        "print(DataFolder(Path(sys.argv[1])).secret_key())"
    )
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", program, place / "var"], stdout=subprocess.PIPE, text=True
        )
        for _ in range(6)
    ]
    keys = {process.communicate()[0].strip() for process in asking}
    assert len(keys) == 1
    assert len(keys.pop()) == 64
    assert stat.S_IMODE((place / "var" / "secret_key").stat().st_mode) == 0o600


def test_a_secret_key_that_a_crash_cut_off_is_made_anew(place):
    (place / "secret_key").write_text("0123")
    key = DataFolder(place).secret_key()
    assert len(key) == 64
    assert DataFolder(place).secret_key() == key


def test_a_file_in_the_way_is_named(place):
    (place / "var").write_text("")
    with pytest.raises(DataFolderError, match=r"var: a file is in the way, expected a folder"):
        DataFolder(place / "var").make()
    with pytest.raises(DataFolderError, match=r"below: a file is in the way"):
        DataFolder(place / "var" / "below").secret_key()


def test_a_folder_that_nobody_may_write_is_named():
    with pytest.raises(DataFolderError, match=r"/sys/tallybook: user \d+ may not write here"):
        DataFolder(Path("/sys/tallybook")).make()


def test_a_full_disk_is_named(place):
    with pytest.raises(DataFolderError, match="no space left on the disk; free some or"):
        write_to_full_disk(place)


def write_to_full_disk(place: Path) -> None:
    with told_plainly(place), Path("/dev/full").open("wb", buffering=0) as full:
        full.write(b"x")


def test_a_socket_path_fits_whatever_the_temporary_folder_is_called(place, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(place / ("x" * 120)))
    monkeypatch.setattr("tempfile.tempdir", str(place))
    folder = DataFolder(place / ("y" * 150))
    assert len(str(folder.socket_folder / ".s.PGSQL.5432")) <= 107
    assert folder.socket_folder.name == f"tallybook-{os.geteuid()}-{folder.digest}"


def test_a_link_to_the_data_folder_is_the_same_data_folder(place):
    (place / "var").mkdir()
    (place / "link").symlink_to(place / "var")
    assert DataFolder(place / "link").digest == DataFolder(place / "var").digest
