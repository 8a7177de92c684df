"""docker-compose.yml, Dockerfile and .dockerignore against the code they run.

There is no Docker where the tests run, so they are read, not built.
"""

import importlib.util
import re
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

from accounting.config.environment import VARIABLES

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
OURS = ("migrate", "web", "worker", "beat")
KNOWN = {variable.name for variable in VARIABLES}


def test_production_has_web_worker_beat_a_database_and_a_broker():
    assert set(SERVICES) == {*OURS, "postgres", "redis"}
    assert SERVICES["postgres"]["image"] == "postgres:18"


@pytest.mark.parametrize("name", OURS)
def test_every_variable_of_our_services_is_one_that_tallybook_reads(name):
    assert set(SERVICES[name]["environment"]) <= KNOWN
    assert {"DATABASE_URL", "CELERY_BROKER_URL", "SECRET_KEY"} <= set(SERVICES[name]["environment"])


def test_every_service_that_is_waited_for_exists():
    for service in SERVICES.values():
        for waited_for, how in service.get("depends_on", {}).items():
            needs = {
                "service_healthy": "healthcheck",
                "service_completed_successfully": "command",
            }
            assert needs[how["condition"]] in SERVICES[waited_for]


def test_the_commands_of_our_services_exist():
    assert SERVICES["migrate"]["command"] == ["python", "manage.py", "prepare"]
    assert "prepare" in get_commands()
    application = SERVICES["web"]["command"][-1]
    assert application == "accounting.config.asgi:application"
    for name in ("worker", "beat"):
        module = SERVICES[name]["command"][2]
        assert importlib.util.find_spec(module)


def test_the_web_server_is_published_to_this_machine_only():
    assert SERVICES["web"]["ports"] == ["127.0.0.1:8400:8400"]
    assert not any("ports" in SERVICES[name] for name in SERVICES if name != "web")


def test_secrets_have_no_default():
    text = (ROOT / "docker-compose.yml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert f"${{{name}:?" in text
        assert f"${{{name}:-" not in text


def test_named_volumes_are_declared():
    mounted = {volume.split(":")[0] for s in SERVICES.values() for volume in s.get("volumes", [])}
    assert mounted == set(COMPOSE["volumes"])


def copied_into_the_image() -> list[str]:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    copies = [line.split()[1:-1] for line in lines if re.match(r"COPY (?!--from)", line)]
    return [source for sources in copies for source in sources]


def test_what_the_image_copies_exists_and_is_not_ignored():
    allowed = {
        line.removeprefix("!")
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert copied_into_the_image()
    for source in copied_into_the_image():
        assert (ROOT / source).exists(), source
        assert source in allowed


def test_the_image_runs_as_an_ordinary_user_and_knows_how_it_is():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert re.search(r"^USER tallybook$", dockerfile, re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\n.*/healthz", dockerfile, re.MULTILINE)
    set_there = set(re.findall(r"\b(TALLYBOOK_\w+)=", dockerfile))
    assert set_there <= KNOWN
