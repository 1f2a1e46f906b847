"""Looking at a page in every light: light and dark, at a phone's width and a desktop's, by eye, by Tab and by axe; what is wrong is kept by page."""
from __future__ import annotations

from pathlib import Path

from barriers import barriers
from chromium import DESKTOP, NARROW, PHONE, Chromium

# Sizes and whether it is dark. The narrowest phone there is has the darker half.
CORNERS = ((PHONE, False), (DESKTOP, True), (NARROW, True), (DESKTOP, False))


def allow_scripts(chromium: Chromium, allowed: bool) -> None:
    """Those of pages; DevTools runs its own either way, but what these wait for (axe waits) needs it."""
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=not allowed)


def runs_scripts(chromium: Chromium) -> bool:
    """By what a page says that has one."""
    chromium.open("data:text/html,<p id='said'>plain</p><script>said.textContent = 'scripted'</script>")
    return "plain" not in chromium.text


class Looks:
    """At the pages of one language, which scripts do not help. `every`: axe looks from all corners; else from one, another on each page."""

    def __init__(self, chromium: Chromium, language: str, every: bool, pictures: Path | None = None):
        self.chromium, self.language, self.every, self.pictures = chromium, language, every, pictures
        self.found: dict[str, list[str]] = {}

    def look(self, page: str, *words: str) -> None:
        """At the page that is open, which shows these words; it is as large as a desktop afterwards."""
        chromium = self.chromium
        for word in words:
            assert word in chromium.text, f"{page} in {self.language}, {chromium.url}: no “{word}” in\n{chromium.text}"
        assert page not in self.found, f"{page} is seen twice"
        shown = chromium.ask("document.documentElement.lang")
        found = [] if shown == self.language else [f"speaks {shown}"]
        found += chromium.complaints() + chromium.nameless() + chromium.out_of_reach() + chromium.faint() + chromium.faint(dark=True)
        for size, dark in CORNERS:
            chromium.view(*size, dark)
            width = chromium.ask("document.scrollingElement.scrollWidth")
            found += [f"{width} pixels wide at {size[0]}"] if width > size[0] else []
        found += self.barriers()
        for size, dark in CORNERS if self.pictures else ():
            chromium.picture(self.pictures / f"people-{page}-{self.language}-{size[0]}{'-dark' if dark else ''}.png", *size, dark)
        chromium.view(*DESKTOP)
        self.found[page] = found

    def barriers(self) -> list[str]:
        place, found = len(self.found) % len(CORNERS), []
        allow_scripts(self.chromium, True)
        try:
            for size, dark in CORNERS if self.every else CORNERS[place:place + 1]:
                self.chromium.view(*size, dark)
                found += [f"{size[0]}, {'dark' if dark else 'light'}: {barrier}" for barrier in barriers(self.chromium)]
        finally:
            allow_scripts(self.chromium, False)
        return found
