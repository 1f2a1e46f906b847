"""Somebody who has let in a phone, a service and an app, as the account page shows them, and what a person presses there."""
from __future__ import annotations

from chromium import Chromium
from phone import Phone, Release, person
from server import Server

SCOPE, BUNDLE = "ch.pando.viewer", "org.example.household"
MINE, LOST = "My phone", "The lost one"


class Household:
    """Somebody with a phone that has opened the viewer and let an app in there, and with a sister of that phone."""

    def __init__(self, server: Server, viewer: str, release: Release | None = None):
        self.name = person(server)
        self.phone, self.sister = (Phone(server.issuer, release or Release.add(server), name=name).register().log_in(self.name) for name in (MINE, LOST))
        self.service = self.phone.open(viewer)
        self.app = self.phone.hand_out(self.service, viewer, SCOPE, BUNDLE)


def opened(page: str) -> str:
    """The question that stands behind a button of the page, by where its answer goes."""
    return f"details:has(form[action='{page}'])"


def ask(chromium: Chromium, page: str) -> None:
    """Opens the question: nothing has been ended yet."""
    chromium.element(f"{opened(page)} > summary").click()


def end(chromium: Chromium, page: str) -> None:
    ask(chromium, page)
    chromium.click(f"{opened(page)}[open] form button")
