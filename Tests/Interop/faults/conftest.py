"""Faults: each test breaks one thing and gives a row of the matrix. `make test-faults` runs all of them, `make interop` those marked `short`."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from ledger import ROWS, Row, keep, kept, markdown, merged, save
from server import CHECKOUT


def pytest_configure(config):
    config.addinivalue_line("markers", "short: runs within make test")


def pytest_generate_tests(metafunc):
    """One after the other, all of a run before the next."""
    metafunc.parametrize("run", range(metafunc.config.getoption("--runs")), indirect=True, scope="session")


@pytest.fixture(autouse=True, scope="session")
def run(request) -> int:
    return request.param


@pytest.fixture
def row(request):
    """Gives the row of a fault; it is in the table, and what it says decides."""
    request.node.rows = []

    def of(fault: str) -> Row:
        request.node.rows.append(Row(fault))
        return request.node.rows[-1]
    yield of
    request.node.user_properties += [("fault", one.told()) for one in request.node.rows]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    bad = [one.verdict() for one in getattr(item, "rows", []) if not one.is_good]
    assert not bad, bad
    return result


@pytest.fixture
def place(folder) -> Path:
    """Short: the path of a Unix socket is."""
    return Path(tempfile.mkdtemp(dir=folder))


def folder_of_rows() -> Path:
    return Path(os.environ.get("PANDO_FAULTS_FOLDER") or CHECKOUT / ".pando/faults")


def is_worker() -> bool:
    """One of several processes of `make interop`, which tell another what they have."""
    return "PYTEST_XDIST_WORKER" in os.environ


def pytest_sessionstart(session):
    """In a folder that was named, rows are added to those of earlier parts."""
    if "PANDO_FAULTS_FOLDER" not in os.environ and not is_worker():
        (folder_of_rows() / ROWS).unlink(missing_ok=True)


def pytest_runtest_logreport(report):
    """At once, so that a run which is broken off keeps what it has."""
    # The report of a test's end has what its beginning had.
    rows = [value for name, value in report.user_properties if name == "fault"] if report.when == "teardown" else []
    if rows and not is_worker():
        keep(rows, folder_of_rows())


def pytest_terminal_summary(terminalreporter):
    rows = kept(folder_of_rows())
    if not rows:
        return
    table = merged(rows)
    skipped = [f"{report.nodeid.split('::')[-1]}: {report.longrepr[2]}" for report in terminalreporter.stats.get("skipped", [])
               if "faults/" in report.nodeid and isinstance(report.longrepr, tuple)]
    save(table, folder_of_rows(), skipped)
    terminalreporter.section("faults")
    terminalreporter.write(markdown(table))
    for reason in skipped:
        terminalreporter.write_line(f"not tried: {reason}")
