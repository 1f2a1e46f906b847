"""A resource server that checks tokens in its own memory, as examples/local_tokens.py does: live, revoked, and closed when nothing is heard."""
from __future__ import annotations

import pathlib
import sys
import threading
import time

import pytest
import requests

from outside_service import OutsideService

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "examples"))
import local_tokens  # noqa: E402


@pytest.fixture
def outside(server):
    service = OutsideService(server)
    server.admin("services", "update", service.entry["id"], "--lineage")
    yield service
    service.close()


@pytest.fixture
def machine(server):
    return server.admin("clients", "create", "--name", "asks", "--grant", "client_credentials", "--scope", "read")


def token(server, machine, resource):
    answer = requests.post(
        server.issuer + "/token", auth=(machine["client_id"], machine["client_secret"]), timeout=10,
        data={"grant_type": "client_credentials", "resource": resource})
    assert answer.status_code == 200, answer.text
    return answer.json()["access_token"]


def feed(server, outside, **options):
    return local_tokens.Feed(
        server.issuer, outside.base, outside.entry["client_id"], outside.entry["client_secret"], **options)


def refusal(known, text):
    with pytest.raises(local_tokens.Refused) as refused:
        known.verify(text)
    return refused.value.status


def test_what_is_revoked_is_refused_at_once(server, outside, machine):
    """Nothing is asked for a token; its end arrives by itself."""
    known = feed(server, outside)
    text = token(server, machine, outside.base)
    assert refusal(known, text) == 503, "before the first answer nobody knows"
    threading.Thread(target=known.run, daemon=True).start()
    deadline = time.monotonic() + 15
    while known.heard is None and time.monotonic() < deadline:
        time.sleep(0.05)
    claims = known.verify(text)
    assert claims["aud"] == outside.base and len(claims["lineage"]) > 2

    server.admin("tokens", "revoke", f"token:{claims['jti']}", "--reason", "interop")
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        try:
            known.verify(text)
        except local_tokens.Refused as refused:
            assert refused.status == 401
            break
        time.sleep(0.02)
    else:
        pytest.fail("the end did not arrive")
    assert known.verify(token(server, machine, outside.base)), "another token of the client lives"

    server.admin("tokens", "revoke", f"client:{machine['client_id']}", "--reason", "interop")


def test_what_is_wrong_is_refused(server, outside, machine):
    """For another service, without lineage, spoilt, or heard of too long ago."""
    known = feed(server, outside, silence=15)
    known.read()
    good = token(server, machine, outside.base)
    head, body, signature = good.split(".")

    assert known.verify(good)
    assert refusal(known, token(server, machine, server.issuer + "/services/tiqr")) == 401
    assert refusal(known, f"{head}.{body}.{'A' * len(signature)}") == 401
    assert refusal(known, f"{body}.{head}.{signature}") == 401
    assert refusal(known, "x") == 401
    server.admin("services", "update", outside.entry["id"], "--no-lineage")
    assert refusal(known, token(server, machine, outside.base)) == 401
    known.heard -= 16
    assert refusal(known, good) == 503
    known.read()
    assert known.verify(good)
