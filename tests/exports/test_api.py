"""Exports over HTTP: what a file is called, who may have it, and what is refused before it begins."""

import csv
import sys
from io import StringIO

import pytest

from accounting.exports import files, workbooks
from accounting.models import Project
from accounting.services.tenants import create_api_key
from tests.exports.reading import csv_rows, json_rows, summed, workbook_rows
from tests.factories import (
    ImportFactory,
    MembershipFactory,
    OrganizationFactory,
    ProjectFactory,
    UsageHourFactory,
    api_key,
)
from tests.queries.posted import posted, priced_organization, project_of

pytestmark = pytest.mark.django_db
OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}
EXPORTS = ("usage", "sessions", "requests", "prices", "imports")
#: Names that a spreadsheet would run, and how they stand in a file for one.
FORMULAS = {
    '=HYPERLINK("http://x","y")': '\'=HYPERLINK("http://x","y")',
    "\t=1+1": "'\t=1+1",
    " =1+1": "' =1+1",
    "\r=1+1": "'\r=1+1",
    "@x": "'@x",
    "+1": "'+1",
    "-1+2": "'-1+2",
    "＝1": "'＝1",
}


@pytest.fixture
def organization():
    return priced_organization()


@pytest.fixture
def get(client, organization):
    key = api_key(organization)

    def asked(path, /, **params):
        return client.get(f"/api/v1/exports/{path}", params, headers={"X-Api-Key": key})

    return asked


def content(answer):
    assert answer.status_code == 200
    return b"".join(answer)


def test_a_file_has_a_name_a_type_and_headings_that_excel_reads(organization, get):
    posted(organization, {"response_model": "组织"})
    answer = get("usage.csv", lang="zh-hans", group="model", **OCTOBER)
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="tallybook-usage-by-model-2026-10-01-2026-11-01.csv"'
    )
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Cache-Control"] == "private, no-cache"
    text = content(answer).decode()
    assert text.startswith("\ufeff模型,请求数,错误数,输入 Token")
    assert "\n组织,1,0,100," in text


@pytest.mark.parametrize("table", EXPORTS)
@pytest.mark.parametrize("layout", ["csv", "xlsx", "json", "parquet"])
def test_every_table_is_there_in_every_format_with_and_without_rows(
    get, organization, table, layout
):
    empty = content(get(f"{table}.{layout}"))
    assert empty
    posted(organization, {"session_id": "s"})
    ImportFactory(organization=organization, change={"cost": {"USD": "1.5"}, "requests": 2})
    assert len(content(get(f"{table}.{layout}", **({} if table in EXPORTS[3:] else OCTOBER)))) > 0


def test_requests_say_where_they_come_from_and_what_they_cost(organization, get):
    posted(organization, {"input_tokens": 1_000_000, "session_id": "s1", "output_tokens": 0})
    (row,) = csv_rows(content(get("requests.csv", **OCTOBER)))
    assert row["started_at"] == "2026-10-01T12:00:00+00:00"
    found = [
        row[name] for name in ("model", "session", "input_tokens", "cost", "currency", "credits")
    ]
    assert found == ["opal", "s1", "1000000", "0.5", "USD", "500"]
    assert (row["cache_read_input_tokens"], row["duration_ms"]) == ("", "")


def test_sessions_stand_in_the_order_that_is_asked_for(organization, get):
    posted(organization, {"session_id": "a", "input_tokens": 1}, {"session_id": "b"})
    for order, expected in (("input", ["a", "b"]), ("-input", ["b", "a"])):
        rows = csv_rows(content(get("sessions.csv", order=order, **OCTOBER)))
        assert [row["session"] for row in rows] == expected


def test_imports_have_their_costs_in_a_column_for_each_currency(organization, get):
    for cost in ({"USD": "1.5"}, {"CNY": "0.000000525"}, {}):
        ImportFactory(organization=organization, change={"cost": cost, "requests": 1})
    rows = csv_rows(content(get("imports.csv")))
    assert [(row["cost_CNY"], row["cost_USD"]) for row in rows] == [
        ("", ""),
        ("0.000000525", ""),
        ("", "1.5"),
    ]


def test_prices_are_those_in_force(organization, get):
    rows = csv_rows(content(get("prices.csv", book="own", model="opal")))
    assert [(row["unit"], row["price"], row["per"]) for row in rows] == [
        ("input", "0.5", "1000000"),
        ("input.cache_read", "0.1", "1000000"),
        ("output", "0.075", "1000000"),
    ]
    assert csv_rows(content(get("prices.csv", **{"model~": "jad"})))[0]["model"] == "jade"


@pytest.mark.parametrize(
    ("table", "params", "name"),
    [
        ("usage", {}, "usage"),
        ("usage", {"bucket": "day"}, "usage-per-day"),
        ("usage", {"group": "project", "sub": "model"}, "usage-by-project-by-model"),
        ("usage", {"project": "search"}, "usage-project-search"),
        ("usage", {"model~": "../a b"}, "usage-model-contains-a-b"),
        ("usage", {"user!": '"'}, "usage-user-not-none"),
        ("sessions", {"purpose": "benchmark"}, "sessions-benchmark"),
    ],
)
def test_a_files_name_says_how_it_is_cut_and_limited(get, table, params, name):
    answer = get(f"{table}.csv", **params, **OCTOBER)
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="tallybook-{name}-2026-10-01-2026-11-01.csv"'
    )


def test_a_files_name_keeps_other_scripts(get):
    answer = get("usage.csv", user="组织", **OCTOBER)
    assert answer.headers["Content-Disposition"] == (
        "attachment; filename*=utf-8''tallybook-usage-user-"
        "%E7%BB%84%E7%BB%87-2026-10-01-2026-11-01.csv"
    )


def test_a_project_has_its_slug_and_its_name(organization, get):
    posted(organization, {"response_model": "opal"})
    (row,) = json_rows(content(get("usage.json", group="project", **OCTOBER)))
    assert (row["project"], row["project_name"]) == ("default", "Default")
    (row,) = json_rows(content(get("requests.json", **OCTOBER)))
    assert (row["project"], row["project_name"]) == ("default", "Default")


@pytest.mark.parametrize(("name", "neutral"), FORMULAS.items())
def test_no_spreadsheet_runs_a_name_and_json_keeps_it(organization, get, name, neutral):
    posted(organization, {"place": {"user_id": name}})
    params = {"group": "user", **OCTOBER}
    text = content(get("usage.csv", **params)).decode("utf-8-sig")
    rows = list(csv.reader(StringIO(text, newline="")))
    assert rows[1][0] == neutral
    # A workbook says a carriage return in its own way.
    (row,) = workbook_rows(content(get("usage.xlsx", **params)))
    assert row["user"].replace("_x000D_", "\r") in {neutral, neutral.replace("\r", "\n")}
    assert json_rows(content(get("usage.json", **params)))[0]["user"] == name


@pytest.mark.parametrize(
    ("path", "params", "status", "code"),
    [
        ("usage.csv", {"group": "password"}, 400, "unknown_group"),
        ("usage.csv", {"group": "org__apikeys__hash"}, 400, "unknown_group"),
        ("usage.csv", {"group": 'x" --'}, 400, "unknown_group"),
        ("usage.csv", {"group": "c;drop"}, 400, "unknown_group"),
        ("usage.csv", {"group": "_connector"}, 400, "unknown_group"),
        (
            "usage.csv",
            {"from": "2020-01-01", "to": "3020-01-01", "bucket": "hour"},
            400,
            "bad_date",
        ),
        (
            "usage.csv",
            {"from": "2020-01-01", "to": "2099-01-01", "bucket": "hour"},
            400,
            "too_many_points",
        ),
        ("usage.csv", {"limit": "1000000000"}, 400, "unknown_parameter"),
        ("usage.csv", {"page": "1000000000"}, 400, "unknown_parameter"),
        ("usage.csv", {"cursor": "forged"}, 400, "unknown_parameter"),
        ("usage.csv", {"model__iregex": "^(a+)+$"}, 400, "unknown_parameter"),
        ("usage.csv", {"model": "x" * 201}, 400, "bad_value"),
        ("usage.csv", {"model~": "a\0"}, 400, "bad_value"),
        ("usage.csv", {"lang": "de"}, 400, "unknown_language"),
        ("usage.csv", {"as_of": "2026-10-01"}, 400, "as_of_not_kept"),
        ("sessions.csv", {"order": "password"}, 400, "unknown_order"),
        ("sessions.csv", {"bucket": "day"}, 400, "unknown_parameter"),
        ("requests.csv", {"group": "model"}, 400, "unknown_parameter"),
        ("imports.csv", {"range": "all"}, 400, "unknown_parameter"),
        ("prices.csv", {"at": "soon"}, 400, "bad_time"),
        ("usage.exe", {}, 404, "not_found"),
        ("users.csv", {}, 404, "not_found"),
    ],
)
def test_a_wrong_question_is_refused_before_a_file_begins(get, path, params, status, code):
    answer = get(path, **params)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_marks_of_patterns_are_letters_like_others(organization, get):
    posted(organization, {"response_model": "opal"}, {"response_model": "o%l"})
    for text, expected in (("%%%%%%", 0), ("_" * 200, 0), ("%", 1), ("^(a+)+$", 0)):
        params = {"model~": text, "group": "model", **OCTOBER}
        assert len(csv_rows(content(get("usage.csv", **params)))) == expected


def test_a_workbook_of_too_many_rows_is_refused(organization, get, monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_ROWS", 1)
    posted(organization, {}, {"response_model": "jade"})
    answer = get("usage.xlsx", group="model", **OCTOBER)
    assert (answer.status_code, answer.json()["code"]) == (400, "too_many_rows")
    assert len(csv_rows(content(get("usage.csv", group="model", **OCTOBER)))) == 2


def test_without_the_extra_the_answer_names_it(get, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    answer = get("usage.parquet")
    assert (answer.status_code, answer.json()["code"]) == (501, "no_parquet")
    assert "--extra parquet" in answer.json()["detail"]


def test_only_a_head_is_asked_nothing(client, organization, django_assert_max_num_queries):
    key = api_key(organization)
    with django_assert_max_num_queries(3):
        answer = client.head("/api/v1/exports/usage.csv", headers={"X-Api-Key": key})
    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize("table", EXPORTS)
def test_strangers_and_keys_without_the_scope_get_no_file(client, table):
    path = f"/api/v1/exports/{table}.csv"
    assert client.get(path).status_code == 401
    key = api_key(OrganizationFactory(), scopes=["ingest"])
    answer = client.get(path, headers={"X-Api-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (403, "missing_scope")


def test_a_member_gets_the_files_of_the_pages(client):
    member = MembershipFactory()
    UsageHourFactory(organization=member.organization, input_tokens=5)
    UsageHourFactory(input_tokens=7)
    client.force_login(member.user)
    rows = csv_rows(content(client.get("/api/v1/exports/usage.csv", {"range": "all"})))
    assert [row["input_tokens"] for row in rows] == ["5"]


def test_a_key_limited_to_a_project_gets_that_project_only(client, organization):
    own, other = project_of(organization), ProjectFactory(organization=organization)
    posted(organization, {"session_id": "a"}, {"project_id": other.pk, "session_id": "b"})
    ImportFactory(organization=organization, project=other)
    key = create_api_key(
        organization_id=organization.pk,
        project_id=own.pk,
        name="limited",
        scopes=["read"],
        is_limited=True,
    )

    def rows(table, **params):
        path, headers = f"/api/v1/exports/{table}.csv", {"X-Api-Key": key}
        return csv_rows(content(client.get(path, params, headers=headers)))

    assert [row["project"] for row in rows("usage", group="project", **OCTOBER)] == [own.slug]
    assert [row["session"] for row in rows("sessions", **OCTOBER)] == ["a"]
    assert summed(rows("requests", **OCTOBER), "input_tokens") == {"input_tokens": 100}
    assert rows("usage", project=other.slug, **OCTOBER) == []
    assert rows("imports") == []
    assert Project.objects.count() == 2


def test_pages_link_to_their_tables(client):
    member = MembershipFactory(organization=priced_organization())
    posted(member.organization, {"session_id": "a"})
    ImportFactory(organization=member.organization)
    client.force_login(member.user)
    month = "from=2026-10-01&to=2026-11-01&model=opal"
    for page, link in (
        (
            f"/overview/projects/?{month}",
            f"/api/v1/exports/usage.csv?{month}&group=project&lang=en",
        ),
        (f"/sessions/?{month}", f"/api/v1/exports/sessions.xlsx?{month}&order=-started&lang=en"),
        (f"/sessions/?{month}&metric=credits", f"/api/v1/exports/requests.json?{month}&lang=en"),
        ("/prices/?search=opal", "/api/v1/exports/prices.csv?model~=opal&lang=en"),
        ("/imports/", "/api/v1/exports/imports.csv?lang=en"),
    ):
        answer = client.get(page)
        assert answer.status_code == 200
        assert link.replace("&", "&amp;") in answer.text
        assert content(client.get(link))


def test_few_whole_files_are_made_at_once(organization, get):
    posted(organization, {})
    for _ in range(files.MOST_FILES):
        assert files.MAKING.acquire(blocking=False)
    try:
        for layout in ("xlsx", "parquet"):
            answer = get(f"usage.{layout}", **OCTOBER)
            assert (answer.status_code, answer.json()["code"]) == (503, "busy")
            assert answer.headers["Retry-After"] == "5"
        assert get("usage.csv", **OCTOBER).status_code == 200
    finally:
        files.MAKING.release(files.MOST_FILES)
    assert len(workbook_rows(content(get("usage.xlsx", group="model", **OCTOBER)))) == 1
    # A file that failed, or that nobody took, has given its place back as well.
    for _ in range(files.MOST_FILES):
        assert files.MAKING.acquire(blocking=False)
    files.MAKING.release(files.MOST_FILES)
