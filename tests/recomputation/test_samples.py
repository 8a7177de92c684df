"""The books of every format's samples are what plain Python reads out of the raw files."""

import re
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounting.services.tenants import ensure_defaults
from ingest.formats.catalogue import SAMPLES
from tests.recomputation.asking import told
from tests.recomputation.readers import READERS
from tests.recomputation.rows import by_session, merged, summed

pytestmark = pytest.mark.django_db
FOLDERS = sorted(path.name for path in SAMPLES.iterdir() if path.is_dir())


def test_the_recomputation_shares_no_code_with_the_project():
    folder = Path(__file__).parent
    ours = {"asking.py", *(path.name for path in folder.glob("test_*.py"))}
    for path in folder.glob("*.py"):
        if path.name not in ours:
            imported = re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
            assert {"accounting", "ingest", "django"}.isdisjoint(imported), path.name


def test_every_folder_of_samples_has_a_reader():
    assert sorted(READERS) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_books_are_what_plain_python_reads(folder):
    organization = ensure_defaults()
    paths = sorted(path for path in (SAMPLES / folder).rglob("*") if path.is_file())
    rows = merged(READERS[folder](paths))
    try:
        call_command("ingest", str(SAMPLES / folder), json=True, stdout=StringIO())
    except CommandError:
        assert not rows
    books = told(organization)
    sessions = by_session(rows)
    assert books.sums == summed(rows).told
    assert books.sessions == {name: sums.told for name, sums in sessions.items()}
    assert books.ratios == {name: sums.ratio for name, sums in sessions.items()}
