"""Pando as one process: started as an operator would, asked over HTTP and the command line, stopped, killed."""
from __future__ import annotations

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import requests

CHECKOUT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("PANDO_BINARY") or CHECKOUT / ".build/debug/pando")
READY_WITHIN_S = 60
# Apps that belong to the servers of all tests.
ANDROID_APP, APPLE_APP = "org.example.wallet", "TEAMID1234.org.example.wallet"
FINGERPRINT = ":".join(f"{number:02X}" for number in range(0xA0, 0xC0))
STOPS_WITHIN_S = 20


def free_port() -> int:
    """Below those that connections get at their own end (Linux: 32768 and up), which may be one of these in the next moment."""
    while True:
        with suppress(OSError), socket.create_server(("127.0.0.1", random.randrange(20_000, 32_000))) as listener:
            return listener.getsockname()[1]


def plain_environment() -> dict:
    """The caller's, without settings of another server. Clusters lie in memory: on a disk, to make, migrate and stop one takes most of the time of
    most tests that have their own."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PANDO_", "PG"))} | {"POSTGRES_IN_MEMORY": "yes"}


# Verbs that ask, which nobody here can answer.
DESTROYING = {"revoke", "delete", "remove", "bump", "block", "refuse", "prune", "cut", "suspend", "reseal", "rotate-secret"}


def sure(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """With `--yes` where the command destroys."""
    if not DESTROYING & set(arguments[:3]) or {"--yes", "--dry-run"} & set(arguments):
        return arguments
    place = arguments.index("--") if "--" in arguments else len(arguments)
    return *arguments[:place], "--yes", *arguments[place:]


class CommandFailed(Exception):
    """An admin command that left with something else than 0: `exit_code`, and the error's JSON."""

    def __init__(self, arguments, finished):
        self.exit_code, self.stderr = finished.returncode, finished.stderr
        super().__init__(f"pando {' '.join(arguments)} left {finished.returncode}: {finished.stderr.strip()[-500:]}")


class Server:
    """`pando dev --no-demo` in a folder of its own. Without `database` it runs its own PostgreSQL there."""

    binary = BINARY

    def __init__(self, folder: Path, database: str | None = None, **settings: str):
        self.folder, self.log = folder, folder / "server.log"
        self.port, self.process = free_port(), None
        self.issuer = f"http://localhost:{self.port}"
        self.environment = plain_environment() | {
            "PANDO_ISSUER": self.issuer, "PANDO_PORT": str(self.port), "PANDO_METRICS_PORT": "", "PANDO_STATE_DIRECTORY": str(folder),
            "PANDO_ALLOW_LOOPBACK_SERVICES": "true", "PANDO_LIQUID_ANDROID": f"{ANDROID_APP}={FINGERPRINT}", "PANDO_LIQUID_APPLE": APPLE_APP}
        self.environment |= ({"PANDO_DATABASE": database} if database else {}) | settings

    # Life and death

    def start(self) -> "Server":
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, "dev", "--no-demo"], cwd=CHECKOUT, env=self.environment, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.is_ready():
            assert self.process.poll() is None, f"the server ended with {self.process.returncode}:\n{self.tail()}"
            assert time.monotonic() < deadline, f"not ready within {READY_WITHIN_S} s:\n{self.tail()}"
            time.sleep(0.1)
        return self

    def is_ready(self) -> bool:
        try:
            return requests.get(f"{self.issuer}/readyz", timeout=5).status_code == 200
        except requests.RequestException:
            return False

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def stop(self) -> float:
        """Gracefully; seconds that it took. The exit code must be 0."""
        began = time.monotonic()
        self.terminate()
        return self.ended(began)

    def ended(self, began: float) -> float:
        try:
            code = self.process.wait(timeout=STOPS_WITHIN_S + 15)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"SIGTERM did not end it within {STOPS_WITHIN_S + 15} s:\n{self.tail()}") from None
        took = time.monotonic() - began
        assert code == 0, f"SIGTERM left {code}:\n{self.tail()}"
        assert took < STOPS_WITHIN_S, f"a graceful stop took {took:.1f} s"
        return took

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=10)

    @contextmanager
    def running(self):
        """Started, and stopped gracefully where nobody ended it meanwhile; nothing is left behind."""
        try:
            yield self.start()
            if self.process.poll() is None:
                self.stop()
        finally:
            self.clear()

    def clear(self) -> None:
        """Leaves no process and no cluster behind, whatever happened."""
        if self.process and self.process.poll() is None:
            self.kill()
        if (self.folder / "postgres").exists():
            Cluster(self.folder / "postgres").discard()

    def tail(self, lines: int = 30) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    # The command line

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *arguments], cwd=CHECKOUT, env=self.environment | environment, input=stdin, text=True,
                              capture_output=True, timeout=120)

    def serving(self) -> dict:
        """What `pando serve` wants besides, where `pando dev` has its own."""
        known = self.environment.get("PANDO_DATABASE") or Cluster(self.folder / "postgres").url("pando")
        return {"PANDO_DATABASE": known, "PANDO_MASTER_KEY_FILE": self.environment.get("PANDO_MASTER_KEY_FILE", str(self.folder / "master.key"))}

    def admin(self, *arguments: str, stdin: str = "") -> dict:
        arguments = sure(arguments)
        finished = self.run("admin", "--json", *arguments, stdin=stdin)
        if finished.returncode != 0:
            raise CommandFailed(arguments, finished)
        return json.loads(finished.stdout)

    # What nobody can do

    def sql(self, statement: str) -> None:
        """In its database: let time pass."""
        subprocess.run([*self.psql(), "--command", statement], check=True, timeout=30)

    def psql(self) -> list[str]:
        """The command for a session in its database, which prints bare values."""
        return session(self.environment.get("PANDO_DATABASE") or Cluster(self.folder / "postgres").url("pando"))


def session(conninfo: str) -> list[str]:
    program = shutil.which("psql") or str(max(Path("/usr/lib/postgresql").glob("*/bin/psql")))
    return [program, "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--dbname", conninfo]


class Cluster:
    """A PostgreSQL of our own, which we may stop in the middle (deploy/postgres.sh)."""

    def __init__(self, folder: Path):
        self.folder = folder

    def _script(self, *arguments: str) -> str:
        finished = subprocess.run([CHECKOUT / "deploy/postgres.sh", *arguments], env=plain_environment(), text=True, capture_output=True, timeout=120)
        assert finished.returncode == 0, f"deploy/postgres.sh {arguments[0]}: {finished.stderr[-500:]}"
        return finished.stdout.strip()

    def start(self) -> "Cluster":
        self._script("start", str(self.folder))
        return self

    def stop(self) -> None:
        self._script("stop", str(self.folder))

    def kill(self) -> None:
        """As when the power goes; `start` recovers it from its log. Returns when the process is gone."""
        number = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        os.kill(number, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while self._stands(number):
            assert time.monotonic() < deadline, f"process {number} does not end"
            time.sleep(0.01)

    @staticmethod
    def _stands(number: int) -> bool:
        """Somewhere: a process that has ended and waits to be reaped does not."""
        try:
            return bool(os.readlink(f"/proc/{number}/cwd"))
        except OSError:
            return False

    def discard(self) -> None:
        self._script("discard", str(self.folder))

    def url(self, name: str) -> str:
        return self._script("url", str(self.folder), name)
