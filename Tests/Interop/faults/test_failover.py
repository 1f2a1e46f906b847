"""The primary is killed and a standby promoted, while many ask: the server finds it by itself, among the hosts of its conninfo."""
from __future__ import annotations

import time
from contextlib import contextmanager

from load import Load
from processes import site
from successor import followed

LAGS_S = 1.5


@contextmanager
def with_standby(folder, synchronous: str):
    with site(folder) as made, followed(made.cluster, made.database, synchronous) as standby:
        try:
            made.restart(standby.hosts)
            yield made, standby
        finally:
            made.one.clear()


def test_a_synchronous_standby_loses_nothing(folder, row):
    one = row("failover to a synchronous standby")
    with with_standby(folder, "FIRST 1 (b)") as (at, standby):
        load = Load(at.world, one)

        load.during(standby.take_over, before_s=2)
        load.check()


def test_what_an_asynchronous_standby_loses_is_told(folder, row):
    """What it had not received is gone, revocations among it: that was chosen, and it is proven and told."""
    one = row("failover to an asynchronous standby that lags by 1.5 s")
    with with_standby(folder, "") as (at, standby):
        load = Load(at.world, one)

        def fail_over() -> float:
            standby.wire.silence(True)
            time.sleep(LAGS_S)
            return standby.take_over()
        load.during(fail_over, before_s=2)
        load.check()

        setback = at.one.admin("epoch", "show")["setback"]
        assert setback and setback["families"] >= 1, "a phone refreshed in the time that was lost"
        assert "the database went back" in at.one.log.read_text()
        one.expected_loss = f"chosen with the standby, and told: {setback['families']} refreshes proved it, by {setback['ahead']} rotations at most"
        assert one.lost
