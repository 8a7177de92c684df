"""The same events twice in the books: sums stand once, however often they are made."""

from accounting.models import UsageHour
from accounting.services.rollups import differences, rebuild
from tests.failures.logs import event
from tests.ingest.conftest import ndjson


def hours():
    """Every hour's sums, without the keys that a rebuild gives anew."""
    kept = UsageHour.objects.order_by("hour", "model").values()
    return [{name: value for name, value in row.items() if name != "id"} for row in kept]


def used(number, hour):
    return event("opal", id=f"r-{number}", input_tokens=100, output_tokens=10) | {
        "started_at": f"2026-03-02T{hour:02d}:30:00Z"
    }


def test_b068_a_roll_up_made_again_has_the_same_rows_also_after_a_late_event(ingest, log, books):
    ingest(log("day.jsonl", ndjson(used(1, 9), used(2, 9), used(3, 11))))
    before = hours()
    for _ in range(3):
        rebuild(organization_id=books.pk)
        assert hours() == before
    ingest(log("late.jsonl", ndjson(used(4, 9))))
    added = hours()
    rebuild(organization_id=books.pk)
    assert hours() == added
    assert [(row["hour"].hour, row["requests"], row["input_tokens"]) for row in added] == [
        (9, 3, 300),
        (11, 1, 100),
    ]
    assert not any(differences(organization_id=books.pk).values())


def test_b051_b053_copies_in_other_files_change_nothing(ingest, log):
    body = ndjson(used(1, 9), used(1, 9), used(2, 10))
    ingest(log("one/a.jsonl", body))
    (told, _), _ = ingest(log("two/b.jsonl", body))
    assert (told["requests"], told["input_tokens"], told["duplicates"]) == (0, 0, 3)
    assert sum(row["requests"] for row in hours()) == 2
