"""Every code in the readers' code is explained, and every explained code is in the code."""

import ast
from pathlib import Path

import pytest

from accounting.domain.errors import BadAmountError, BadCountError, BadMomentError
from ingest.formats import codes
from ingest.web.progress import WARNINGS

HOME = Path(codes.__file__).parent
#: Codes whose text is put together, or which the arithmetic of the books gives.
MADE = {"truncated_gzip", "truncated_zstd", "bad_gzip", "bad_zstd"} | {
    error.code for error in (BadAmountError, BadCountError, BadMomentError)
}


def texts_in(node):
    """The texts that a value may be."""
    if isinstance(node, ast.IfExp):
        return texts_in(node.body) | texts_in(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def written(raised):
    """The literal codes of an error, given outright or by a name that a line above sets."""
    found = set()
    for path in HOME.glob("*.py"):
        tree = ast.parse(path.read_text())
        named = {
            target.id: texts_in(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name) and target.id == "code"
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == raised and node.args:
                code = node.args[0]
                found |= named.get(code.id, set()) if isinstance(code, ast.Name) else texts_in(code)
    return found


@pytest.mark.parametrize(
    ("raised", "explained"),
    [("RejectedError", codes.REJECTIONS), ("UnreadableError", codes.REFUSALS)],
)
def test_codes_and_their_meanings_agree(raised, explained):
    assert written(raised) - explained.keys() == set()
    assert explained.keys() - written(raised) - MADE == set()


def test_the_codes_of_skipped_records_are_explained():
    found = {
        text
        for path in HOME.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Skipped"
        for word in node.keywords
        if word.arg == "code"
        for text in texts_in(word.value)
    }
    assert found | {"no_usage"} == codes.SKIPS.keys()


@pytest.mark.parametrize("table", [codes.REJECTIONS, codes.REFUSALS, codes.SKIPS])
def test_tables_are_sorted_and_said_in_a_few_words(table):
    assert list(table) == sorted(table)
    assert all(10 < len(words) < 100 or words == "no text" for words in table.values())


def test_the_page_and_the_command_explain_the_same_doubts():
    assert codes.WARNINGS.keys() == WARNINGS.keys()
