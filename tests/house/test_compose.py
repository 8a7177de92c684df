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
from accounting.config.gate import LONG_BODY_THREADS, THREADS
from accounting.embedded.cluster import OPTIONS
from accounting.management.commands.up import children, web_command

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


def option(service: str, name: str) -> str:
    """What a service's command line gives for an option, written `name=value`."""
    [found] = [part for part in SERVICES[service]["command"] if part.startswith(f"{name}=")]
    return found.removeprefix(f"{name}=")


def test_there_are_two_workers_and_one_clock():
    assert SERVICES["worker"]["deploy"] == {"replicas": 2}
    assert "deploy" not in SERVICES["beat"]


def test_a_worker_is_told_what_make_run_tells_its_own():
    [worker] = [child for child in children() if child.name == "worker"]
    told = {part for part in worker.command if part.startswith("--without-")}
    assert told == {"--without-gossip", "--without-mingle", "--without-heartbeat"}
    assert told <= set(SERVICES["worker"]["command"])


def test_the_web_server_is_told_what_make_run_tells_its_own():
    for name in ("--interface", "--http", "--backpressure", "--http1-header-read-timeout"):
        own = web_command()[web_command().index(name) + 1]
        assert option("web", name) == own
    assert {"--no-ws", "--respawn-failed-workers"} <= set(SERVICES["web"]["command"])


def test_the_database_is_told_what_the_private_one_is_told():
    given = SERVICES["postgres"]["command"]
    told = dict(part.split("=") for part in given[2::2])
    assert given[1::2] == ["-c"] * len(told)
    of_one_machine = {"listen_addresses", "port", "log_line_prefix"}
    by_its_cores = {"max_parallel_workers_per_gather"}
    elsewhere = of_one_machine | by_its_cores
    assert {name: text for name, text in OPTIONS.items() if name not in elsewhere} == {
        name: text for name, text in told.items() if name != "max_connections"
    }


def test_the_database_has_a_connection_for_everybody():
    web = int(option("web", "--workers")) * (THREADS + LONG_BODY_THREADS)
    workers = SERVICES["worker"]["deploy"]["replicas"] * int(option("worker", "--concurrency"))
    most = int(option("postgres", "max_connections"))
    spare = 20  # beat, commands, and those that an administrator has
    assert (web, workers) == (48, 4)
    assert 2 * web + 4 * workers + spare < most  # a second web host and more workers fit too


def test_who_is_asked_to_end_has_time_for_it():
    """A reading task ends within 5 s and a chunk; what is killed is read again, and costs that long."""
    for name in ("web", "worker"):
        assert SERVICES[name]["stop_grace_period"] == "30s"
    assert SERVICES["postgres"]["stop_grace_period"] == "2m"


def test_the_page_for_operators_names_settings_and_pages_that_exist():
    page = (ROOT / "docs/operations.md").read_text()
    assert set(re.findall(r"\bTALLYBOOK_[A-Z_]+", page)) <= KNOWN
    for link in re.findall(r"\]\((?!https)([\w.]+)", page):
        assert (ROOT / "docs" / link).exists(), link
    for command in re.findall(r"manage\.py (\w+)", page):
        assert command in get_commands(), command


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
