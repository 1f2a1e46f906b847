"""docs/an-operators-day.md: five things that happen, each on a command line, by a program and in the console, as the page has them."""
from __future__ import annotations

import json
import re
import secrets
import subprocess
import tempfile
from pathlib import Path

import pytest
import requests

from browsing import Browser
from chromium import Chromium
from described import Machine
from looking import allow_scripts
from operating import Console
from outside_service import OutsideService
from phone import Phone, Release, person
from remote import Remote
from server import BINARY, CHECKOUT, Server

PAGE = (CHECKOUT / "docs/an-operators-day.md").read_text()
# What it has people type, and which labels it has them press: the last is a button.
WRITTEN = {"cli": r"^```sh cli$(.*?)^```$", "api": r"^```sh api$(.*?)^```$", "console": r"^Console: ([^\n]*?\*)\.(?=\s)"}
TIMEOUT_S = 60


def written(title: str, way: str) -> str:
    """What the page says under that heading."""
    part = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    found = re.search(WRITTEN[way], part[1], re.M | re.S) if part else None
    assert found, f"no {way} under “{title}”"
    return found[1]


@pytest.fixture(scope="module")
def administrator(server) -> str:
    name = person(server)
    server.admin("roles", "grant", name, "administrator")
    return name


@pytest.fixture(scope="module")
def token(server) -> str:
    return Machine.add(server, "admin").token(f"{server.issuer}/admin/api/v1")


@pytest.fixture(scope="module")
def remote(server, folder, administrator) -> Remote:
    remote = Remote(server, Path(tempfile.mkdtemp(dir=folder)))
    remote.log_in(administrator)
    return remote


@pytest.fixture(scope="module")
def console(server, folder, administrator) -> Console:
    browser = Chromium(Path(tempfile.mkdtemp(dir=folder)), {})
    allow_scripts(browser, False)
    yield Console(server, browser, administrator)
    browser.close()


class Day:
    """One way of doing what a heading of the page says."""

    def __init__(self, request, server: Server, place: str):
        self.request, self.server, self.place = request, server, place

    def does(self, title: str, **named: str) -> str:
        """All that was printed; of the console what it shows once."""
        if self.place == "console":
            return "\n".join(self.request.getfixturevalue("console").does(written(title, "console"), **named))
        script = f"set -e\npando() {{ {BINARY} \"$@\"; }}\n" + written(title, "api" if self.place == "api" else "cli")
        done = subprocess.run(["bash", "-c", script], cwd=CHECKOUT, env=self.environment() | named, stdin=subprocess.DEVNULL, text=True, capture_output=True,
                              timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def environment(self) -> dict[str, str]:
        """By the page's first table."""
        if self.place == "from afar":
            return self.request.getfixturevalue("remote").environment | {"PANDO_SERVER": self.server.issuer}
        if self.place == "api":
            return self.server.environment | {"TOKEN": self.request.getfixturevalue("token"), "API": f"{self.server.issuer}/admin/api/v1"}
        return self.server.environment

    def left(self, action: str, reason: str) -> bool:
        """Whether that is the latest line of the audit trail about it."""
        line = self.server.admin("audit", "list", "--action", action, "--limit", "1")["items"][0]
        return (line["action"], line["outcome"], line["reason"]) == (action, "done", reason)


@pytest.fixture(params=["at the server", "from afar", "api", "console"])
def day(request, server) -> Day:
    return Day(request, server, request.param)


def test_a_service_lost_its_secret(server, day):
    service = OutsideService(server)
    told = day.does("A service lost its secret", SERVICE=service.id)
    secret = told if day.place == "console" else json.loads(told)["client_secret"]
    asked = [requests.post(f"{server.issuer}/introspect", auth=(service.entry["client_id"], each), data={"token": "none"}, timeout=TIMEOUT_S).status_code
             for each in (service.entry["client_secret"], secret)]
    assert asked == [401, 200] and day.left("services.rotate-secret", "stood in a repository")
    server.admin("services", "remove", service.id)


def test_an_app_version_leaked(server, day):
    leaked = Release.add(server)
    name, kept = person(server), Phone(server.issuer, Release.add(server, leaked.app, "2")).register()
    lost = Phone(server.issuer, leaked).register().log_in(name)
    day.does("An app version leaked", APP=leaked.app, VERSION="1")
    kept.log_in(name)
    assert (lost.ask("GET", "/userinfo").status_code, kept.ask("GET", "/userinfo").status_code) == (401, 200)
    assert day.left("apps.versions.refuse", "its key was published")
    assert server.admin("apps", "show", leaked.app)["status"] != "refused", "the app itself was refused"


def test_somebody_leaves(server, day):
    name = person(server)
    phone = Phone(server.issuer, Release.add(server)).register().log_in(name)
    day.does("Somebody leaves", PERSON=name)
    assert phone.ask("GET", "/userinfo").status_code == 401
    assert server.admin("accounts", "show", name)["status"] == "suspended" and day.left("accounts.suspend", "has left")


def test_a_phone_was_stolen(server, day):
    name, release = person(server), Release.add(server)
    stolen, kept = (Phone(server.issuer, release).register().log_in(name) for _ in range(2))
    told = day.does("A phone was stolen", PERSON=name, PHONE=stolen.client_id)
    assert day.place == "console" or stolen.client_id in told
    assert (stolen.ask("GET", "/userinfo").status_code, kept.ask("GET", "/userinfo").status_code) == (401, 200)
    assert day.left("instances.block", "stolen")


def test_an_institution_joins(server, day):
    """Its head comes by the link, which is good once, and sees the institution."""
    institution, head = f"i{secrets.token_hex(4)}.example", f"h{secrets.token_hex(4)}"
    told = day.does("An institution joins", INSTITUTION=institution, HEAD=head)
    link = re.search(re.escape(server.issuer) + r"/[^\s\"]+", told)
    assert link, told
    assert [(each["role"], each["institution"]) for each in server.admin("roles", "list", "--account", head)["items"]] == [("institution-administrator", institution)]
    assert server.admin("accounts", "show", head)["institution"] == institution
    browser = Browser(server.issuer, head)
    assert browser.walk(link[0]).status == 200
    assert not Browser(server.issuer, head).open(link[0]).forms, "the link is good twice"
    seen = browser.walk(f"{server.issuer}/admin/institutions")
    assert seen.status == 200 and institution in seen.text, seen.text
