"""Chromium's virtual authenticator, by DevTools: the chip of a laptop, whose owner is there and is recognised until a test says otherwise."""
from __future__ import annotations

from chromium import Chromium


class Authenticator:
    """In one tab of one browser, over all the pages that it opens."""

    def __init__(self, chromium: Chromium, **options):
        self._chromium = chromium
        # Chromium has one chip at a time: enabling anew takes away what a test before this one left.
        chromium.devtools("WebAuthn.disable")
        chromium.devtools("WebAuthn.enable")
        kind = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
                "isUserVerified": True, "automaticPresenceSimulation": True}
        self.id = chromium.devtools("WebAuthn.addVirtualAuthenticator", options=kind | options)["authenticatorId"]

    def _tell(self, command: str, **parameters) -> dict:
        return self._chromium.devtools(f"WebAuthn.{command}", authenticatorId=self.id, **parameters)

    def remove(self) -> None:
        self._tell("removeVirtualAuthenticator")

    @property
    def credentials(self) -> list[dict]:
        """With `credentialId`, `rpId`, `userHandle`, `isResidentCredential`, `signCount`, and the private key."""
        return self._tell("getCredentials")["credentials"]

    def take_in(self, credential: dict) -> None:
        """A copy, as `credentials` tells it."""
        self._tell("addCredential", credential=credential)

    def forget(self, credential: dict) -> None:
        self._tell("removeCredential", credentialId=credential["credentialId"])

    def is_touched(self, yes: bool) -> None:
        """Whether somebody touches it when it asks for that; otherwise it waits."""
        self._tell("setAutomaticPresenceSimulation", enabled=yes)

    def recognises(self, yes: bool) -> None:
        """Whether it is its owner who is there."""
        self._tell("setUserVerified", isUserVerified=yes)

    def answers(self, **spoilt: bool) -> None:
        """From now on: `isBogusSignature`, `isBadUV` (says that nobody was verified), `isBadUP`; those that are not named are right."""
        self._tell("setResponseOverrideBits", **spoilt)
