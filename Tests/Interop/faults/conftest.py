"""Faults: each test breaks one thing and gives a row of the matrix. `make test-faults` runs all of them, `make interop` those marked `short`."""
from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from ledger import Row, markdown, merged, save
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


def pytest_terminal_summary(terminalreporter):
    reports = [report for group in terminalreporter.stats.values() for report in group if getattr(report, "when", "") == "teardown"]
    # The report of a test's end has what its beginning had.
    rows = [value for report in reports for name, value in report.user_properties if name == "fault"]
    if not rows:
        return
    table = merged(rows)
    skipped = [f"{report.nodeid.split('::')[-1]}: {report.longrepr[2]}" for report in terminalreporter.stats.get("skipped", [])
               if "faults/" in report.nodeid and isinstance(report.longrepr, tuple)]
    save(table, Path(os.environ.get("PANDO_FAULTS_FOLDER") or CHECKOUT / ".pando/faults"), skipped)
    terminalreporter.section("faults")
    terminalreporter.write(markdown(table))
    for reason in skipped:
        terminalreporter.write_line(f"not tried: {reason}")
