import os
import subprocess
import sys
from pathlib import Path

import pytest

from accounting.config.documentation import PAGE, page
from accounting.config.environment import (
    BadSettingError,
    UnknownSettingError,
    number,
    refuse_unknown,
    setting,
)

ROOT = Path(__file__).parents[2]


def test_a_misspelt_name_is_an_error_that_lists_the_right_ones():
    with pytest.raises(UnknownSettingError, match=r"TALLYBOOK_PROT; known are .*TALLYBOOK_PORT"):
        refuse_unknown({"TALLYBOOK_PROT": "1", "OTHER": "x"})


def test_an_empty_variable_counts_as_not_set():
    assert setting("TALLYBOOK_PORT", {"TALLYBOOK_PORT": ""}) == "8400"
    assert setting("TALLYBOOK_PORT", {"TALLYBOOK_PORT": "9000"}) == "9000"


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "٣"])
def test_a_number_that_is_none_is_refused_with_its_name(text):
    with pytest.raises(BadSettingError, match=r"TALLYBOOK_PORT=.*expected a whole number"):
        number("TALLYBOOK_PORT", {"TALLYBOOK_PORT": text})


def test_the_page_of_variables_is_the_list_in_the_code():
    assert PAGE.read_text() == page()


def test_a_wrong_setting_ends_a_command_with_one_sentence():
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "TALLYBOOK_PROT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("tallybook: unknown setting TALLYBOOK_PROT; known are")
    assert done.stderr.count("\n") == 1
