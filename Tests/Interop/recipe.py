"""docs/recipes.md as tests follow it: what it says goes to the command line and into the product, with the tests' addresses in place of its own.

A section is a product. Its fences begin with a language, and with a word where there are several of one kind. The page's issuer is
https://id.example.org, and `CLIENT_ID`, `CLIENT_SECRET` are what `clients create` prints.
"""
from __future__ import annotations

import json
import re
import shlex
import subprocess
from urllib.parse import quote

from chromium import Chromium
from phone import PASSWORD
from server import BINARY, CHECKOUT, Server

ISSUER = "https://id.example.org"


class Recipe:
    """The section `heading` of a page. `changes` are words of the page with what stands for them here, such as its addresses."""

    def __init__(self, server: Server, heading: str, page: str = "docs/recipes.md", **changes: str):
        text = (CHECKOUT / page).read_text()
        sections = re.split(r"^## (.*)$", text, flags=re.MULTILINE)[1:]
        self.server, self.page, self.sections = server, page, dict(zip(sections[::2], sections[1::2]))
        self.turn_to(heading)
        self.changes: dict[str, str] = {ISSUER: server.issuer, quote(ISSUER, ""): quote(server.issuer, "")} | changes

    def turn_to(self, heading: str) -> None:
        """To another section of the page; what was changed stays so."""
        self.section = self.sections[heading]

    def fence(self, label: str) -> str:
        """The one that begins with ```label, as it is to be used here."""
        found = re.findall(rf"^```{label}\n(.*?)^```$", self.section, re.DOTALL | re.MULTILINE)
        assert len(found) == 1, f"{len(found)} blocks of ```{label} in {self.page}"
        return self.changed(found[0])

    def changed(self, text: str) -> str:
        """Words where they stand alone: `OIDC_RP_CLIENT_ID` is no `CLIENT_ID`."""
        for word, here in self.changes.items():
            text = re.sub(rf"(?<!\w){re.escape(word)}" + (r"(?!\w)" if word[-1].isalnum() else ""), lambda _: here, text)
        return text

    def create(self, label: str = "sh", options: str = "") -> dict:
        """What the first of the operator's lines in this block makes; its id and secret are what the other blocks name from then on."""
        shim = f"pando() {{ {shlex.quote(str(BINARY))} \"$@\" {options} --json; }}\n"
        finished = subprocess.run(["bash", "-euo", "pipefail", "-c", shim + self.fence(label)], cwd=CHECKOUT, env=self.server.environment, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        assert finished.returncode == 0, f"{self.fence(label)}\n{finished.stderr}"
        made, _ = json.JSONDecoder().raw_decode(finished.stdout)
        self.changes |= {"CLIENT_ID": made["client_id"], "CLIENT_SECRET": made.get("client_secret") or ""}
        return made


def log_in(chromium: Chromium, username: str) -> None:
    """Where an application has sent somebody: password, and consent."""
    assert chromium.driver.find_elements("name", "password"), f"no login at {chromium.url}: {chromium.text}"
    chromium.type(username=username, password=PASSWORD)
    chromium.click("main button")
    allow(chromium)


def allow(chromium: Chromium) -> None:
    assert chromium.driver.find_elements("css selector", "button[value=allow]"), f"no consent at {chromium.url}: {chromium.text}"
    chromium.click("button[value=allow]")
