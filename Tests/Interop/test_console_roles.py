"""The console as auditors, administrators of an institution and owners of services have it, at a real Chromium without scripts: all that the menu leads to, in every light, and what is offered there;
and auditors and owners by keyboard alone.

What administrators do is in test_console.py; what each page and each form answers each role, in Tests/AdministrationTests.
"""
from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import pytest
import requests

from chromium import Chromium
from clients import web_client
from looking import Looks, runs_scripts
from operating import Console, Keyboard, words
from outside_service import OutsideService
from phone import PASSWORD, Phone, Release, person
from seeing import forget
from server import CHECKOUT, Server

OF_SERVICES = {"/admin", "/admin/roles", "/admin/services", "/admin/services/proposals", "/admin/crawl/status", "/admin/events/status", "/admin/audit"}
# What the menu offers: auditors see all of it.
MENUS = {
    "auditor": OF_SERVICES | {"/admin/accounts", "/admin/institutions", "/admin/providers", "/admin/apps", "/admin/instances", "/admin/clients", "/admin/keys",
                              "/admin/tiqr/identities", "/admin/operations/registrations", "/admin/operations", "/admin/passkeys", "/admin/wallets", "/admin/tree",
                              "/admin/why", "/admin/epoch/show", "/admin/config/show"},
    "institution-administrator": OF_SERVICES | {"/admin/accounts", "/admin/institutions", "/admin/apps", "/admin/instances", "/admin/clients", "/admin/tree",
                                                "/admin/why"},
    "service-owner": OF_SERVICES,
}
# The changes that pages offer. Anybody may propose; by the other two auditors are told which apps may, and how the service hears.
OFFERED = {
    "auditor": {"services propose", "services policy", "services stream"},
    "institution-administrator": {"accounts allow", "accounts create", "accounts delete", "accounts import", "accounts invite", "accounts password",
                                  "accounts refuse", "accounts suspend", "accounts update", "apps create", "apps delete", "apps refuse", "apps update",
                                  "apps versions add", "apps versions allow", "apps versions refuse", "clients create", "clients delete",
                                  "clients rotate-secret", "clients update", "crawl run", "events dead drop", "events dead retry", "events retry",
                                  "instances allow", "instances block", "instances refuse", "instances revoke", "instances unblock", "roles grant",
                                  "roles withdraw", "services add", "services check", "services policy", "services propose", "services remove",
                                  "services rotate-secret", "services stream", "services suspend", "services update", "tokens revoke"},
    "service-owner": {"services propose", "services policy", "services stream", "services update", "services rotate-secret", "services check", "crawl run", "events retry",
                      "events dead retry", "events dead drop"},
}
TIMEOUT_S = 30


@dataclass
class School:
    """An institution with somebody who has a phone, and a service of it that called an event wrong; and a person and a service of nobody's."""

    institution: str
    member: str
    stranger: str
    service: OutsideService
    foreign: OutsideService
    # Addresses of one of each kind of thing, and of what is of nobody.
    things: dict[str, str]


def show(kind: str, **named: str) -> str:
    return f"/admin/{kind}/show?{urlencode(named)}"


@pytest.fixture(scope="module")
def school(server) -> School:
    member, stranger = person(server), person(server)
    institution = f"i{member}"
    server.admin("institutions", "create", institution, "--name", "A school")
    server.admin("accounts", "update", member, "--institution", institution)
    release = Release.add(server)
    server.admin("apps", "update", release.app, "--institution", institution)
    client = web_client(server, "Courses", redirect="https://courses.example.org/")["client_id"]
    server.admin("clients", "update", client, "--institution", institution)
    service, foreign = OutsideService(server), OutsideService(server)
    server.admin("services", "update", service.id, "--institution", institution)
    phone, lost = (Phone(server.issuer, release).register().log_in(member) for _ in range(2))
    lost.assertion(service.base)
    server.admin("tokens", "revoke", f"instance:{lost.client_id}", "--reason", "left on a train")
    service.poll(maxEvents=0, setErrs={jti: {"err": "jwtAud", "description": "not for us"} for jti, _, _ in service.poll()})
    things = {
        "account": show("accounts", account=member), "stranger": show("accounts", account=stranger), "institution": show("institutions", institution=institution),
        "app": show("apps", app=release.app), "version": show("apps/versions", app=release.app, version=release.version),
        "instance": show("instances", id=phone.client_id), "client": show("clients", id=client), "service": show("services", service=service.id),
        "foreign": show("services", service=foreign.id), "tree": f"/admin/tree?{urlencode({'node': f'instance:{phone.client_id}'})}"}
    yield School(institution, member, stranger, service, foreign, things)
    for each in (service, foreign):
        server.admin("services", "remove", each.id)


def somebody(server: Server, school: School, role: str) -> str:
    """Who has that role and no other."""
    name = person(server)
    of = {"service-owner": ("--service", school.service.id), "institution-administrator": ("--institution", school.institution)}
    server.admin("roles", "grant", name, role, *of.get(role, ()))
    return name


class Clerk(Console):
    """Somebody at the console who notes what is offered."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.paths = self.menu()
        self.read: dict[str, str] = {}
        self.offered: set[str] = set()
        self.refused: dict[str, str] = {}
        self._followed: set[str] = set()

    def note(self) -> None:
        """Where the links of the open page lead, one for each command: to a form, to something to read, or to a refusal. What a link of the audit trail is about
        may be gone."""
        self.read[self.browser.url] = self.browser.text
        cookies = {cookie["name"]: cookie["value"] for cookie in self.browser.devtools("Network.getCookies", urls=[self.server.issuer])["cookies"]}
        for address in [link.get_attribute("href") for link in self.elements("main a")]:
            path = urlsplit(address).path
            if not path.startswith("/admin") or path in self._followed:
                continue
            self._followed.add(path)
            answer = requests.get(address, cookies=cookies, timeout=TIMEOUT_S, allow_redirects=False)
            assert answer.status_code in (200, 403, 404), f"{address} of {self.browser.url}: {answer.status_code}"
            if answer.status_code == 403:
                self.refused[address] = self.browser.url
            elif f'<form method="post" action="{path}">' in answer.text and path != "/admin/why":
                self.offered.add(" ".join(path.split("/")[2:]))


@pytest.fixture(scope="module", params=MENUS)
def walked(request, server, school, plain) -> tuple[str, Clerk, Looks]:
    """Each page of the menu, and one of each kind of thing that the role may see."""
    role, pictures = request.param, CHECKOUT / ".pando/screens" if request.config.getoption("--screens") else None
    clerk = Clerk(server, plain, somebody(server, school, role))
    looks = Looks(plain, "en", every=True, pictures=pictures)
    for path, label in clerk.paths.items():
        clerk.open(path)
        # A refusal has no menu.
        assert [words(link) for link in clerk.elements("#menu [aria-current]")] == [label], plain.text
        looks.look(f"{role}-{path.removeprefix('/admin').strip('/').replace('/', '-') or 'start'}")
        clerk.note()
    kinds = {"auditor": set(school.things), "institution-administrator": set(school.things) - {"stranger", "foreign"}, "service-owner": {"service"}}[role]
    for kind, address in school.things.items():
        if kind not in kinds:
            continue
        clerk.open(address)
        assert clerk.elements("#menu [aria-current]"), plain.text
        looks.look(f"{role}-one-{kind}")
        clerk.note()
    return role, clerk, looks


def test_every_page_is_right_in_every_light(walked):
    """Console and content security policy; language, title, h1 and names; the Tab key; contrast; 320 pixels and more; axe."""
    role, clerk, looks = walked
    assert set(clerk.paths) == MENUS[role]
    assert {page: found for page, found in looks.found.items() if found} == {}
    assert not runs_scripts(looks.chromium)


def test_what_may_be_done_is_offered_and_nothing_else_is(walked):
    role, clerk, _ = walked
    assert clerk.offered == OFFERED[role]


def test_no_link_leads_to_a_refusal(walked):
    _, clerk, _ = walked
    assert clerk.refused == {}


def test_of_what_is_somebody_elses_nothing_is_shown(walked, school):
    role, clerk, _ = walked
    told = {each: [address for address, text in clerk.read.items() if each in text] for each in (school.stranger, school.foreign.base)}
    assert [bool(pages) for pages in told.values()] == [role == "auditor"] * 2, told


def by_keyboard(server: Server, browser: Chromium, name: str) -> Keyboard:
    """Somebody who has logged in so."""
    forget(browser)
    browser.speak("en")
    browser.open(f"{server.issuer}/admin")
    keyboard = Keyboard(browser)
    keyboard.fill("username", name)
    keyboard.fill("password", PASSWORD)
    keyboard.choose("Log in")
    assert browser.url == f"{server.issuer}/admin", browser.text
    return keyboard


def test_an_auditor_looks_by_keyboard_alone(server, school, plain):
    """From the audit trail to what was done, and to whom: there is no way to do anything oneself."""
    keyboard = by_keyboard(server, plain, somebody(server, school, "auditor"))
    keyboard.choose("Audit trail")
    keyboard.fill("action", "revoke")
    keyboard.choose("Filter")
    assert "left on a train" in plain.element(".table").text
    keyboard.choose("Accounts")
    keyboard.fill("Search", school.member)
    keyboard.choose("Filter")
    keyboard.choose(school.member)
    assert plain.element("h1").text == school.member and not plain.driver.find_elements("css selector", "main .actions, main form")
    plain.open(f"{server.issuer}/admin/accounts/suspend?account={school.member}")
    assert "Suspend" not in plain.element("h1").text
    assert server.admin("accounts", "show", school.member)["status"] == "active"


def test_an_owner_replaces_the_secret_by_keyboard_alone(server, school, plain):
    """Of their service; of another one they are not told that it is there."""
    service, foreign = school.service, school.foreign
    keyboard = by_keyboard(server, plain, somebody(server, school, "service-owner"))
    keyboard.choose("Services")
    assert service.base in plain.text and foreign.base not in plain.text
    keyboard.choose("Learn")
    keyboard.choose("New secret")
    keyboard.fill("Reason", "by keyboard")
    keyboard.choose("Show what this would do")
    keyboard.choose("Yes, do it")
    secret = plain.element(".secret code").text
    asked = [requests.post(f"{server.issuer}/introspect", auth=(service.entry["client_id"], each), data={"token": "none"}, timeout=TIMEOUT_S).status_code
             for each in (service.entry["client_secret"], secret)]
    assert asked == [401, 200]
    plain.open(server.issuer + show("services", service=foreign.id))
    assert plain.element("h1").text and "Learn" not in plain.text and foreign.base not in plain.text
    plain.open(f"{server.issuer}/admin/audit")
    assert "by keyboard" in plain.text
