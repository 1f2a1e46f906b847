"""Walking through pages with a browser: each is looked at, pictured, and checked; what is wrong is kept by page."""
from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest
from PIL import Image

from chromium import DESKTOP, PHONE, Chromium
from server import CHECKOUT

COMMITTED = Path(__file__).with_name("screens")
BYTES_AT_MOST = 3_000_000


def screens(config) -> Path:
    """Where pictures go: among those that are committed, or into .pando."""
    return COMMITTED if config.getoption("--screens") else CHECKOUT / ".pando/screens"


@dataclass
class Findings:
    """What is wrong, by page."""

    complaints: dict[str, list[str]] = field(default_factory=dict)
    too_wide: dict[str, list[str]] = field(default_factory=dict)
    faint: dict[str, list[str]] = field(default_factory=dict)
    nameless: dict[str, list[str]] = field(default_factory=dict)
    out_of_reach: dict[str, list[str]] = field(default_factory=dict)


class Walk:
    """One browser and what it finds."""

    def __init__(self, chromium: Chromium, screens: Path, also_dark: tuple[str, ...] = ()):
        self.chromium, self.screens, self.findings, self.also_dark = chromium, screens, Findings(), also_dark
        self.pages: list[str] = []

    def look(self, page: str, *words: str) -> None:
        """At the page that is open, which shows these words: pictures, and every check there is."""
        for word in words:
            assert word in self.chromium.text, f"{page}, {self.chromium.url}: no “{word}” in\n{self.chromium.text}"
        for dark in (False, True) if page in self.also_dark else (False,):
            for name, size in (("desktop", DESKTOP), ("phone", PHONE)):
                self.chromium.picture(self.screens / f"{page}-{name}{'-dark' if dark else ''}.png", *size, dark)
        self.pages.append(page)
        self.findings.complaints[page] = self.chromium.complaints()
        self.findings.too_wide[page] = self.chromium.too_wide()
        self.findings.faint[page] = self.chromium.faint() + self.chromium.faint(dark=True)
        self.findings.nameless[page] = self.chromium.nameless()
        self.findings.out_of_reach[page] = self.chromium.out_of_reach()


def only(findings: dict[str, list[str]]) -> dict[str, list[str]]:
    return {page: found for page, found in findings.items() if found}


def pictures_are_of(folder: Path, pages: tuple[str, ...], also_dark: tuple[str, ...] = (), leaving: tuple[str, ...] = (),
                    only_of: str = "") -> None:
    """One of each page for desktop and phone and no others, all of them small. `leaving` those that begin so, or `only_of` some."""
    expected = {f"{page}-{size}{dark}.png" for page in pages for size in ("desktop", "phone") for dark in (("", "-dark") if page in also_dark else ("",))}
    pictures = {file.name: file for file in folder.glob(f"{only_of}*.png") if not file.name.startswith(leaving)}
    assert set(pictures) == expected, (folder, sorted(set(pictures) ^ expected))
    assert sum(file.stat().st_size for file in pictures.values()) < BYTES_AT_MOST
    for name, file in pictures.items():
        (width, height), least = Image.open(file).size, DESKTOP if "desktop" in name else PHONE
        assert width == least[0] and height >= least[1], name


class Looked:
    """The tests of a walk, for a class `Test…` of the module that has it: everything is right with its pages."""

    pages: tuple[str, ...] = ()
    # What the names of all of them begin with.
    prefix = ""

    def test_every_page_was_seen(self, walk):
        assert sorted(walk.pages) == sorted(self.pages), sorted(set(walk.pages) ^ set(self.pages))

    @pytest.mark.parametrize("kind", ["complaints", "too_wide", "faint", "nameless", "out_of_reach"])
    def test_nothing_is_wrong_with_a_page(self, walk, kind):
        """Console and content security policy; 320 pixels; contrast; names; the Tab key: see test_browser."""
        found = only(getattr(walk.findings, kind))
        assert not found, found

    def test_pictures(self, walk):
        """One of each page for desktop and phone; those that are committed are of the same pages, and small."""
        for folder in {walk.screens, COMMITTED}:
            pictures_are_of(folder, self.pages, only_of=self.prefix)
