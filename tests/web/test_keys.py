"""Making API keys on a page."""

import re

from accounting.models import ApiKey
from accounting.services import tenants


def wanted(project, **changes):
    return {"name": "gateway", "project": project.pk, "scopes": ["ingest"], **changes}


def test_a_key_is_shown_once_and_works(page, project):
    text = page.post("/keys/", wanted(project)).content.decode()
    key = re.search(r'id="new-key">(tb_[\w-]+)<', text)[1]
    assert tenants.key_of(key).name == "gateway"
    assert key not in page.get("/keys/").content.decode()


def test_the_rail_says_that_keys_belong_to_sources(page):
    text = page.get("/keys/").content.decode()
    assert re.search(r'href="/sources/" aria-current="page"', text)


def test_the_snippet_holds_the_key(page, project):
    text = page.post("/keys/", wanted(project)).content.decode()
    assert re.search(r"Authorization: Bearer tb_[\w-]{40,}", text)


def test_a_name_that_is_taken_is_refused_in_words(page, project):
    page.post("/keys/", wanted(project))
    text = page.post("/keys/", wanted(project)).content.decode()
    assert "There is a key of this name already" in text
    assert ApiKey.objects.count() == 1


def test_a_key_of_another_organizations_project_is_refused(page, db):
    from tests.factories import ProjectFactory

    page.post("/keys/", wanted(ProjectFactory()))
    assert not ApiKey.objects.exists()
