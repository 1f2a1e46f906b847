"""Login approved on the phone as its person sees it: a real Chromium shows QR codes, a simulated phone of the operations SDK reads them off the screen.

Each page is looked at as in test_browser, and pictured as operations-*. Everything here is found by address, field and role, not by the order on the page.
"""
from __future__ import annotations

import time
from urllib.parse import urlencode, urlsplit

import pytest

from application import HOME
from chromium import Chromium
from household import end
from phone import PASSWORD, person
from powerauth_phone import Nearness, PowerAuthPhone, Refused
from seeing import (MFA, SOON_S, essential, forget, goes_on, log_in, look_in_german, nothing_for_a_thief, on_screen, one_factor_is_enough, says, shown, somebody_who,
                    text)
from server import Server
from waiting import eventually
from walking import Looked, Walk, screens

PAGES = ("operations-login", "operations-add", "operations-configuration", "operations-scan", "operations-compare", "operations-account", "operations-wait",
         "operations-wait-de", "operations-rejected", "operations-expired", "operations-failed", "operations-removed")
BY_APP, ADD = "a[href*='/login/approval']", "a[href*='/account/approvals/add']"
REMOVING = "/account/approvals/remove"
AGAIN, REMOVE = "form[action*='/login/approval/again'] button", f"form[action='{REMOVING}'] button"
SAME, CANCEL = "form[action*='/account/approvals/confirm'] button", "form[action*='/account/approvals/cancel'] button"
SUBMIT, ANYBODY = "main form button", "/login/approval?return_to=/account"
APPROVED, REFUSED = 200, 401
# A proximity code is another one every half minute, and so is the page.
STEP_S, LOOK_S = 30, 12


# What a person does


def configured(server: Server) -> PowerAuthPhone:
    """With an app that was built for this server."""
    built = server.admin("operations", "config")
    return PowerAuthPhone(built["url"], built["sdk_config"])


def at_rest(chromium: Chromium) -> str:
    """What the QR code of a login says, with time to look at the page before it changes."""
    left = STEP_S - time.time() % STEP_S
    if left < LOOK_S:
        time.sleep(left + 1)
    return shown(chromium)


def grouped(digits: str) -> str:
    return f"{digits[:4]} {digits[4:]}"


def set_up(chromium: Chromium, phone: PowerAuthPhone) -> None:
    """From the page that offers it to the digits that are the same."""
    chromium.click(SUBMIT)
    phone.activate(shown(chromium))
    assert says(chromium, grouped(phone.fingerprint)), text(chromium)
    chromium.click(SAME)


def somebody(server: Server, chromium: Chromium) -> tuple[str, PowerAuthPhone]:
    """With a phone, and a browser that was never here."""
    phone = configured(server)
    return somebody_who(server, chromium, "/account/approvals/add", lambda: set_up(chromium, phone)), phone


def approve(phone: PowerAuthPhone, link: str) -> int:
    """A login that asks nobody by name: whoever scans it makes it theirs. The status of the answer."""
    near = Nearness.read(link)
    return phone.approve(phone.claim(near.operation), near).status_code


# The walk with pictures


@pytest.fixture(scope="module")
def walk(server, chromium, request) -> Walk:
    """The whole way of one person and one phone; the tests below ask what was found."""
    server.admin("accounts", "create", "--username", "carla.conti", "--password-stdin", "--email", "carla.conti@example.org", "--name", "Carla Conti", stdin=PASSWORD)
    walk = Walk(chromium, screens(request.config))
    phone = add(walk, server)
    by_app(walk, server, phone)
    in_german(walk, server)
    rejected(walk, server, phone)
    expired(walk, server, phone)
    failed(walk, server, phone)
    remove(walk, server, phone)
    return walk


def add(walk: Walk, server: Server) -> PowerAuthPhone:
    """From the account page: the app takes its configuration off the screen, then the activation code; both show the same digits, and the phone is in use."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    walk.look("operations-login", "Approve in the app")
    log_in(chromium, "carla.conti")
    chromium.click(ADD)
    walk.look("operations-add", "Set up a phone that approves", "Compare eight digits")
    chromium.element("main details summary").click()
    config, base = (code.text for code in chromium.driver.find_elements("css selector", "main details code"))
    assert shown(chromium) == config and base == f"{server.issuer}/services/operations"
    walk.look("operations-configuration", "Address of the server")
    phone = PowerAuthPhone(base, config)

    chromium.click(SUBMIT)
    code = shown(chromium)
    assert urlsplit(chromium.url).path == "/account/approvals/wait" and code.split("#")[0] in chromium.text, "it can be typed as well"
    walk.look("operations-scan", "Scan this code with the app")
    phone.activate(code)
    assert not phone.validates(), "nobody has compared anything yet"
    assert says(chromium, grouped(phone.fingerprint)) and not on_screen(chromium), text(chromium)
    walk.look("operations-compare", "Compare the digits", "it was another person who scanned the code")
    chromium.click(SAME)
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    walk.look("operations-account", "Your phone is set up", "Phones that approve", "Interop phone")
    assert chromium.element(REMOVE) and phone.validates()
    chromium.open(f"{server.issuer}/logout")
    chromium.click("button[value=logout]")
    return phone


def by_app(walk: Walk, server: Server, phone: PowerAuthPhone) -> None:
    """Without a name or a password: the phone says who it is, and shows who asks, from where."""
    chromium = walk.chromium
    chromium.open(f"{server.issuer}/account")
    chromium.click(BY_APP)
    link, attempt = at_rest(chromium), chromium.url
    near = Nearness.read(link)
    assert near.code and near.operation not in attempt, "the address tells nothing of the operation"
    walk.look("operations-wait", "Approve in the app", "It changes every half minute")
    link = at_rest(chromium)
    assert chromium.element(".here a").get_attribute("href") == link, "the button brings the code along"
    near = Nearness.read(link)

    assert near.operation not in [one["id"] for one in phone.operations()], "nobody is asked yet"
    login = phone.claim(near.operation)
    told = {attribute["label"]: attribute["value"] for attribute in login["formData"]["attributes"]}
    assert login["formData"]["title"] == "Login" and told["From address"] in ("127.0.0.1", "::1") and "Chrom" in told["Browser"]
    assert phone.approve(login, near, wrong_pin=True).status_code == REFUSED
    assert phone.approve(login).status_code == REFUSED, "who did not scan has not seen the page"
    assert phone.approve(login, Nearness(near.operation, "00000000")).status_code == REFUSED
    assert phone.approve(login, near, factors="possession").status_code == REFUSED
    assert "/login/approval/wait" in chromium.url, "what is wrong changes nothing"
    assert phone.approve(login, Nearness.read(shown(chromium))).status_code == APPROVED
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    assert "Carla Conti" in chromium.text or "carla.conti" in chromium.text
    with pytest.raises(Refused) as over:
        phone.claim(near.operation)
    assert over.value.code == "OPERATION_ALREADY_FINISHED"
    forget(chromium)


def in_german(walk: Walk, server: Server) -> None:
    look_in_german(walk, server.issuer + ANYBODY, "operations-wait-de", "In der App genehmigen", until=at_rest)


def rejected(walk: Walk, server: Server, phone: PowerAuthPhone) -> None:
    """Somebody says no: the page says so, with the reason, and asks again if one wants."""
    chromium = walk.chromium
    chromium.open(server.issuer + ANYBODY)
    first = Nearness.read(shown(chromium))
    phone.reject(phone.claim(first.operation)["id"], "UNEXPECTED_OPERATION")
    assert says(chromium, "The login was rejected"), text(chromium)
    assert not on_screen(chromium)
    walk.look("operations-rejected", "I did not expect this", "remove that phone in your account")
    chromium.click(AGAIN)
    link = shown(chromium)
    assert Nearness.read(link).operation != first.operation
    assert approve(phone, link) == APPROVED
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    forget(chromium)


def expired(walk: Walk, server: Server, phone: PowerAuthPhone) -> None:
    """Nobody came in time."""
    chromium = walk.chromium
    chromium.open(server.issuer + ANYBODY)
    link = shown(chromium)
    server.sql(f"update phone_operation set expires_at = now() - interval '1 second' where id = '{Nearness.read(link).operation}'")
    assert says(chromium, "expired"), text(chromium)
    with pytest.raises(Refused) as late:
        approve(phone, link)
    assert late.value.code == "OPERATION_EXPIRED"
    walk.look("operations-expired", "The code has expired")
    forget(chromium)


def failed(walk: Walk, server: Server, phone: PowerAuthPhone) -> None:
    """Five attempts without the code of the page end it. The phone itself has done nothing wrong, and is not blocked."""
    chromium = walk.chromium
    chromium.open(server.issuer + ANYBODY)
    login = phone.claim(Nearness.read(shown(chromium)).operation)
    assert [phone.approve(login).status_code for _ in range(5)] == [REFUSED] * 4 + [400]
    assert eventually(lambda: not on_screen(chromium), within_s=SOON_S), "the code is of no more use, and goes away"
    assert says(chromium, "too many wrong answers"), text(chromium)
    walk.look("operations-failed", "too many wrong answers")
    assert chromium.element(AGAIN) and phone.validates()
    forget(chromium)


def remove(walk: Walk, server: Server, phone: PowerAuthPhone) -> None:
    """By who has shown it; from then on its signatures are worth nothing."""
    chromium = walk.chromium
    chromium.open(server.issuer + ANYBODY)
    assert approve(phone, shown(chromium)) == APPROVED
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    end(chromium, REMOVING)
    walk.look("operations-removed", "The phone is removed", "No phone is set up for approving")
    assert not chromium.driver.find_elements("css selector", REMOVE)
    assert not phone.validates()


class TestApprovalPages(Looked):
    pages, prefix = PAGES, "operations-"


# What else must hold


def test_nothing_needs_scripts(server, another_browser):
    """Scripts are off: the page asks by itself, and goes on as well, from setting a phone up to logging in with it."""
    name, phone = person(server), configured(server)
    plain = another_browser(scripts=False)
    plain.open(f"{server.issuer}/account/approvals/add")
    log_in(plain, name)
    set_up(plain, phone)
    assert goes_on(plain, f"{server.issuer}/account"), plain.url
    forget(plain)
    plain.open(server.issuer + ANYBODY)
    assert approve(phone, shown(plain)) == APPROVED
    assert goes_on(plain, f"{server.issuer}/account"), plain.url


def test_another_person_scanned_the_code(server, chromium):
    """Whoever is faster with the activation code has other digits: the person cancels, and that phone never approves anything."""
    name, phone, stranger = person(server), configured(server), configured(server)
    forget(chromium)
    chromium.open(f"{server.issuer}/account/approvals/add")
    log_in(chromium, name)
    chromium.click(SUBMIT)
    code = shown(chromium)
    stranger.activate(code)
    with pytest.raises(Refused) as late:
        phone.activate(code)
    assert late.value.code == "ERR_ACTIVATION"
    assert says(chromium, "Compare the digits") and grouped(stranger.fingerprint) in text(chromium)
    chromium.click(CANCEL)
    assert goes_on(chromium, f"{server.issuer}/account")
    assert not stranger.validates() and not chromium.driver.find_elements("css selector", REMOVE)


def test_another_browser_gets_nothing(server, chromium, another_browser):
    _, phone = somebody(server, chromium)
    nothing_for_a_thief(server, chromium, another_browser(), server.issuer + ANYBODY, lambda link: approve(phone, link) == APPROVED)


def test_step_up(server, application, chromium):
    """One factor is enough for a login, until an application cannot do without two: then this person's phone is asked, and no other can answer."""
    (name, phone), (_, stranger) = somebody(server, chromium), somebody(server, chromium)
    one_factor_is_enough(application, chromium, name)

    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    near = Nearness.read(shown(chromium))
    assert not chromium.driver.find_elements("css selector", "[name=password]")
    with pytest.raises(Refused) as foreign:
        stranger.claim(near.operation)
    assert foreign.value.code == "INVALID_REQUEST" and stranger.operations() == []
    [login] = phone.operations()
    assert login["id"] == near.operation and "Learn" in login["formData"]["message"], "it is told who asks"
    assert phone.approve(login).status_code == REFUSED, "approved from the list, without having seen the page"
    assert phone.approve(login, Nearness.read(shown(chromium))).status_code == APPROVED
    assert goes_on(chromium, f"{HOME}/"), chromium.url
    claims = application.learn.tokens[-1]["userinfo"]
    assert claims["acr"] == MFA and {"mfa", "swk", "pin"} <= set(claims["amr"])


def test_biometry_is_a_second_factor_too(server, application, chromium):
    """Without the PIN, and `amr` does not claim one."""
    name, phone = somebody(server, chromium)
    chromium.open(f"{HOME}/login?" + urlencode({"claims": essential(MFA)}))
    log_in(chromium, name)
    [login] = eventually(phone.operations, within_s=SOON_S)
    assert phone.approve(login, Nearness.read(shown(chromium)), factors="possession_biometry").status_code == APPROVED
    assert eventually(lambda: chromium.driver.find_elements("css selector", "button[value=allow]"), within_s=SOON_S), chromium.url
    chromium.click("button[value=allow]")
    claims = application.learn.tokens[-1]["userinfo"]
    assert claims["acr"] == MFA and {"mfa", "swk"} <= set(claims["amr"]) and "pin" not in claims["amr"]


def test_a_blocked_phone_is_no_way_around(server, chromium):
    """Blocked by an operator, it approves nothing; unblocked, it does again."""
    _, phone = somebody(server, chromium)
    server.admin("operations", "registrations", "block", phone.id)
    chromium.open(server.issuer + ANYBODY)
    link = shown(chromium)
    with pytest.raises(Refused):
        approve(phone, link)
    server.admin("operations", "registrations", "unblock", phone.id)
    assert approve(phone, shown(chromium)) == APPROVED
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url


def test_a_stolen_phone(server, chromium):
    """An operator removes it: the browser that it let in is out at once."""
    _, phone = somebody(server, chromium)
    chromium.open(server.issuer + ANYBODY)
    assert approve(phone, shown(chromium)) == APPROVED
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url

    told = server.admin("operations", "registrations", "remove", phone.id, "--yes", "--reason", "stolen")
    assert told["status"] == "REMOVED" and told["browsers_ended"] == 1
    chromium.open(f"{server.issuer}/account")
    assert "/login" in chromium.url and not phone.validates()
