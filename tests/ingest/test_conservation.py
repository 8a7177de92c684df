"""A law: whatever lines a file has, and wherever it is cut, each of them has exactly one outcome."""

import gzip
import io

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.models import Import, UsageEvent
from accounting.services.rollups import differences
from ingest.formats import cutting
from ingest.models import InboxChunk
from ingest.services import receive
from ingest.services.receive import Sender, receive_upload
from tests.factories import OrganizationFactory, ProjectFactory
from tests.ingest.conftest import event, is_conserved, ndjson, read_all

#: What a line may be instead of an event; each is a record that is rejected.
BROKEN = (
    "{",
    "nonsense",
    '{"id": "x", "input_tokens": NaN}',
    '{"id": "x", "input_tokens": -1}',
    "[]]",
)
BLANK = ("", "   ", "\t")

lines = st.lists(
    st.one_of(st.integers(0, 12), st.integers(0, 12), st.sampled_from(BROKEN + BLANK)),
    min_size=1,
    max_size=40,
)


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(told=lines, size=st.integers(200, 3_000), is_packed=st.booleans())
def test_lines_are_the_sum_of_their_outcomes_and_bytes_are_all_kept(
    books, monkeypatch, told, size, is_packed
):
    monkeypatch.setattr(receive, "cut", lambda stream, layout: cutting.cut(stream, layout, size))
    organization = OrganizationFactory()
    ProjectFactory(organization=organization, slug="default")
    # The first line says which format it is.
    told = [99, *told]
    body = ndjson(*(event(one) if isinstance(one, int) else one for one in told))
    sent = gzip.compress(body) if is_packed else body
    sender = Sender(organization_id=organization.pk, name="a.jsonl")
    receipt = receive_upload(
        sender=sender, stream=io.BytesIO(sent), limit=10**9, expected=len(sent)
    )
    source = Import.objects.get(pk=receipt.import_id)
    kept = sum(InboxChunk.objects.filter(source_import=source).values_list("size", flat=True))
    assert (source.size, kept) == (len(sent), len(body))

    read_all()
    source.refresh_from_db()
    events = [one for one in told if isinstance(one, int)]
    broken = [one for one in told if one in BROKEN]
    assert source.state == "done"
    assert source.lines == len(events) + len(broken)
    assert (source.recorded, source.rejected) == (len(set(events)), len(broken))
    assert source.duplicates == len(events) - len(set(events))
    assert is_conserved(source)
    assert UsageEvent.objects.of(organization.pk).count() == len(set(events))
    assert not any(differences(organization_id=organization.pk).values())
