"""What a person does at a browser and sees there, where a phone is asked: QR codes on the screen, and pages that go on by themselves."""
from __future__ import annotations

import json
from collections.abc import Callable

from selenium.common.exceptions import WebDriverException

from application import HOME, Application
from chromium import Chromium
from phone import PASSWORD, person
from server import Server
from tiqr_phone import codes
from waiting import eventually
from walking import Walk

MFA = "https://refeds.org/profile/mfa"
# A page that watches needs a moment to hear of it; one without scripts asks every 3 seconds.
SOON_S = 20


def forget(chromium: Chromium) -> None:
    """A browser that was never here."""
    chromium.devtools("Network.clearBrowserCookies")


def log_in(chromium: Chromium, name: str) -> None:
    """By password, where a login page is open."""
    chromium.type(username=name, password=PASSWORD)
    chromium.click("form[action='/login'] button")


def shown(chromium: Chromium) -> str:
    """What the one QR code on the screen says; waits until there is one."""
    found = eventually(lambda: on_screen(chromium), within_s=SOON_S)
    assert found and len(found) == 1, f"{found} at {chromium.url}:\n{chromium.text}"
    return found[0]


def on_screen(chromium: Chromium) -> list[str]:
    try:
        return codes(chromium.screenshot())
    except WebDriverException:  # the page is just going on
        return []


def text(chromium: Chromium) -> str:
    try:
        return chromium.text
    except WebDriverException:
        return ""


def goes_on(chromium: Chromium, address: str) -> bool:
    """Nobody touches anything, and the browser arrives there."""
    return eventually(lambda: chromium.url.split("?")[0] == address and chromium.has_arrived(), within_s=SOON_S)


def says(chromium: Chromium, *words: str) -> bool:
    return eventually(lambda: any(word in text(chromium) for word in words), within_s=SOON_S)


def essential(level: str) -> str:
    return json.dumps({"id_token": {"acr": {"essential": True, "values": [level]}}})


# What both kinds of phones go through


def somebody_who(server: Server, chromium: Chromium, page: str, sets_up: Callable[[], object]) -> str:
    """The name of a new person who logs in at that page and does what it is for; the browser was never here afterwards."""
    name = person(server)
    forget(chromium)
    chromium.open(server.issuer + page)
    log_in(chromium, name)
    sets_up()
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    forget(chromium)
    return name


def look_in_german(walk: Walk, address: str, page: str, *words: str, until: Callable[[Chromium], object] = shown) -> None:
    chromium = walk.chromium
    chromium.speak("de-CH, de;q=0.9, en;q=0.5")
    chromium.open(address)
    until(chromium)
    assert chromium.ask("document.documentElement.lang") == "de"
    walk.look(page, *words)
    chromium.speak("en")


def nothing_for_a_thief(server: Server, chromium: Chromium, thief: Chromium, address: str, answers: Callable[[str], bool]) -> None:
    """The address of a login under way is worth nothing in another browser, though its code is answered."""
    chromium.open(address)
    under_way = chromium.url
    thief.open(under_way)
    assert "This login is over" in thief.text and not on_screen(thief)
    assert answers(shown(chromium))
    assert goes_on(chromium, f"{server.issuer}/account"), chromium.url
    thief.open(under_way)
    thief.open(f"{server.issuer}/account")
    assert thief.driver.find_elements("css selector", "[name=password]"), "nobody is logged in there"


def one_factor_is_enough(application: Application, chromium: Chromium, name: str) -> None:
    """For a login at an application that asks for nothing more; it learns so."""
    chromium.open(f"{HOME}/login")
    log_in(chromium, name)
    chromium.click("button[value=allow]")
    assert chromium.url == f"{HOME}/" and application.learn.tokens[-1]["userinfo"]["acr"] != MFA
