"""Somebody who follows a page of docs/ to the letter: copies its files, runs its lines, and looks at what is seen.

A page is read from its first fence to its last, in a folder of its own that looks like the checkout and holds what the page made and nothing else:

```sh run       is run by one shell, which is kept for the page as a terminal is
```python FILE is saved as FILE, without a name as .pando/page.py; the next fence of that name goes behind it
```text seen   stands in what the last lines printed, in this order; … is anything
```text browser is done in Chromium: open URL, press WORDS, log in as NAME with PASSWORD, see WORDS

The reader changes two things: port 8080 is that of the server, and ports 7300 to 7399, where pages serve things of their own, are free ones.
What a page wants of Python it installs itself: pip is asked, and nothing is there but what Debian has.
"""
from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from queue import Empty, Queue

from selenium.webdriver.common.by import By

from chromium import Chromium
from server import BINARY, CHECKOUT, Server, free_port
from waiting import eventually

FENCE = re.compile(r"^```(sh run|python(?: \S+)?|text seen|text browser)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
GOES_ON = re.compile(r"^This page goes on from \[[^\]]+\]\(([\w-]+\.md)\)", re.MULTILINE)
WITHIN_S = 180


def bare_path(path: str) -> str:
    """Where programs are looked for by somebody who has just cloned: Debian's Python comes first, which lets nobody install anything (PEP 668), and what these
    tests have installed for themselves is not there."""
    system = ["/usr/bin", "/bin"]
    return ":".join(system + [folder for folder in path.split(":") if folder not in (*system, os.path.dirname(sys.executable))])


def lay_out(place: Path, checkout: Path, binary: Path) -> None:
    """A folder that looks like a checkout in which that was built, and has nothing else."""
    place.mkdir()
    for entry in checkout.iterdir():
        if not entry.name.startswith("."):
            (place / entry.name).symlink_to(entry)
    (place / ".build/debug").mkdir(parents=True)
    (place / ".build/debug/pando").symlink_to(binary)
    (place / ".pando").mkdir()


def pages_before(page: str) -> list[str]:
    """The pages of docs/goals that this one of them goes on from, the first first."""
    earlier = GOES_ON.search((CHECKOUT / "docs/goals" / page).read_text())
    return [*pages_before(earlier[1]), earlier[1]] if earlier else []


class Reader:
    """Follows pages one behind the other, as where one says that it goes on from another; in `place`, or in a folder that looks like the checkout."""

    def __init__(self, server: Server, folder: Path, place: Path | None = None):
        self.server, self.folder = server, Path(tempfile.mkdtemp(dir=folder))
        self.place = place or self.folder / "checkout"
        if place is None:
            lay_out(self.place, CHECKOUT, BINARY)
        self.ports = {"8080": str(server.port)}
        self.printed, self.blocks, self._browser, self._saved = "", 0, None, set()
        self._lines: Queue = Queue()
        # Aliases are known to terminals only, unless one says so; our proxies are for the world.
        environment = server.environment | {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {"PATH": bare_path(environment["PATH"])}
        for ours in ("VIRTUAL_ENV", "PYTHONHOME", "PYTHONPATH"):
            environment.pop(ours, None)
        self.shell = subprocess.Popen(["bash", "-euo", "pipefail", "-O", "expand_aliases"], cwd=self.place, env=environment, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        for line in self.shell.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def close(self) -> None:
        """With all that the page left running."""
        if self._browser:
            self._browser.close()
        try:
            os.killpg(self.shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.shell.wait(timeout=10)

    def here(self, text: str) -> str:
        """With the ports of this run."""
        def port(found: re.Match) -> str:
            return self.ports.setdefault(found[0], "") or self.ports.update({found[0]: str(free_port())}) or self.ports[found[0]]
        return re.sub(r"\b(8080|73\d\d)\b", port, text)

    def follow(self, page: str) -> float:
        """Seconds that it took."""
        began, fences = time.monotonic(), FENCE.findall((self.place / page).read_text())
        assert fences, f"{page} has nothing to follow"
        for kind, text in fences:
            name, _, detail = kind.partition(" ")
            try:
                {"sh": self._run, "python": lambda text: self._save(detail or ".pando/page.py", text), "text": {"seen": self._seen, "browser": self._browse}.get(detail)}[name](
                    self.here(text))
            except AssertionError as problem:
                raise AssertionError(f"{page}:\n{text}\n{problem}") from None
        return time.monotonic() - began

    def _run(self, text: str) -> None:
        self.blocks += 1
        script = self.folder / f"block-{self.blocks}.sh"
        script.write_text(text)
        ended = f"block {self.blocks} has ended"
        self.shell.stdin.write(f". {script} </dev/null\necho; echo '{ended}'\n")
        self.shell.stdin.flush()
        self.printed, deadline = "", time.monotonic() + WITHIN_S
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except Empty:
                raise AssertionError(f"does not end; it printed\n{self.printed}") from None
            assert line is not None, f"left {self.shell.wait(timeout=10)}; it printed\n{self.printed}"
            if line.strip() == ended:
                return
            self.printed += line

    def _save(self, name: str, text: str) -> None:
        file = self.place / name
        assert file.resolve().is_relative_to(self.place.resolve()), "a page writes into its own folder"
        with file.open("a" if name in self._saved else "w") as out:
            out.write(("\n\n" if name in self._saved else "") + text)
        self._saved.add(name)

    def _seen(self, text: str) -> None:
        shown = ".*".join(re.escape(line.strip()).replace("…", "[^\n]*") for line in text.strip().splitlines())
        assert re.search(shown, self.printed, re.DOTALL), f"was not seen in\n{self.printed}"

    # In the browser

    def _browse(self, text: str) -> None:
        self._browser = self._browser or Chromium(Path(tempfile.mkdtemp(dir=self.folder)), {})
        for line in text.strip().splitlines():
            verb, _, rest = line.strip().partition(" ")
            {"open": self._open, "press": self._press, "log": self._log_in, "see": self._see}[verb](rest)

    def _open(self, url: str) -> None:
        # Programs that the page has just started in the background need a moment.
        assert eventually(lambda: self._answers(url), within_s=30), f"nothing answers at {url}"
        self._browser.open(url)

    def _answers(self, url: str) -> bool:
        try:
            self._browser.open(url)
        except Exception:  # refused connections, in Chromium's words
            return False
        return "ERR_CONNECTION_REFUSED" not in self._browser.text

    def _press(self, words: str) -> None:
        def named():
            # The last: behind words that open something stand the same on the button that does it.
            every = self._browser.driver.find_elements(By.CSS_SELECTOR, "button, a, summary")
            fitting = [element for element in every if element.is_displayed() and " ".join(element.get_property("textContent").split()) == words]
            return fitting[-1] if fitting else None
        control = eventually(named, within_s=30, every_s=0.1)
        assert control, f"there is no “{words}” at {self._browser.url}, where one reads\n{self._browser.text}"
        control.click()

    def _log_in(self, words: str) -> None:
        name, password = re.fullmatch(r"in as (\S+) with (.+)", words).groups()
        assert eventually(lambda: self._browser.driver.find_elements(By.NAME, "password"), within_s=30), self._browser.text
        self._browser.type(username=name, password=password)
        self._browser.click("main button")

    def _see(self, words: str) -> None:
        assert eventually(lambda: words in self._browser.text, within_s=30), f"“{words}” is not at {self._browser.url}, where one reads\n{self._browser.text}"
