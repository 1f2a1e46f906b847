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

from chromium import Chromium
from described import Machine
from looking import allow_scripts
from operating import Console
from outside_service import OutsideService
from phone import Phone, Release, person
from remote import Remote
from server import BINARY, CHECKOUT, Server

PAGE = (CHECKOUT / "docs/an-operators-day.md").read_text()
TIMEOUT_S = 60


def lines(title: str, way: str) -> str:
    """What the page has people type under that heading."""
    part = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
    found = re.search(rf"^```sh {way}$(.*?)^```$", part[1], re.M | re.S) if part else None
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
    """One way of doing what a heading of the page says; `done` tells what was told last, as text."""

    def __init__(self, request, server: Server, way: str):
        self.request, self.server, self.way = request, server, way

    def does(self, title: str, by_hand, **named: str) -> str:
        if self.way == "console":
            return by_hand(self.request.getfixturevalue("console"))
        if self.way == "cli":
            remote = self.request.getfixturevalue("remote")
            environment = remote.environment | {"PANDO_SERVER": self.server.issuer}
        else:
            environment = self.server.environment | {"TOKEN": self.request.getfixturevalue("token"), "API": f"{self.server.issuer}/admin/api/v1"}
        script = f"set -e\npando() {{ {BINARY} \"$@\"; }}\n" + lines(title, self.way)
        done = subprocess.run(["bash", "-c", script], cwd=CHECKOUT, env=environment | named, stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture(params=["cli", "api", "console"])
def day(request, server) -> Day:
    return Day(request, server, request.param)


def test_a_service_lost_its_secret(server, day):
    service = OutsideService(server)

    def by_hand(console: Console) -> str:
        console.open(f"/admin/services/show?service={service.id}")
        console.follow("New secret")
        console.goes_through()
        return json.dumps({"client_secret": console.browser.element(".secret code").text})

    secret = json.loads(day.does("A service lost its secret", by_hand, SERVICE=service.id))["client_secret"]
    asked = [requests.post(f"{server.issuer}/introspect", auth=(service.entry["client_id"], each), data={"token": "none"}, timeout=TIMEOUT_S).status_code
             for each in (service.entry["client_secret"], secret)]
    assert asked == [401, 200]
    server.admin("services", "remove", service.id)


def test_an_app_version_leaked(server, day):
    leaked = Release.add(server)
    name, kept = person(server), Phone(server.issuer, Release.add(server, leaked.app, "2")).register()
    lost = Phone(server.issuer, leaked).register().log_in(name)

    def by_hand(console: Console) -> str:
        console.open(f"/admin/apps/show?app={leaked.app}")
        console.open(f"/admin/apps/versions/refuse?app={leaked.app}&version=1")
        console.goes_through()
        return ""

    day.does("An app version leaked", by_hand, APP=leaked.app, VERSION="1")
    kept.log_in(name)
    assert (lost.ask("GET", "/userinfo").status_code, kept.ask("GET", "/userinfo").status_code) == (401, 200)


def test_somebody_leaves(server, day):
    name = person(server)
    phone = Phone(server.issuer, Release.add(server)).register().log_in(name)

    def by_hand(console: Console) -> str:
        console.find(name)
        console.follow("Suspend")
        console.goes_through()
        return ""

    day.does("Somebody leaves", by_hand, PERSON=name)
    assert phone.ask("GET", "/userinfo").status_code == 401
    assert server.admin("accounts", "show", name)["status"] == "suspended"


def test_a_phone_was_stolen(server, day):
    name, release = person(server), Release.add(server)
    stolen, kept = (Phone(server.issuer, release).register().log_in(name) for _ in range(2))

    def by_hand(console: Console) -> str:
        console.find(name)
        console.open_link_to(stolen.client_id)
        console.follow("Block")
        console.goes_through()
        return stolen.client_id

    told = day.does("A phone was stolen", by_hand, PERSON=name, PHONE=stolen.client_id)
    assert stolen.client_id in told
    assert (stolen.ask("GET", "/userinfo").status_code, kept.ask("GET", "/userinfo").status_code) == (401, 200)


def test_an_institution_joins(server, day):
    institution = f"i{secrets.token_hex(4)}.example"
    head = f"h{secrets.token_hex(4)}"

    def by_hand(console: Console) -> str:
        console.open("/admin/institutions/create")
        console.browser.type(institution=institution, name="A school")
        console.goes_through()
        console.open("/admin/accounts/invite")
        console.browser.type(username=head, institution=institution)
        console.goes_through()
        link = console.browser.element(".secret code").text
        console.open("/admin/roles/grant")
        console.browser.type(account=head, institution=institution)
        console.browser.type(role="institution-administrator")
        console.goes_through()
        return link

    told = day.does("An institution joins", by_hand, INSTITUTION=institution, HEAD=head)
    link = re.search(re.escape(server.issuer) + r"/[^\s\"]+", told)
    assert link, told
    assert [(each["role"], each["institution"]) for each in server.admin("roles", "list", "--account", head)["items"]] == [("institution-administrator", institution)]
    assert server.admin("accounts", "show", head)["institution"] == institution
    assert requests.get(link[0], timeout=TIMEOUT_S).status_code == 200
