"""What all tests share: one server for the run, and servers and PostgreSQLs of their own for those that break something.

PANDO_BINARY         the binary (.build/debug/pando)
PANDO_TEST_DATABASE  libpq conninfo of a fresh database for the shared server; without it, it runs a PostgreSQL of its own
"""
from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from application import HOST, Application
from approving_phones import PROTOCOLS
from authenticator import Authenticator
from chromium import Chromium
from fake_issuer import FakeIssuer
from looking import allow_scripts
from phone import Phone, Release, person
from reading import Reader
from server import BINARY, Cluster, Server, session


def pytest_addoption(parser):
    parser.addoption("--screens", action="store_true", help="write the pictures of the pages to Tests/Interop/screens, instead of .pando/screens")
    parser.addoption("--faults", action="store_true", help="all of Tests/Interop/faults, and not the short part alone: make test-faults")
    parser.addoption("--runs", type=int, default=1, help="how often each fault is made")


# Files that take minutes, of few tests: begun first, as one of them begun last keeps one process waiting for the other.
LONGEST = ("test_shared_clients.py", "test_openapi.py", "test_people_walk.py", "test_goals.py", "test_restored.py", "test_demo.py", "test_killed_delivery.py",
           "test_killed_under_load.py", "test_documents.py", "test_browser.py", "test_console_roles.py", "test_console.py", "test_recipe_superset.py")


def pytest_collection_modifyitems(config, items):
    """The longest files first, then by how many tests they have; a file's own tests in their order. Of the faults those that are quick, unless all are wanted."""
    if not config.getoption("--faults"):
        items[:] = [item for item in items if item.path.parent.name != "faults" or item.get_closest_marker("short")]
    counts = Counter(item.path for item in items)

    def place(item):
        name = item.path.name
        return LONGEST.index(name) if name in LONGEST else len(LONGEST), -counts[item.path], name

    items.sort(key=place)


def pytest_configure(config):
    """Both folders are where modules are looked for: of two with one name a run of both has only the first."""
    here = Path(__file__).parent
    twice = {module.name for module in here.glob("*.py")} & {module.name for module in here.glob("faults/*.py")} - {"conftest.py"}
    if twice:
        pytest.exit(f"in Tests/Interop and in Tests/Interop/faults: {', '.join(sorted(twice))}", returncode=2)


def pytest_report_header(config):
    return f"pando: {BINARY}"


@pytest.fixture(scope="session", autouse=True)
def binary():
    if not BINARY.exists():
        pytest.exit(f"there is no {BINARY}: run `make build`, or set PANDO_BINARY", returncode=2)


@pytest.fixture(scope="session")
def folder():
    """Short, since the path of a Unix socket is; not pytest's own folder, which outlives the run."""
    made = Path(tempfile.mkdtemp(prefix="pando-interop-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def own_database(given: str | None, worker: str | None) -> str | None:
    if not (given and worker):
        return given
    subprocess.run([*session(given), "--command", f"create database pando_{worker}"], check=True, timeout=30)
    return re.sub(r"dbname=\S+", f"dbname=pando_{worker}", given)


@pytest.fixture(scope="session")
def server(folder):
    """For everyone who breaks nothing. How it stops is a test in itself: exit code 0, in under 20 seconds. Each of several pytest processes (pytest-xdist) has
    a database of its own beside the given one."""
    (folder / "shared").mkdir()
    shared = Server(folder / "shared", own_database(os.environ.get("PANDO_TEST_DATABASE"), os.environ.get("PYTEST_XDIST_WORKER")), PANDO_SIGNING_ALGORITHMS="ES256,RS256")
    with shared.running():
        yield shared


@pytest.fixture
def own_cluster(folder):
    """A PostgreSQL that the test may stop."""
    cluster = Cluster(Path(tempfile.mkdtemp(dir=folder)) / "postgres")
    try:
        yield cluster.start()
    finally:
        cluster.discard()


@pytest.fixture
def own_server(folder, own_cluster):
    """A server that the test may kill, on `own_cluster`. Stopped gracefully if the test left it running."""
    own = Server(Path(tempfile.mkdtemp(dir=folder)), own_cluster.url("pando_own"))
    with own.running():
        yield own


@pytest.fixture
def reader(own_server, folder) -> Reader:
    """Somebody who follows pages, at a server that nobody used before."""
    reader = Reader(own_server, folder)
    yield reader
    reader.close()


@pytest.fixture(scope="session")
def issuer():
    """One whose keys the tests have."""
    made = FakeIssuer()
    yield made
    made.close()


@pytest.fixture(scope="session")
def alone(issuer, folder):
    """Gives the service of a kind of `examples/` that trusts that issuer and nobody else: one for all tests, as some take long to set up."""
    made = {}

    def of(kind):
        # Each is told its own: an event for another spoils the answer.
        issuer.stored.clear()
        if kind not in made:
            made[kind] = kind(Path(tempfile.mkdtemp(dir=folder)), issuer.url)
            made[kind].alone()
        return made[kind]

    yield of
    for service in made.values():
        service.clear()


@pytest.fixture(scope="session")
def release(server) -> Release:
    return Release.add(server)


@pytest.fixture(scope="session")
def username(server) -> str:
    return person(server)


@pytest.fixture
def phone(server, release, username) -> Phone:
    """Registered and logged in."""
    return Phone(server.issuer, release).register().log_in(username)


@pytest.fixture(scope="session")
def viewer(server) -> str:
    """The smallest service of the house: what it is told about a person, it shows."""
    return f"{server.issuer}/services/viewer"


@pytest.fixture(scope="module")
def application(server) -> Application:
    """A web application where people log in with this server."""
    application = Application(server)
    yield application
    application.close()


@pytest.fixture(scope="module")
def chromium(folder, application) -> Chromium:
    """A browser that finds that application."""
    browser = Chromium(Path(tempfile.mkdtemp(dir=folder)), {HOST: application.port})
    yield browser
    browser.close()


@pytest.fixture
def authenticator(chromium):
    """Of the shared browser, with no passkey in it."""
    own = Authenticator(chromium)
    yield own
    own.remove()


@pytest.fixture(scope="module")
def plain(folder) -> Chromium:
    """One browser for all tests of a file, whose pages run no scripts."""
    browser = Chromium(Path(tempfile.mkdtemp(dir=folder)), {})
    allow_scripts(browser, False)
    yield browser
    browser.close()


@pytest.fixture
def another_browser(folder, application):
    """Opens more of them for one test; `options` are Chromium's."""
    opened: list[Chromium] = []

    def open_one(**options) -> Chromium:
        opened.append(Chromium(Path(tempfile.mkdtemp(dir=folder)), {HOST: application.port}, **options))
        return opened[-1]

    yield open_one
    for browser in opened:
        browser.close()


@pytest.fixture
def user() -> str:
    """A name at a bank that nobody has."""
    return f"user-{secrets.token_hex(4)}"


@pytest.fixture(params=PROTOCOLS)
def protocol(request) -> str:
    """Each of those that phones speak with a bank (approving_phones.py)."""
    return request.param
