"""Queues: what is known of M/M/c, and a simulation of servers behind a balancer before one primary. Times are seconds, rates a second."""
from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass, field


def erlang_c(servers: int, load: float) -> float:
    """The part of all that has to wait, at `load` Erlang (arrivals × service time); 1 where the queue has no end."""
    if load >= servers:
        return 1.0
    term, total = 1.0, 1.0  # load^k / k!
    for k in range(1, servers):
        term *= load / k
        total += term
    last = term * load / servers * servers / (servers - load)
    return last / (total + last)


def mean_wait(servers: int, arrivals: float, service: float) -> float:
    """Before service begins."""
    load = arrivals * service
    return math.inf if load >= servers else erlang_c(servers, load) * service / (servers - load)


def wait_quantile(servers: int, arrivals: float, service: float, part: float) -> float:
    """That `part` of all do not wait for longer."""
    load = arrivals * service
    waits = erlang_c(servers, load)
    if load >= servers:
        return math.inf
    return max(0.0, math.log(waits / (1 - part)) * service / (servers - load)) if waits > 1 - part else 0.0


def quantile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else 0.0


@dataclass
class Outcome:
    """Of requests that came in a time: how long each took, and how many got no answer."""
    took: list[float] = field(default_factory=list)
    failed: int = 0

    def p(self, part: float) -> float:
        return quantile(self.took, part)


@dataclass
class Simulation:
    """`machines` servers of `cores` each, chosen in turn, and a primary of `primary_cores`: a request is served by one of the former, then by the latter.
    Arrivals are Poisson's, service times exponential, queues first come first served and without an end."""
    machines: int
    cores: int
    server_s: float
    primary_cores: int
    primary_s: float
    seed: int = 1

    def run(self, arrivals: float, length: float, dies_at: float | None = None, noticed_after: float = 0.0, bounds: tuple[float, ...] = ()) -> list[Outcome]:
        """One outcome for each time between `bounds`. The last machine dies at `dies_at`: what it has, and what comes to it until the balancer has noticed,
        fails."""
        chance = random.Random(self.seed)
        free = [self.cores] * self.machines + [self.primary_cores]
        queues: list[list] = [[] for _ in free]
        heads = [0] * len(free)
        outcomes = [Outcome() for _ in range(len(bounds) + 1)]
        events: list[tuple] = []
        number, turn = 0, 0
        mean = [self.server_s] * self.machines + [self.primary_s]
        dead = self.machines - 1

        def outcome(came: float) -> Outcome:
            return outcomes[sum(came >= bound for bound in bounds)]

        def begin(place: int, came: float, now: float) -> None:
            nonlocal number
            if free[place] > 0:
                free[place] -= 1
                number += 1
                heapq.heappush(events, (now + chance.expovariate(1 / mean[place]), number, place, came))
            else:
                queues[place].append(came)

        at = chance.expovariate(arrivals)
        while at < length or events:
            if at < length and (not events or at <= events[0][0]):
                now, came = at, at
                at += chance.expovariate(arrivals)
                is_dead, is_noticed = dies_at is not None and now >= dies_at, dies_at is not None and now >= dies_at + noticed_after
                turn = (turn + 1) % (self.machines - (1 if is_noticed else 0))
                if is_dead and turn == dead:
                    outcome(came).failed += 1
                else:
                    begin(turn, came, now)
                continue
            now, _, place, came = heapq.heappop(events)
            if place == dead and dies_at is not None and now >= dies_at:
                outcome(came).failed += 1
                for waiting in queues[place][heads[place]:]:
                    outcome(waiting).failed += 1
                queues[place], heads[place] = [], 0
                continue
            free[place] += 1
            if heads[place] < len(queues[place]):
                first = queues[place][heads[place]]
                heads[place] += 1
                begin(place, first, now)
            if place < self.machines and self.primary_s > 0:
                begin(self.machines, came, now)
            else:
                outcome(came).took.append(now - came)
        return outcomes
