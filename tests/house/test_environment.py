import os
import subprocess
import sys
from pathlib import Path

import pytest

from accounting.config.documentation import PAGE, page
from accounting.config.environment import (
    BadSettingError,
    UnknownSettingError,
    flag,
    listed,
    number,
    refuse_wrong,
    setting,
)

ROOT = Path(__file__).parents[2]


def test_a_misspelt_name_is_an_error_that_lists_the_right_ones():
    with pytest.raises(UnknownSettingError, match=r"TALLYBOOK_PROT; known are .*TALLYBOOK_PORT"):
        refuse_wrong({"TALLYBOOK_PROT": "1", "OTHER": "x"})


def test_an_empty_variable_counts_as_not_set():
    assert setting("TALLYBOOK_PORT", {"TALLYBOOK_PORT": ""}) == "8400"
    assert setting("TALLYBOOK_PORT", {"TALLYBOOK_PORT": "9000"}) == "9000"


@pytest.mark.parametrize("text", ["x", "-1", "1.5", "٣", "0", "65536", "1e3", " 8400", "9" * 5000])
def test_a_number_that_is_none_is_refused_with_its_name(text):
    words = "TALLYBOOK_PORT=.*, expected a whole number from 1 to 65,535"
    with pytest.raises(BadSettingError, match=words):
        number("TALLYBOOK_PORT", {"TALLYBOOK_PORT": text})


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("DEBUG", "maybe", "DEBUG='maybe', expected true or false"),
        ("DEBUG", "1", "DEBUG='1', expected true or false"),
        ("SECURE_COOKIES", "yes", "SECURE_COOKIES='yes', expected true or false"),
        (
            "TALLYBOOK_WORKERS",
            "0",
            "TALLYBOOK_WORKERS='0', expected a whole number from 1 to 1,000",
        ),
        (
            "TALLYBOOK_MAX_PUSH_MB",
            "ten",
            "TALLYBOOK_MAX_PUSH_MB='ten', expected a whole number from 1 to 1,000",
        ),
        (
            "TALLYBOOK_HOST",
            "http://x",
            "TALLYBOOK_HOST='http://x', expected a host name or an address",
        ),
        (
            "DATABASE_URL",
            "mysql://user:secret@host/db",
            "DATABASE_URL, expected an address that begins with postgres:// or postgresql://",
        ),
        (
            "DATABASE_URL",
            "postgres://host:port/db",
            (
                "DATABASE_URL='postgres://host:port/db', expected an address that begins with"
                " postgres:// or postgresql://"
            ),
        ),
        (
            "CELERY_BROKER_URL",
            "localhost",
            (
                "CELERY_BROKER_URL='localhost', expected an address that begins with"
                " redis:// or rediss:// or amqp:// or amqps://"
            ),
        ),
        (
            "ALLOWED_HOSTS",
            "https://books.example",
            (
                "ALLOWED_HOSTS='https://books.example', expected host names without scheme, port or"
                " path"
            ),
        ),
        (
            "CSRF_TRUSTED_ORIGINS",
            "books.example",
            (
                "CSRF_TRUSTED_ORIGINS='books.example', expected scheme://host, with a port if it has"
                " one"
            ),
        ),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(name, text, expected):
    with pytest.raises(BadSettingError) as raised:
        refuse_wrong({name: text, "SECRET_KEY": "x"})
    assert str(raised.value) == expected


@pytest.mark.parametrize(("text", "value"), [("true", True), ("True", True), ("FALSE", False)])
def test_a_flag_is_true_or_false_however_it_is_written(text, value):
    assert flag("DEBUG", {"DEBUG": text}) is value


def test_values_that_are_allowed_are_taken():
    refuse_wrong(
        {
            "DATABASE_URL": "postgres://tallybook:p%40ss@%2Frun%2Fpg/tallybook",
            "SECRET_KEY": "x",
            "CELERY_BROKER_URL": "redis://redis:6379/0",
            "ALLOWED_HOSTS": "books.example.com, .example.org,127.0.0.1,[::1],*",
            "CSRF_TRUSTED_ORIGINS": "https://books.example.com,https://*.example.org:8443",
            "TALLYBOOK_HOST": "::",
        }
    )
    assert listed("books.example.com, .example.org,") == ["books.example.com", ".example.org"]


def test_the_page_of_variables_is_the_list_in_the_code():
    assert PAGE.read_text() == page()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("TALLYBOOK_PROT", "1", "tallybook: unknown setting TALLYBOOK_PROT; known are"),
        ("DEBUG", "maybe", "tallybook: DEBUG='maybe', expected true or false"),
    ],
)
def test_a_wrong_setting_ends_a_command_with_one_sentence(name, text, said):
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, name: text},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(said)
    assert done.stderr.count("\n") == 1
