#!/usr/bin/env python3
"""From a clone to the first token in one's own code: how long it takes by the pages of docs/goals, followed to the letter.

In:  [--checkout DIR] what is cloned (this one); what is not committed there is not in the clone.
     [--built] clones and builds nothing: DIR's .build/debug/pando serves, in a folder that looks like DIR and has a state of its own.
     [--port N] where it serves (8080). [--keep] leaves the folder, and says where. Needs what `make test` needs: Chromium, and the packages of Tests/Interop.
Out: a table in Markdown on stdout, of seconds; progress on stderr. Exit 1 when a page did not lead to its goal. Nothing of it is left behind.

Whoever follows is a program (Tests/Interop/reading.py): it neither reads nor types, so the seconds of a page are those that a machine makes people wait. Each
goal begins with a terminal and a virtual environment of its own, and what pip fetches is fetched; a page that goes on from another is counted with it. What
SwiftPM has fetched before it takes from its cache.
"""
from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from socket import create_connection

CHECKOUT = Path(__file__).resolve().parents[1]
VENV = CHECKOUT / ".venv/bin/python"
GOALS = {"an app": "write-an-app.md", "a service": "join-with-my-service.md", "a web application": "log-people-in.md",
         "a page without a server": "single-page-app.md"}
SERVES_WITHIN_S, ENDS_WITHIN_S = 3_600, 40


def say(words: str) -> None:
    print(f"first-token: {words}", file=sys.stderr, flush=True)


class Federation:
    """What `make run` serves in `place`, whose steps have their seconds in `took`."""

    def __init__(self, place: Path, port: int, folder: Path):
        self.place, self.port, self.log, self.process = place, port, folder / "run.log", None
        others = ("PANDO_", "PG", "POSTGRES_")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(others)} | {"PIP_CACHE_DIR": str(folder / "pip")}
        if port != 8080:        # as whoever says PORT=… make run; the commands of the pages have to be told as well
            self.environment |= {"PORT": str(port), "PANDO_PORT": str(port), "PANDO_ISSUER": f"http://localhost:{port}", "PANDO_METRICS_PORT": "0"}
        self.took: dict[str, float] = {}
        self._built = None

    def serve(self, command: list[str]) -> None:
        began = time.monotonic()
        self.process = subprocess.Popen(command, cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, start_new_session=True)
        threading.Thread(target=self._hear, daemon=True).start()
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() - began > SERVES_WITHIN_S:
                sys.exit(f"first-token: {' '.join(command)} does not serve:\n{self.log.read_text()[-2_000:]}")
            time.sleep(0.1)
        serves = time.monotonic()
        if self._built:
            self.took["first build"] = self._built - began
        self.took["until it serves"] = serves - (self._built or began)

    def _hear(self) -> None:
        with self.log.open("w") as log:
            for line in self.process.stdout:
                if line.startswith("build: run, done in"):
                    self._built = time.monotonic()
                if line.startswith("build: "):
                    say(line.strip())
                log.write(line)
                log.flush()

    def _answers(self) -> bool:
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"http://localhost:{self.port}/readyz", timeout=5) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def end(self) -> None:
        """As Ctrl-C does; its PostgreSQL goes with it."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            try:
                self.process.wait(timeout=ENDS_WITHIN_S)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait(timeout=10)
        if (self.place / ".pando/postgres").exists():
            subprocess.run([self.place / "deploy/postgres.sh", "discard", self.place / ".pando/postgres"], env=self.environment,
                           stderr=subprocess.DEVNULL, check=False, timeout=60)


def follow(federation: Federation, folder: Path) -> dict[str, float]:
    """Seconds of each page that was followed. One that goes on from another does in its terminal."""
    from reading import Reader, pages_before

    took, reader = {}, None
    try:
        for page in GOALS.values():
            earlier = pages_before(page)
            if not earlier or earlier[-1] not in took:
                if reader:
                    reader.close()
                shutil.rmtree(federation.place / ".pando/venv", ignore_errors=True)
                reader = Reader(federation, folder, federation.place)
            for each in [*earlier, page]:
                if each not in took:
                    took[each] = reader.follow(f"docs/goals/{each}")
                    say(f"docs/goals/{each}: {took[each]:.1f} s")
    finally:
        if reader:
            reader.close()
    return took


def table(federation: Federation, pages: dict[str, float]) -> str:
    from reading import pages_before

    before = sum(federation.took.values())
    lines = ["| step | seconds |", "|---|---:|", *(f"| {step} | {seconds:.0f} |" for step, seconds in federation.took.items()), "",
             "| the first token in | page | seconds of the page | from the clone on |", "|---|---|---:|---:|"]
    for goal, page in GOALS.items():
        seconds = sum(pages[each] for each in [*pages_before(page), page])
        links = " and ".join(f"[{each.removesuffix('.md').replace('-', ' ')}](goals/{each})" for each in [*pages_before(page), page])
        lines.append(f"| {goal} | {links} | {seconds:.0f} | {before + seconds:.0f} |")
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--checkout", type=Path, default=CHECKOUT)
    options.add_argument("--built", action="store_true")
    options.add_argument("--port", type=int, default=8080)
    options.add_argument("--keep", action="store_true")
    given = options.parse_args()
    if not find_spec("selenium"):
        subprocess.run([CHECKOUT / "deploy/python.sh", CHECKOUT / ".venv", CHECKOUT / "Tests/Interop/requirements.txt"], check=True)
        os.execv(VENV, [VENV, "-B", *sys.argv])
    sys.path.insert(0, str(CHECKOUT / "Tests/Interop"))
    try:
        create_connection(("localhost", given.port), timeout=5).close()
        sys.exit(f"first-token: something listens on port {given.port} already: end it, or name another --port")
    except OSError:
        pass

    from reading import lay_out

    folder, checkout = Path(tempfile.mkdtemp(prefix="pando-first-")), given.checkout.resolve()
    place = folder / "pando"
    federation = Federation(place, given.port, folder)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if given.built:
            lay_out(place, checkout, checkout / ".build/debug/pando")
            federation.serve([".build/debug/pando", "dev"])
        else:
            began = time.monotonic()
            subprocess.run(["git", "clone", "--quiet", "--no-local", checkout, place], check=True)
            federation.took["`git clone`, from this machine"] = time.monotonic() - began
            federation.serve(["make", "run"])
        say(f"serves at port {given.port}")
        try:
            pages = follow(federation, folder)
        except AssertionError as problem:
            sys.exit(f"first-token: {problem}")
        print(table(federation, pages))
    finally:
        federation.end()
        if given.keep:
            say(f"what was made is in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
