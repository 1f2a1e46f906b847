"""deploy/scaling: the simulation agrees with what is known of queues, and with what was measured; the page and the picture are what it says."""
from __future__ import annotations

import json
import math
import re
import subprocess
import sys

import pytest

from server import CHECKOUT

PLACE = CHECKOUT / "deploy/scaling"
sys.path.insert(0, str(PLACE))

import simulate  # noqa: E402
from queues import Simulation, erlang_c, mean_wait, wait_quantile  # noqa: E402

COSTS = json.loads((PLACE / "costs.json").read_text())


def measured() -> dict[str, list[str]]:
    """Rows of the table of docs/performance.md."""
    text = (CHECKOUT / "docs/performance.md").read_text()
    rows = (line.strip("| \n").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return {row[0]: row[1:] for row in rows if len(row) == 9}


@pytest.mark.parametrize("servers, load, waits", [(1, 0.5, 0.5), (2, 1.0, 1 / 3), (10, 8.0, 0.409), (5, 4.0, 0.554)])
def test_erlang_c(servers, load, waits):
    """As in tables of it."""
    assert erlang_c(servers, load) == pytest.approx(waits, abs=0.001)


def test_a_queue_with_one_server():
    """M/M/1: a wait is ρ/(μ−λ) in the mean, and longer than t in a part of ρ·e^−(μ−λ)t of all cases; a full one has no end."""
    assert mean_wait(1, 80, 0.01) == pytest.approx(0.8 / 20)
    assert wait_quantile(1, 80, 0.01, 0.99) == pytest.approx(math.log(80) / 20)
    assert wait_quantile(1, 10, 0.01, 0.5) == 0
    assert mean_wait(2, 200, 0.01) == wait_quantile(2, 200, 0.01, 0.5) == math.inf


@pytest.mark.parametrize("cores, full", [(1, 0.5), (2, 0.8), (4, 0.7)])
def test_the_simulation_waits_as_long_as_mmc(cores, full):
    """And two queues, one behind the other, are two such (Burke)."""
    service = 0.01
    arrivals = full * cores / service
    known = mean_wait(cores, arrivals, service)

    outcome, = Simulation(1, cores, service, cores, service).run(arrivals, 40_000 / arrivals)

    assert outcome.failed == 0 and len(outcome.took) == pytest.approx(40_000, rel=0.02)
    assert sum(outcome.took) / len(outcome.took) == pytest.approx(2 * (known + service), rel=0.08)


def test_a_server_that_dies_fails_its_part_until_it_is_noticed():
    before, between, after = Simulation(4, 2, 0.01, 4, 0.001).run(400, 30, 10, 2, (10, 12))

    assert before.failed <= 8, "what it had"
    assert between.failed == pytest.approx(0.25 * 400 * 2, rel=0.2)
    assert after.failed == 0 and len(after.took) == pytest.approx(400 * 18, rel=0.05)


def test_costs_are_those_of_the_performance_page():
    rows = measured()
    for name, operation in COSTS["operations"].items():
        server, database = re.fullmatch(r"(\d+), (\d+) µs", rows[name][4]).groups()
        told = {"server_us": int(server), "database_us": int(database), "wal_bytes": int(rows[name][7]), "measured": int(rows[name][0].replace(",", ""))}
        assert operation == told | {"trips": operation["trips"]}, name
    assert sum(COSTS["mix"].values()) == pytest.approx(1)


@pytest.mark.parametrize("name", COSTS["operations"])
def test_the_model_agrees_with_the_machine_that_was_measured(name):
    """Its rate is what both cores allow, less what waiting takes: never more, and a quarter less at most; so the model promises a third too much at most."""
    assert 0.75 <= COSTS["operations"][name]["measured"] / simulate.Model(COSTS).on_one_machine(name) <= 1.02


@pytest.mark.parametrize("point", COSTS["standby_measured"], ids=lambda point: f"{point['ms']} ms")
def test_commits_that_wait_for_a_standby_are_as_few_as_were_measured(point):
    gathered, commit_s = COSTS["gathered"], (COSTS["commit_ms"] + point["ms"]) / 1000
    computed = simulate.Model(COSTS).by_commits(gathered["tokens"], commit_s, 1, gathered["commits_under_way"])
    assert 0.75 <= point["tokens"] / computed <= 1


def test_the_page_and_the_picture_are_what_it_says(tmp_path):
    plotted = tmp_path / "scaling.svg"
    said = subprocess.run([sys.executable, PLACE / "simulate.py", "--json", "--plot", plotted], text=True, capture_output=True, check=True, timeout=60)
    page = (CHECKOUT / "docs/scaling.md").read_text()
    for title, table in json.loads(said.stdout).items():
        assert table in page, f"{title}: run deploy/scaling/simulate.py, and put its table into docs/scaling.md"
    assert plotted.read_text() == (CHECKOUT / "docs/plots/scaling.svg").read_text(), "run deploy/scaling/simulate.py --plot docs/plots/scaling.svg"


def test_each_table_has_its_place_under_citus_and_each_file_is_there():
    page = (CHECKOUT / "docs/scaling.md").read_text()
    part = page[page.index("## Citus"):page.index("## Events, crawling")]
    places, crossing = part.split("What would cross shards")
    placed = re.findall(r"`([a-z_]+)`", "".join(line for line in places.splitlines() if line.startswith("| ")))
    migrations = "".join(file.read_text() for file in sorted((CHECKOUT / "migrations").glob("*.sql")))
    made = set(re.findall(r"^create (?:unlogged )?table (\w+)", migrations, re.M)) - set(re.findall(r"^drop table (?:if exists )?(\w+)", migrations, re.M))
    assert sorted(placed) == sorted(made)
    for file in re.findall(r"`(\w+(?:/\w+)+\.swift)`", crossing):
        assert (CHECKOUT / "Sources" / file).exists(), file
