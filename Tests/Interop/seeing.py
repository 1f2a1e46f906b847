"""What a person does at a browser and sees there, where a phone is asked: QR codes on the screen, and pages that go on by themselves."""
from __future__ import annotations

import json

from selenium.common.exceptions import WebDriverException

from chromium import Chromium
from phone import PASSWORD
from tiqr_phone import codes
from waiting import eventually

MFA = "https://refeds.org/profile/mfa"
# A page that watches needs a moment to hear of it; one without scripts asks every 3 seconds.
SOON_S = 20


def forget(chromium: Chromium) -> None:
    """A browser that was never here."""
    chromium.devtools("Network.clearBrowserCookies")


def log_in(chromium: Chromium, name: str) -> None:
    """By password, where a login page is open."""
    chromium.type(username=name, password=PASSWORD)
    chromium.click("main form button")


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
