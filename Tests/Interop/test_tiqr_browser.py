"""Login by phone as its person sees it: a real Chromium shows QR codes, a simulated phone reads them off the screen, and the pages go on by themselves.

Each page is looked at as in test_browser, and pictured as tiqr-*. Everything here is found by address, field and role, not by the order on the page.
"""
from __future__ import annotations

from urllib.parse import urlencode, urlsplit

import pytest

from application import HOME
from chromium import Chromium
from household import end
from phone import PASSWORD, person
from seeing import (MFA, SOON_S, essential, forget, goes_on, log_in, look_in_german, nothing_for_a_thief, on_screen, one_factor_is_enough, says, shown, somebody_who,
                    text)
from server import Server
from tiqr_phone import LOGGED_IN, UNKNOWN, USED, Challenge, TiqrPhone
from waiting import eventually
from walking import Looked, Walk, screens

PAGES = ("tiqr-login", "tiqr-add", "tiqr-enroll", "tiqr-confirm", "tiqr-first", "tiqr-account", "tiqr-wait", "tiqr-wait-de", "tiqr-offline", "tiqr-wrong-code",
         "tiqr-expired", "tiqr-failed", "tiqr-removed")
BY_PHONE, ADD, OFFLINE = "a[href*='/login/tiqr']", "a[href*='/account/phones/add']", "a[href*='offline=1']"
REMOVING = "/account/phones/remove"
AGAIN, REMOVE = "form[action*='/login/tiqr/again'] button", f"form[action='{REMOVING}'] button"
SUBMIT = "main form button"
OFFER, PASSKEY = "section[aria-labelledby=offer] a[href='/account/passkeys/add']", "form[data-passkey] button"


# What a person does


def enroll(chromium: Chromium, phone: TiqrPhone) -> None:
    """From the page that offers it to the first right answer."""
    chromium.click(SUBMIT)
    phone.enroll(shown(chromium))
    assert eventually(lambda: [link for link in on_screen(chromium) if link.startswith("tiqrauth://")], within_s=SOON_S), text(chromium)
    assert phone.answer(shown(chromium)) == LOGGED_IN


def somebody(server: Server, chromium: Chromium) -> tuple[str, TiqrPhone]:
    """With a phone, and a browser that was never here."""
    phone = TiqrPhone()
    return somebody_who(server, chromium, "/account/phones/add", lambda: enroll(chromium, phone)), phone


# The walk with pictures


@pytest.fixture(scope="module")
def walk(server, chromium, request) -> Walk:
    """The whole way of one person and one phone; the tests below ask what was found."""
    server.admin("accounts", "create", "--username", "bruno.berg", "--password-stdin", "--email", "bruno.berg@example.org", "--name", "Bruno Berg", stdin=PASSWORD)
    walk, phone = Walk(chromium, screens(request.config)), TiqrPhone()
    add(walk, server, phone)
    by_phone(walk, server, phone)
    in_german(walk, server)
    offline(walk, server, phone)
    expired(walk, server, phone)
    failed(walk, server, phone)
    remove(walk, server, phone)
    return walk


def add(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """From the account page: QR code, the phone reads, registers, answers for the first time; back on the account page, where it is listed."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    walk.look("tiqr-login", "Log in with your phone")
    log_in(chromium, "bruno.berg")
    chromium.click(ADD)
    walk.look("tiqr-add", "Set up your phone", "choose a PIN")
    chromium.click(SUBMIT)
    link = shown(chromium)
    assert link.startswith("tiqrenroll://") and urlsplit(chromium.url).path == "/account/phones/wait"
    walk.look("tiqr-enroll", "Scan this code with the app")
    assert phone.read(link)["identity"]["displayName"]
    assert eventually(lambda: says(chromium, "Confirm in the app") and not on_screen(chromium), within_s=SOON_S), "the code is of no more use, and goes away"
    walk.look("tiqr-confirm", "Confirm in the app", "Was it not you")
    phone.register()
    link = shown(chromium)
    assert Challenge.read(link).identity == phone.identity.name
    walk.look("tiqr-first", "Log in for the first time")
    assert phone.answer(link) == LOGGED_IN
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    walk.look("tiqr-account", "Your phone is set up", "Phones for logging in", phone.identity.name[-4:])
    assert chromium.element(REMOVE)
    chromium.open(f"{server.issuer}/logout")
    chromium.click("button[value=logout]")


def by_phone(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """Without a name or a password: the phone says who it is."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    chromium.click(BY_PHONE)
    link, attempt = shown(chromium), chromium.url
    challenge = Challenge.read(link)
    assert challenge.identity is None and challenge.session not in attempt, "the address tells nothing of the challenge"
    walk.look("tiqr-wait", "Scan this code", "Waiting for your phone")
    assert phone.answer(link, phone.wrong_password(link)) == 201
    assert "/login/tiqr/wait" in chromium.url, "a wrong answer changes nothing"
    assert phone.answer(link) == LOGGED_IN
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    assert "Bruno Berg" in chromium.text or "bruno.berg" in chromium.text
    assert phone.answer(link) == USED
    chromium.open(f"{server.issuer}/login?return_to=/account&again=1")
    assert says(chromium, "As last time in this browser:"), chromium.text
    forget(chromium)


def in_german(walk: Walk, server: Server) -> None:
    look_in_german(walk, f"{server.issuer}/login/tiqr?return_to=/account", "tiqr-wait-de", "Scannen Sie diesen Code")


def offline(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """The phone has no network: its person types what it shows, wrongly and rightly."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    link = shown(chromium)
    chromium.click(OFFLINE)
    walk.look("tiqr-offline", "offline phone", "Your ID")
    chromium.type(identity=phone.identity.name, otp=phone.wrong_password(link))
    chromium.click("form[action*='/login/tiqr/otp'] button")
    walk.look("tiqr-wrong-code", "not correct", "4 attempts are left")
    chromium.type(identity=phone.identity.name, otp=phone.password(link))
    chromium.click("form[action*='/login/tiqr/otp'] button")
    assert goes_on(chromium, f"{server.issuer}/account"), f"{chromium.url}\n{chromium.text}"
    forget(chromium)


def expired(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """Nobody came in time: the page says so, and makes another code."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    link = shown(chromium)
    server.sql("update tiqr_authentication set expires_at = now() - interval '1 second' where state = 'pending'")
    assert says(chromium, "expired"), text(chromium)
    assert not on_screen(chromium) and phone.answer(link) == USED
    walk.look("tiqr-expired", "The code has expired")
    chromium.click(AGAIN)
    another = shown(chromium)
    assert Challenge.read(another).session != Challenge.read(link).session
    assert phone.answer(another) == LOGGED_IN
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    forget(chromium)


def failed(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """Five wrong answers end the challenge, and the page says so; the phone is blocked for a while, until an operator helps."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    link = shown(chromium)
    assert [phone.answer(link, phone.wrong_password(link)) for _ in range(5)] == [201, 201, 201, 201, 204]
    assert eventually(lambda: not on_screen(chromium), within_s=SOON_S), "the code is of no more use, and goes away"
    walk.look("tiqr-failed", "too many wrong answers")
    assert chromium.element(AGAIN)
    server.sql(f"update tiqr_identity set blocked_until = null, block_step = 0 where identity = '{phone.identity.name}'")
    forget(chromium)


def remove(walk: Walk, server: Server, phone: TiqrPhone) -> None:
    """By who has shown it; from then on nobody knows it."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    assert phone.answer(shown(chromium)) == LOGGED_IN
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    end(chromium, REMOVING)
    walk.look("tiqr-removed", "The phone is removed", "No phone is set up")
    assert not chromium.driver.find_elements("css selector", REMOVE)
    forget(chromium)
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    assert phone.answer(shown(chromium)) == UNKNOWN


class TestTiqrPages(Looked):
    pages, prefix = PAGES, "tiqr-"


# What else must hold


def test_nothing_needs_scripts(server, chromium, another_browser):
    """Scripts are off: the page asks by itself, and goes on as well. Where a code is typed nothing is asked, so nothing typed is lost."""
    _, phone = somebody(server, chromium)
    plain = another_browser(scripts=False)
    plain.open(f"{server.issuer}/login/tiqr?return_to=/account")
    assert phone.answer(shown(plain)) == LOGGED_IN
    assert goes_on(plain, f"{server.issuer}/account"), plain.url
    forget(plain)
    plain.open(f"{server.issuer}/login/tiqr?return_to=/account")
    link = shown(plain)
    plain.click(OFFLINE)
    assert not plain.driver.find_elements("css selector", "meta[http-equiv=refresh]")
    plain.type(identity=phone.identity.name, otp=phone.password(link))
    plain.click("form[action*='/login/tiqr/otp'] button")
    assert goes_on(plain, f"{server.issuer}/account"), f"{plain.url}\n{plain.text}"


def test_another_browser_gets_nothing(server, chromium, another_browser):
    _, phone = somebody(server, chromium)
    nothing_for_a_thief(server, chromium, another_browser(), f"{server.issuer}/login/tiqr?return_to=/account", lambda link: phone.answer(link) == LOGGED_IN)


def test_an_account_that_requires_its_phone(server, application, chromium):
    """The first login enrols one, the next asks it after the password, and the last phone stays."""
    name, phone = person(server), TiqrPhone()
    server.admin("accounts", "update", name, "--require-factor", "tiqr")
    forget(chromium)
    chromium.open(f"{HOME}/login")
    log_in(chromium, name)
    enroll(chromium, phone)
    assert eventually(lambda: chromium.driver.find_elements("css selector", "button[value=allow]"), within_s=SOON_S), chromium.url
    chromium.click("button[value=allow]")
    assert chromium.url == f"{HOME}/" and application.learn.tokens[-1]["userinfo"]["acr"] == MFA

    forget(chromium)
    chromium.open(f"{HOME}/login")
    log_in(chromium, name)
    link = shown(chromium)
    assert Challenge.read(link).identity == phone.identity.name, "it is known who is asked"
    assert phone.answer(link) == LOGGED_IN
    assert goes_on(chromium, f"{HOME}/"), chromium.url

    chromium.open(f"{server.issuer}/account")
    end(chromium, REMOVING)
    assert "This is your last phone" in chromium.text
    forget(chromium)
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    assert phone.answer(shown(chromium)) == LOGGED_IN, "the phone is still there"


def test_step_up(server, application, chromium):
    """One factor is enough for a login, until an application cannot do without two: then the phone is asked, and nothing else."""
    name, phone = somebody(server, chromium)
    one_factor_is_enough(application, chromium, name)

    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    link = shown(chromium)
    assert not chromium.driver.find_elements("css selector", "[name=password]")
    assert Challenge.read(link).identity == phone.identity.name
    assert phone.answer(link) == LOGGED_IN
    assert goes_on(chromium, f"{HOME}/"), chromium.url
    claims = application.learn.tokens[-1]["userinfo"]
    assert claims["acr"] == MFA and {"mfa", "swk"} <= set(claims["amr"])


def test_step_up_without_a_phone(server, application, chromium):
    """Who has none cannot be asked: the application is told, and nobody is let in with less than it wants."""
    forget(chromium)
    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    log_in(chromium, person(server))
    assert "unmet_authentication_requirements" in chromium.text


def test_another_person_answers(server, application, chromium):
    """A step-up is for who is logged in: a phone that the challenge does not name is refused, and the page stays."""
    (name, phone), (_, stranger) = somebody(server, chromium), somebody(server, chromium)
    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    log_in(chromium, name)
    link = shown(chromium)
    named = link.replace(f"{phone.identity.name}@", "")
    assert stranger.answer(named) == UNKNOWN
    assert on_screen(chromium) == [link]
    assert phone.answer(link) == LOGGED_IN


def test_a_passkey_in_place_of_the_phone(server, chromium, authenticator):
    """As the account page offers it: the phone vouches for the new passkey, may be removed then, and the passkey alone lets its person in."""
    name, phone = somebody(server, chromium)
    account = f"{server.issuer}/account"
    chromium.open(account)
    log_in(chromium, name)
    assert "Log in with a passkey too?" in chromium.text and "you can remove the phone below" in chromium.text, chromium.text
    chromium.click(OFFER)
    # A password alone changes nothing that somebody logs in with.
    assert urlsplit(chromium.url).path.startswith("/login/tiqr") and not authenticator.credentials, chromium.url
    link = shown(chromium)
    assert Challenge.read(link).identity == phone.identity.name and phone.answer(link) == LOGGED_IN
    assert goes_on(chromium, f"{account}/passkeys/add"), chromium.url
    chromium.click(PASSKEY)
    assert goes_on(chromium, account), text(chromium)
    assert "Your passkey is set up" in chromium.text and len(authenticator.credentials) == 1
    assert not chromium.driver.find_elements("css selector", OFFER), "what somebody has is not offered"

    end(chromium, REMOVING)
    assert "The phone is removed" in chromium.text and "No phone is set up" in chromium.text
    forget(chromium)
    chromium.open(f"{server.issuer}/login/passkey?return_to=/account")
    chromium.click(PASSKEY)
    assert goes_on(chromium, account) and name in chromium.text, text(chromium)


def test_a_stolen_phone(server, chromium):
    """An operator blocks it: what it let in is out at once, here the browser that set it up and the one that logged in; and it lets nobody in again."""
    _, phone = somebody(server, chromium)
    chromium.open(f"{server.issuer}/login/tiqr?return_to=/account")
    assert phone.answer(shown(chromium)) == LOGGED_IN
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url

    command = ("tiqr", "identities", "block", "--reason", "stolen")
    dry = server.admin(*command, "--dry-run", "--", phone.identity.name)
    chromium.open(f"{server.issuer}/account")
    assert dry["dry_run"] and dry["browsers_ended"] == 2 and chromium.driver.find_elements("css selector", REMOVE)
    told = server.admin(*command, "--", phone.identity.name)
    assert told["status"] == "blocked" and told["browsers_ended"] == 2
    chromium.open(f"{server.issuer}/account")
    assert "/login" in chromium.url, chromium.url
    assert server.admin(*command, "--", phone.identity.name)["already"]
