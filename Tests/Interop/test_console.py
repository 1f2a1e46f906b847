"""The console at a real Chromium without scripts: an administrator in each of four languages, what they do there, and an institution's administrator.

What each page answers each role is in Tests/AdministrationTests; here it is seen, and walked by hand and by keyboard. Each role's pages: test_console_roles.py.
"""
from __future__ import annotations


import pytest
import requests

from demo_service import DemoService
from keys import kid
from looking import Looks, runs_scripts
from operating import Console, Keyboard
from outside_service import OutsideService
from phone import Phone, Release, person
from seeing import forget, log_in
from server import CHECKOUT

# Pages that every language is seen on, with the h1 of the list of accounts.
TITLES = {"en": "Accounts", "de": "Konten", "fr": "Comptes", "it": "Account"}
PAGES = {"start": "/admin", "accounts": "/admin/accounts", "new-account": "/admin/accounts/create", "apps": "/admin/apps", "services": "/admin/services",
         "keys": "/admin/keys", "events": "/admin/events/status"}


@pytest.fixture(scope="module")
def administrator(server) -> str:
    name = person(server)
    server.admin("roles", "grant", name, "administrator")
    return name


@pytest.fixture
def console(server, plain, administrator) -> Console:
    return Console(server, plain, administrator)


@pytest.mark.parametrize("language", TITLES)
def test_the_main_pages_are_right_in_every_light(server, plain, administrator, language, request):
    """Console and content security policy; language, title, h1 and names; the Tab key; contrast; 320 pixels and more; axe."""
    Console(server, plain, administrator)
    plain.speak(f"{language}-CH, {language};q=0.9" if language != "en" else "en")
    pictures = CHECKOUT / ".pando/screens" if request.config.getoption("--screens") else None
    looks = Looks(plain, language, every=language == "en", pictures=pictures)
    for name, page in PAGES.items():
        plain.open(f"{server.issuer}{page}")
        looks.look(f"console-{name}")
    plain.open(f"{server.issuer}/admin/accounts")
    assert plain.element("h1").text == TITLES[language]
    assert {page: found for page, found in looks.found.items() if found} == {}
    assert not runs_scripts(plain)


def test_a_person_is_found_and_suspended_after_a_look_at_what_ends(server, console):
    release, name = Release.add(server), person(server)
    phone = Phone(server.issuer, release).register().log_in(name)
    looks = Looks(console.browser, "en", every=True)
    console.find(name)
    looks.look("console-person", name)
    console.follow("Suspend")
    looks.look("console-suspend", name)
    console.browser.type(reason="has left")
    console.press("preview")
    looks.look("console-preview", "What this would do", "token", name)
    assert phone.ask("GET", "/userinfo").status_code == 200
    console.press("confirm")
    looks.look("console-suspended", "Done.", "suspended")
    assert phone.ask("GET", "/userinfo").status_code == 401
    assert server.admin("accounts", "show", name)["status"] == "suspended"
    assert {page: found for page, found in looks.found.items() if found} == {}


def test_somebody_is_invited_by_keyboard_alone(server, console):
    """The link stands on that page, and on no other."""
    name, browser = f"k{person(server)}", console.browser
    console.open("/admin/accounts/invite")
    keyboard = Keyboard(browser)
    keyboard.fill("Username", name)
    keyboard.choose("Save")
    link = browser.element(".secret code").text
    assert link.startswith(server.issuer)
    console.find(name)
    assert link not in browser.driver.page_source
    forget(browser)
    browser.open(link)
    assert name in browser.text


def test_a_leaked_app_version_is_refused_and_another_goes_on(server, console):
    leaked = Release.add(server)
    other = Release.add(server, leaked.app, "2")
    name = person(server)
    lost, kept = (Phone(server.issuer, release).register().log_in(name) for release in (leaked, other))
    console.open(f"/admin/apps/show?app={leaked.app}")
    assert "Versions" in console.browser.text
    console.open(f"/admin/apps/versions/refuse?app={leaked.app}&version=1")
    assert "Every phone with this version is logged out at once" in console.browser.text
    console.press("preview")
    assert "end" in console.browser.element(".ends").text
    console.press("confirm")
    assert (lost.ask("GET", "/userinfo").status_code, kept.ask("GET", "/userinfo").status_code) == (401, 200)


def test_a_service_is_approved_after_a_look_at_its_document(server, console):
    """Entered here, read by the crawler, and approved: apps get nothing for it before that."""
    looks = Looks(console.browser, "en", every=True)
    phone = Phone(server.issuer, Release.add(server)).register().log_in(person(server))
    with DemoService(server, server.issuer) as service:
        name = f"walked-{service.port}"
        entered = f"*Services* → *Add* → *Address* `{service.base}` → *Name* `Walked to` → *Id* `{name}` → *Allow loopback* *yes* → *Save*"
        assert len(console.does(entered)) == 1, "its secret"
        console.does("*Services* → the service", SERVICE=name)
        looks.look("console-service-pending", "Walked to", "pending", "Service documents")
        console.choose("Read now")
        console.choose("Save")
        console.does("*Services* → the service", SERVICE=name)
        looks.look("console-service-read", "pending", "Document as read (RSD)", "org.example.greetings")
        assert phone.ask("POST", "/authorization", data={"response_type": "code", "redirect_uri": service.base}).status_code >= 400
        console.choose("Approve")
        looks.look("console-approve", "Apps find the service from now on")
        console.choose("Save")
        looks.look("console-approved", "Done.", "active")
        assert phone.open(service.base)["access_token"]
        server.admin("services", "remove", name)
    assert {page: found for page, found in looks.found.items() if found} == {}


def test_events_that_were_given_up_are_sent_again_or_forgotten(server, console):
    """Two, which the service called wrong: it takes the one when it comes again, and never hears of the other."""
    looks = Looks(console.browser, "en", every=True)
    service, release = OutsideService(server), Release.add(server)
    phones = [Phone(server.issuer, release).register().log_in(person(server)) for _ in range(2)]
    for phone in phones:
        phone.assertion(service.base)
        server.admin("tokens", "revoke", f"instance:{phone.client_id}", "--reason", "interop")
    letters = [jti for jti, _, _ in service.poll()]
    service.poll(maxEvents=0, setErrs={jti: {"err": "jwtAud", "description": "not for us"} for jti in letters})
    again, never = letters
    console.does("*Delivery of events* → the service", SERVICE=service.id)
    looks.look("console-dead", "Events given up", "jwtAud: not for us")
    console.choose_of(again, "Try again")
    looks.look("console-retry", again)
    console.choose("Save")
    assert [jti for jti, _, _ in service.poll()] == [again]
    service.poll(maxEvents=0, ack=[again])
    console.does("*Delivery of events* → the service", SERVICE=service.id)
    console.choose_of(never, "Forget")
    console.choose("Show what this would do")
    looks.look("console-forget", never)
    assert service.status()["dead"] == 1
    console.choose("Yes, do it")
    assert (service.status()["dead"], service.poll(returnImmediately=True)) == (0, [])
    console.does("*Delivery of events* → the service", SERVICE=service.id)
    assert "jwtAud" not in console.browser.text
    server.admin("services", "remove", service.id)
    assert {page: found for page, found in looks.found.items() if found} == {}


def signers(server) -> dict[str, str]:
    """The keys of the first algorithm, by what they are."""
    return {key["status"]: key["kid"] for key in server.admin("keys", "list")["items"] if key["alg"] == "ES256"}


def test_signing_keys_are_rotated(own_server, plain):
    """Not before the next one was announced for long enough, unless somebody says so; what was signed before lives on."""
    name, before = person(own_server), signers(own_server)
    own_server.admin("roles", "grant", name, "administrator")
    phone = Phone(own_server.issuer, Release.add(own_server)).register().log_in(name)
    console = Console(own_server, plain, name)
    looks = Looks(plain, "en", every=True)
    console.does("*Signing keys* → *Rotate* → *Reason* `a year has gone` → *Save*")
    assert plain.element("#problem").text and signers(own_server) == before
    console.fill("Now", "yes")
    console.choose("Show what this would do")
    looks.look("console-rotate", before["next"])
    assert signers(own_server) == before
    console.choose("Yes, do it")
    looks.look("console-rotated", "Done.", "retiring")
    after = signers(own_server)
    assert (after["retiring"], after["active"]) == (before["active"], before["next"]) and after["next"] not in before.values()
    published = {key["kid"] for key in requests.get(f"{own_server.issuer}/jwks.json", timeout=30).json()["keys"]}
    assert set(after.values()) <= published
    assert phone.ask("GET", "/userinfo").status_code == 200
    assert kid(phone.pat["access_token"]) == before["active"] and kid(phone.refresh(phone.pat)["access_token"]) == after["active"]
    assert {page: found for page, found in looks.found.items() if found} == {}


def test_a_lost_secret_of_a_service_is_replaced(server, console):
    service = OutsideService(server)
    console.open(f"/admin/services/show?service={service.id}")
    console.follow("New secret")
    console.goes_through()
    secret = console.browser.element(".secret code").text
    console.open(f"/admin/services/show?service={service.id}")
    assert len(secret) > 20 and secret not in console.browser.driver.page_source


def test_an_administrator_of_an_institution_sees_that_institution_alone(server, plain):
    outside, inside, head = person(server), person(server), person(server)
    institution = f"i{inside}"
    server.admin("institutions", "create", institution, "--name", "A school")
    for name in (inside, head):
        server.admin("accounts", "update", name, "--institution", institution)
    server.admin("roles", "grant", head, "institution-administrator", "--institution", institution)
    console = Console(server, plain, head)
    console.find(inside)
    console.open("/admin/accounts")
    assert outside not in plain.text
    console.open(f"/admin/accounts/show?account={outside}")
    assert "Suspend" not in plain.text
    console.open("/admin/keys/rotate")
    assert plain.element("h1").text and "Rotate" not in plain.element("h1").text


def test_who_has_no_role_is_told_so(server, plain):
    forget(plain)
    plain.complaints()  # of the pages before, one of which is to be 404
    plain.speak("en")
    plain.open(f"{server.issuer}/admin/accounts")
    log_in(plain, person(server))
    looks = Looks(plain, "en", every=True)
    looks.look("console-no-role", "You have no role here")
    # The browser tells of statuses, too; that of this page is to be 403.
    assert [line for line in looks.found["console-no-role"] if "403 (Forbidden)" not in line] == []
