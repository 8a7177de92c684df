"""A key that is limited to its project reads and writes nothing else."""

import json
from datetime import timedelta

import pytest

from accounting.models import ApiKey, Import, Project, Run, UsageEvent
from accounting.services.pricebooks import import_table
from accounting.services.tenants import create_api_key
from ingest.services.reading import read_waiting
from tests.api.asking import OCTOBER, Asker
from tests.factories import ImportFactory, ProjectFactory
from tests.queries.posted import NOON, posted, priced_organization

MINE, THEIRS = "mine", "theirs"


@pytest.fixture(autouse=True)
def silence(monkeypatch):
    monkeypatch.setattr("ingest.api.push.ring", lambda: None)


@pytest.fixture
def organization(db):
    return priced_organization()


@pytest.fixture
def projects(organization):
    return {slug: ProjectFactory(organization=organization, slug=slug) for slug in (MINE, THEIRS)}


@pytest.fixture
def asks(client, organization, projects):
    key = create_api_key(
        organization_id=organization.pk,
        project_id=projects[MINE].pk,
        name="limited",
        scopes=["read", "ingest"],
        is_limited=True,
    )
    return Asker(client, key)


@pytest.fixture
def book(organization, projects):
    def booked(slug, response_id, **row):
        project_id = projects[slug].pk
        posted(organization, {"project_id": project_id, "response_id": response_id, **row})

    return booked


def test_sums_are_of_its_project_alone(asks, book):
    book(MINE, "a", input_tokens=1_000_000, output_tokens=0)
    book(THEIRS, "b", input_tokens=3_000_000, output_tokens=0)
    for params in ({}, {"project": THEIRS}, {"project!": MINE}, {"group": "project"}):
        body = asks.october("usage", **params)
        if "project" in params or "project!" in params:
            assert (body["rows"], body["totals"]["requests"]) == ([], 0)
        else:
            assert [row["cost"] for row in body["rows"]] == [{"USD": "0.5"}]
            assert body["totals"]["cost"] == {"USD": "0.5"}
    assert [row["value"] for row in asks.october("dimensions/project")["rows"]] == [MINE]
    assert asks.october("requests")["totals"]["requests"] == 1
    (row,) = asks.october("change")["rows"]
    assert row["after"] == "0.5"
    (row,) = asks("projection", as_of="2026-10-02").json()["rows"]
    assert row["spent"] == "0.5"


def test_all_its_usage_begins_where_its_own_does(asks, book):
    book(MINE, "a")
    book(THEIRS, "b", at=NOON - timedelta(days=90))
    assert asks("usage", range="all").json()["from"] == "2026-10-01"


def test_a_session_that_used_another_project_too_is_not_told(asks, book):
    book(MINE, "a", session_id="own")
    book(MINE, "b", session_id="mixed")
    book(THEIRS, "c", session_id="mixed")
    body = asks.october("sessions")
    assert [row["session_id"] for row in body["rows"]] == ["own"]
    assert body["totals"]["sessions"] == 1
    assert asks("sessions/own").status_code == 200
    assert asks("sessions/mixed").status_code == 404


def test_only_its_own_requests_are_explained(asks, book):
    for slug in (MINE, THEIRS):
        book(slug, slug)
    assert asks("explain", event=MINE).status_code == 200
    assert asks("explain", event=THEIRS).status_code == 404
    assert len(asks("explain", sample=10, **OCTOBER).json()["rows"]) == 1


def test_only_tags_of_its_project_are_listed(asks, book):
    for slug in (MINE, THEIRS):
        book(slug, slug, place={"tags": ((f"of-{slug}", "yes"),)})
    names = [row["name"] for row in asks.october("dimensions")["rows"]]
    assert [name for name in names if name.startswith("tag:")] == ["tag:of-mine"]


def test_only_runs_of_its_project_are_told(asks, book, organization):
    for label, slugs in (("own", [MINE]), ("mixed", [MINE, THEIRS]), ("empty", [])):
        run = Run.objects.create(organization=organization, label=label, tool="vllm_bench")
        for slug in slugs:
            book(slug, f"{label}-{slug}", purpose="benchmark", place={"run_id": run.pk})
    assert [row["label"] for row in asks("runs").json()["rows"]] == ["own"]


def test_only_imports_of_its_project_are_told(asks, organization, projects):
    mine = ImportFactory(organization=organization, project=projects[MINE])
    others = [
        ImportFactory(organization=organization, project=projects[THEIRS]),
        ImportFactory(organization=organization),
    ]
    assert [row["import_id"] for row in asks("imports").json()["rows"]] == [mine.pk]
    assert asks(f"imports/{mine.pk}").status_code == 200
    assert {asks(f"imports/{one.pk}").status_code for one in others} == {404}


def test_prices_of_another_projects_contract_are_not_told(asks, organization, projects):
    for slug, price in ((MINE, "1"), (THEIRS, "2")):
        rate = {"provider": "testing", "model": "opal", "unit": "input", "price": price}
        document = {
            "book": {"code": f"for-{slug}", "currency": "USD", "kind": "contract", "project": slug},
            "rates": [{**rate, "from": "2020-01-01"}],
        }
        import_table(json.dumps(document).encode(), organization=organization)
    books = {row["book"] for row in asks("prices").json()["rows"]}
    assert books == {"for-mine", "own"}
    question = {"model": "opal", "provider": "testing", "at": "2026-10-01T00:00:00Z"}
    question["usage"] = {"input_tokens": 1_000_000}
    assert asks.post("quote", {**question, "book": "for-mine"}).json()["cost"] == "1"
    refused = asks.post("quote", {**question, "book": "for-theirs"})
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_book")
    # Without a book its own contract comes first, as where its requests are charged.
    assert asks.post("quote", question).json()["cost"] == "1"
    estimated = asks(
        "estimate", models="testing/opal", input_tokens="1000000", output_per_input="0"
    )
    (model,) = estimated.json()["models"]
    assert (model["prices"]["input"], model["cost"]) == ("1", "1")
    shape = {"turns": "1", "user_tokens": "1000000"}
    body = {"models": ["testing/opal"], "output_per_input": "0", **shape}
    (model,) = asks.post("estimate", body).json()["models"]
    assert model["session_uncached"]["cost"] == "1"


def pushed(asks, query="", **more):
    event = {
        "id": "pushed",
        "started_at": "2026-10-01T10:00:00Z",
        "provider": "testing",
        "model": "opal",
        "input_tokens": 100,
        "output_tokens": 10,
        **more,
    }
    return asks.post("events", event, query)


@pytest.mark.parametrize("slug", [THEIRS, "default", "nowhere"])
def test_what_it_pushes_for_another_project_is_refused(asks, slug):
    answer = pushed(asks, f"?project={slug}")
    assert (answer.status_code, answer.json()["code"]) == (403, "other_project")
    assert not UsageEvent.objects.exists()


@pytest.mark.parametrize("query", ["", f"?project={MINE}"])
@pytest.mark.parametrize("record", [{}, {"project": THEIRS}])
def test_whatever_it_pushes_is_charged_to_its_project(asks, query, record):
    assert pushed(asks, query, **record).status_code == 202
    read_waiting(seconds=20)
    event = UsageEvent.objects.get()
    assert Project.objects.get(pk=event.project_id).slug == MINE
    (row,) = asks("imports").json()["rows"]
    assert (row["recorded"], row["state"]) == (1, "done")


@pytest.fixture
def they_ask(client, organization, projects):
    key = create_api_key(
        organization_id=organization.pk,
        project_id=projects[THEIRS].pk,
        name="limited too",
        scopes=["read", "ingest"],
        is_limited=True,
    )
    return Asker(client, key)


def test_what_it_tells_of_anothers_request_is_a_conflict_and_moves_nothing(asks, they_ask):
    pushed(they_ask)
    read_waiting(seconds=20)
    pushed(asks, started_at="2026-10-01T09:00:00Z", output_tokens=11)
    read_waiting(seconds=20)
    assert they_ask.october("usage")["totals"]["output_tokens"] == 10
    assert asks.october("usage")["totals"]["requests"] == 0
    (row,) = asks("imports").json()["rows"]
    assert (row["recorded"], row["conflicts"]) == (0, 1)


def test_two_keys_may_use_one_idempotency_key(asks, they_ask):
    for asker, answered in ((they_ask, "theirs"), (asks, "mine"), (asks, "mine")):
        asker.headers["Idempotency-Key"] = "batch-1"
        assert pushed(asker, id=answered).status_code == 202
    assert Import.objects.count() == 2


def test_a_key_that_is_not_limited_reads_all_projects(client, organization, projects, book):
    for slug in (MINE, THEIRS):
        book(slug, slug)
    key = create_api_key(
        organization_id=organization.pk,
        project_id=projects[MINE].pk,
        name="whole",
        scopes=["read"],
    )
    assert not ApiKey.objects.get().is_limited
    assert Asker(client, key).october("usage")["totals"]["requests"] == 2
