"""A whole Tallybook of its own, as in production: PostgreSQL, broker, web, worker and beat."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress

import psycopg

from accounting.embedded.accounts import server_account
from accounting.embedded.folders import DataFolder
from accounting.embedded.places import cluster_of
from accounting.embedded.ports import page_answers
from accounting.embedded.processes import postmaster_of
from accounting.embedded.server import PrivateServer
from accounting.management.commands.up import web_command
from tests.chaos.clusters import with_key
from tests.chaos.processes import ROOT, Process, free_port, python, wait_until
from tests.prepared import own_folder, surroundings

CELERY = ("--quiet", "--app", "accounting.config.celery")
WORKER = ("worker", "--concurrency", "2", "--without-gossip", "--without-mingle")
BEAT = ("beat", "--scheduler", "celery.beat:Scheduler", "--pidfile=")


def web(port, application):
    """The web server's arguments, as `make run` gives them."""
    given = list(web_command()[1:-1])
    given[given.index("--port") + 1] = str(port)
    return (*given, application or web_command()[-1])


SESSIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"


class Rig:
    """The processes of one Tallybook, and a line to its database.

    application, worker_module: what the web server serves, if it is not the usual, and what is run
    as a worker; controls that must fail give others. is_private: they know the database as their own.
    """

    def __init__(self, folder, broker, *, application="", worker_module="celery", is_private=False):
        self.folder = folder
        self.broker = broker
        self.server = PrivateServer(DataFolder(folder))
        self.port = free_port()
        self.environment = {
            **surroundings(self.server.folder),
            "CELERY_BROKER_URL": broker.url,
            "TALLYBOOK_PORT": str(self.port),
        }
        if is_private:
            del self.environment["DATABASE_URL"]
            self.environment["TALLYBOOK_DATA_DIR"] = str(folder)
        self.web = self.process("web", *web(self.port, application), port=self.port)
        self.worker = self.process("worker", "-m", worker_module, *CELERY, *WORKER)
        self.beat = self.process("beat", "-m", "celery", *CELERY, *BEAT)
        self.processes = (self.web, self.worker, self.beat)

    def process(self, name, *arguments, port=None, **environment):
        """A Python process of this Tallybook, not started."""
        return Process(
            name,
            python(*arguments),
            environment={**self.environment, "PGAPPNAME": name, **environment},
            log=self.folder / f"{name}.log",
            port=port,
        )

    def start(self, but=()):
        """Start the broker and the processes, all but those of these names, and wait for the page."""
        if self.broker.name not in but:
            self.broker.start()
            wait_until(self.broker.is_up, what=self.broker.name)
        for process in self.processes:
            if process.name not in but:
                process.start()
        wait_until(self.answers, what="the first page")

    def revive(self, but=()):
        """Start again what has ended by itself, as a supervisor does."""
        for process in self.processes:
            if process.name not in but and not process.is_running():
                process.start()

    def close(self):
        for process in self.processes:
            process.kill()
        self.broker.close()

    def answers(self):
        return page_answers("127.0.0.1", self.port, "/readyz")

    def manage(self, *arguments):
        """Run a command; its exit code and output."""
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    @property
    def token(self):
        """The text of a key that may push."""
        return with_key().token

    def rows(self, statement, parameters=()):
        """The rows a statement brings, if it brings any, over a connection of its own."""
        place = self.server.folder.socket_folder
        with psycopg.connect(
            host=str(place), user="tallybook", dbname="tallybook", autocommit=True
        ) as connection:
            cursor = connection.execute(statement, parameters)
            return cursor.fetchall() if cursor.description else []

    def value(self, statement, parameters=()):
        return self.rows(statement, parameters)[0][0]

    @contextmanager
    def locked(self, table):
        """Have everybody who wants this table wait until the end of the block."""
        place = self.server.folder.socket_folder
        with psycopg.connect(host=str(place), user="tallybook", dbname="tallybook") as connection:
            connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
            yield

    def has_session(self, name):
        """Whether a process of this name is connected to the database."""
        try:
            return self.value(SESSIONS, [name]) > 0
        except psycopg.Error:
            return False

    # The database dies.

    def kill_postgres(self, number=signal.SIGKILL):
        """End the postmaster; False where it is not there."""
        pid = self.postmaster()
        if pid is None:
            return False
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        return True

    def postmaster(self):
        cluster = cluster_of(self.server.folder)
        return postmaster_of(cluster, server_account(cluster))

    def kill_backend(self, chance):
        """End one session's process: PostgreSQL then throws out every other and repairs itself."""
        try:
            pids = self.rows(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"
            )
        except psycopg.Error:
            return False
        with suppress(ProcessLookupError):
            os.kill(chance.choice(pids)[0], signal.SIGKILL)
        return True

    def logs(self):
        """The end of each log, for whoever reads why a test failed."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(
            f"== {log.name}\n{log.read_text(errors='replace')[-4000:]}" for log in logs
        )


@contextmanager
def rig_with(broker_kind, *, options=None, disk_mb=None, **more):
    """A rig whose database is prepared and runs, with nothing else started yet.

    options: of PostgreSQL. disk_mb: gives it a disk of its own of this size.
    """
    with own_folder(disk_mb) as folder:
        subprocess.run(["cp", "-a", with_key().cluster, folder / "postgres"], check=True)
        rig = Rig(folder, broker_kind(folder), **more)
        rig.server = PrivateServer(rig.server.folder, options=options)
        with rig.server.use():
            try:
                yield rig
            except BaseException:
                print(rig.logs())
                raise
            finally:
                rig.close()
