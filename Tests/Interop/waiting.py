"""Waiting for what happens soon, and doing many things at once."""
from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor


def eventually(what, within_s: float = 10.0, every_s: float = 0.2):
    """Polls `what()` until it is true; the last value either way."""
    deadline = time.monotonic() + within_s
    value = what()
    while not value and time.monotonic() < deadline:
        time.sleep(every_s)
        value = what()
    return value


def at_once(actions: list) -> list:
    """Runs all of them side by side; results in order, an exception as a result."""
    def run(action):
        try:
            return action()
        except Exception as problem:  # the test looks at it
            return problem
    with ThreadPoolExecutor(max_workers=len(actions)) as pool:
        return list(pool.map(run, actions))
