#!/usr/bin/env python3
"""What more servers, a larger primary, a synchronous standby and other regions would bring, from what one machine was measured to cost.

In:  [--costs FILE] (costs.json beside this: its operations are those of docs/performance.md) [--plot FILE] [--json]
Out: tables on stdout, as docs/scaling.md has them; --plot writes tokens a second against servers as SVG. Nothing is measured here: what is no figure of the
     file is computed, by what is known of M/M/c queues and by a simulation of discrete events (queues.py), with the same seed each time.
"""
import argparse
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from plot import lines  # noqa: E402
from queues import Outcome, Simulation, mean_wait, wait_quantile  # noqa: E402

HERE = Path(__file__).resolve().parent
MICRO = 1e-6


class Model:
    def __init__(self, costs: dict):
        self.costs, self.operations, self.used = costs, costs["operations"], costs["used"]

    # One machine, as it was measured

    def on_one_machine(self, name: str, cores: int = 2) -> float:
        """A second, with server, PostgreSQL and wrk on the same cores and all of them busy: what CPU alone would allow."""
        operation = self.operations[name]
        return cores / ((operation["server_us"] + operation["database_us"] + self.costs["load_us"]) * MICRO)

    # Machines apart

    def by_servers(self, name: str, machines: int, cores: int | None = None) -> float:
        return self.used * machines * (cores or self.costs["servers"]["cores"]) / (self.operations[name]["server_us"] * MICRO)

    def by_primary(self, name: str, cores: int) -> float:
        database = self.operations[name]["database_us"]
        most = self.used * cores / (database * MICRO) if database else math.inf
        return min(most, self.revocations(0)) if name == "revocation of a token" else most

    def by_commits(self, gathered: int, commit_s: float, processes: int, under_way: int) -> float:
        """Of what shares commits: each process has so many under way, of so many each."""
        return processes * under_way * gathered / commit_s

    def rate(self, name: str, machines: int, primary: int, standby_ms: float = 0.0) -> float:
        """One process a machine; a commit waits for the standby for a round trip more."""
        commit = (self.costs["commit_ms"] + standby_ms) / 1000
        gathered = self.costs["gathered"]
        commits = self.by_commits(gathered["tokens"], commit, machines, gathered["commits_under_way"]) if self.operations[name]["wal_bytes"] else math.inf
        return min(self.by_servers(name, machines), self.by_primary(name, primary), commits)

    def servers_to_fill(self, name: str, primary: int) -> int | None:
        """How many it takes until the primary is what is full; none where it is not asked."""
        most = self.by_primary(name, primary)
        return None if most == math.inf else max(1, math.ceil(most / self.by_servers(name, 1)))

    def mixed(self) -> dict:
        """The mix as one operation."""
        def mean(member: str) -> float:
            return sum(part * self.operations[name][member] for name, part in self.costs["mix"].items())
        return {member: mean(member) for member in ("server_us", "database_us", "wal_bytes")}

    def most_processes(self) -> int:
        connections = self.costs["connections"]
        return (connections["primary"] - connections["kept"]) // connections["process"]

    # All revocations commit one after the other

    def revocations(self, standby_ms: float) -> float:
        return self.costs["gathered"]["revocations"] / ((self.costs["revocation_commit_ms"] + standby_ms) / 1000)

    # Events

    def senders(self, revocations: float, services: float) -> int:
        return max(1, math.ceil(revocations * services / self.costs["events"]["a_second_and_process"]))

    # Regions

    def latency_ms(self, name: str, client_ms: float, primary_ms: float, standby_ms: float = 0.0) -> float:
        """Unloaded: to the server and back, its CPU, each trip to the primary one after the other, and the standby's where anything is written."""
        operation = self.operations[name]
        commit = self.costs["commit_ms"] + standby_ms if operation["wal_bytes"] else 0
        return client_ms + (operation["server_us"] + operation["database_us"]) / 1000 + operation["trips"] * primary_ms + commit

    # One of n dies

    def failure(self, machines: int, part: float, noticed_s: float = 1.0, length: float = 12.0, scale: float = 0.02) -> tuple[list[Outcome], float]:
        """Under `part` of what all machines could do with the mix. Fewer cores and longer service, `scale` of the requests: a simulation of 10^5 and not of 10^7.
        Outcomes before, until it is noticed, and after; and how full each of the others is then."""
        mix, cores = self.mixed(), self.costs["servers"]["cores"]
        service = mix["server_us"] * MICRO
        arrivals = part * machines * cores / service
        simulation = Simulation(machines, cores, service / scale, 10_000, 0.0)
        dies = length / 3
        return simulation.run(arrivals * scale, length, dies, noticed_s, (dies, dies + noticed_s)), part * machines / (machines - 1)


def number(value: float) -> str:
    return "not asked" if value == math.inf else f"{value:,.0f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows]])


def report(model: Model) -> dict[str, str]:
    costs, operations = model.costs, model.operations
    cores, primaries = costs["servers"]["cores"], costs["primaries"]
    mix = model.mixed()
    operations["the mix"] = {**mix, "trips": 0, "measured": 0}
    made = {}
    rows = []
    for name in operations:
        row = [name, number(model.by_servers(name, 1))]
        for primary in primaries:
            servers = model.servers_to_fill(name, primary)
            row += [number(model.by_primary(name, primary)), "–" if servers is None else str(servers)]
        wal = model.by_primary(name, primaries[0]) * operations[name]["wal_bytes"] / 1e6
        rows.append(row + ["–" if wal in (0, math.inf) or wal != wal else f"{wal:.0f}"])
    made["Where the primary is full"] = table(
        ["request", f"one server of {cores} cores"] + [word for primary in primaries for word in (f"primary of {primary}", "servers")] +
        [f"MB of WAL a second, {primaries[0]} cores"], rows)
    standbys = [0, 1, 10, 40, 80]
    made["A synchronous standby so far away"] = table(
        ["round trip", "tokens a second and process", "revocations a second, all together", "a token takes more"],
        [[f"{trip} ms" if trip else "none",
          number(model.by_commits(costs["gathered"]["tokens"], (costs["commit_ms"] + trip) / 1000, 1, costs["gathered"]["commits_under_way"])),
          number(model.revocations(trip)), f"{trip} ms"] for trip in standbys])
    rows = []
    for machines in (2, 3, 4, 8):
        for part in (0.4, 0.6, 0.8):
            (before, between, after), full = model.failure(machines, part)
            lost = between.failed / max(1, between.failed + len(between.took))
            rows.append([str(machines), f"{part:.0%}", f"{full:.0%}", f"{before.p(0.99) / before.p(0.5):.1f}", f"{lost:.0%}",
                         "grows without end" if full >= 1 else f"{after.p(0.99) / before.p(0.99):.1f} ×"])
    made["One of n servers dies"] = table(
        ["servers", "of what they could", "of what is left", "p99 by median before", "fails until it is noticed", "p99 afterwards, by before"], rows)
    regions = costs["regions"]
    ways = [("all in one region, client there", "same region", "same room", 0), ("client in another region", "other region", "same room", 0),
            ("servers there, primary here", "same region", "other region", 0), ("issuer of its own there", "same region", "same room", 0),
            ("… with a synchronous standby here", "same region", "same room", regions["primary_ms"]["other region"])]
    shown = ["introspection", "introspection, first of a token", "machine token, secret", "refresh", "code with PKCE", "password login", "revocation of a token"]
    made["Milliseconds by region"] = table(["where"] + shown, [
        [words] + [f"{model.latency_ms(name, regions['client_ms'][client], regions['primary_ms'][primary], standby):.0f}" for name in shown]
        for words, client, primary, standby in ways])
    made["Processes that send events"] = table(
        ["revocations a second", "reaching 10 services", "100", "1,000"],
        [[str(rate)] + [str(model.senders(rate, services)) for services in (10, 100, 1000)] for rate in (1, 10, 100)])
    wait = mean_wait(cores, model.by_servers("the mix", 1), mix["server_us"] * MICRO)
    late = wait_quantile(cores, model.by_servers("the mix", 1), mix["server_us"] * MICRO, 0.99)
    made["Waiting"] = (f"At {model.used:.0%} of a server's {cores} cores a request of the mix waits {wait * 1e6:.0f} µs in the mean and less than {late * 1e6:.0f} µs "
                       f"in 99 of 100 cases for its {mix['server_us']:.0f} µs. `max_connections` {costs['connections']['primary']} are enough for "
                       f"{model.most_processes()} processes.")
    return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--costs", type=Path, default=HERE / "costs.json")
    options.add_argument("--plot", type=Path)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    model = Model(json.loads(given.costs.read_text()))
    tables = report(model)
    if given.json:
        print(json.dumps(tables, indent=2))
    else:
        print("\n\n".join(f"{title}\n\n{text}" for title, text in tables.items()))
    if given.plot:
        machines = list(range(1, 13))
        drawn = {f"{name}, primary of {primary} cores": [(count, model.rate(name, count, primary)) for count in machines]
                 for name, primary in (("machine token, secret", 4), ("refresh", 16), ("assertion for a service", 16), ("refresh", 4), ("assertion for a service", 4))}
        given.plot.write_text(lines(f"Tokens a second by servers of {model.costs['servers']['cores']} cores, computed", drawn, "servers"))


if __name__ == "__main__":
    main()
