"""What a log tells of where a request happened stays; what the books know is put beside it."""

from accounting.domain.usage import Place
from tests.records import NOON

TOLD = {
    "started_at": NOON,
    "is_sidechain": True,
    "session_id": "session",
    "cost_center": "center",
    "turn_id": "turn",
    "agent": "agent",
    "user_id": "user",
    "team": "team",
    "environment": "environment",
    "api_key_name": "name",
    "working_folder": "/folder",
    "tags": (("tag", "value"),),
    "time_quality": "second",
}
SETTLED = {
    "project_id": 1,
    "project_basis": "rule",
    "api_key_id": 2,
    "run_id": 3,
    "import_id": 4,
    "path": "day.jsonl",
    "line": 5,
    "byte_offset": 6,
}


def test_the_books_add_what_they_know_and_change_nothing_of_what_was_told():
    before = dict.fromkeys(("project_id", "api_key_id", "run_id"), 9)
    place = Place(**TOLD, **before).settled(**SETTLED)
    assert {name: getattr(place, name) for name in Place.__slots__} == TOLD | SETTLED
