"""A service hears by events or by calls (RFC 7009); the operator says which, or it is found out."""
from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest

from keys import verified
from outside_service import OutsideService
from server import CommandFailed
from waiting import eventually


def shown(outside: OutsideService) -> dict:
    return outside.server.admin("services", "show", outside.id)


def test_a_service_that_takes_a_verification_event_is_pushed_to(server):
    outside = OutsideService(server, notify="auto").open()
    try:
        assert eventually(lambda: shown(outside)["hears"] == "push", within_s=60)
        assert shown(outside)["notify"] == "auto" and shown(outside)["hears_since"] and "verification" in shown(outside)["hears_because"]
        assert any("https://schemas.openid.net/secevent/ssf/event-type/verification" in event["events"] for event in outside.events)
    finally:
        outside.close()


def test_the_operator_says_how(server):
    outside = OutsideService(server, notify="poll")
    assert shown(outside)["hears"] == "poll"
    named = server.admin("services", "update", outside.id, "--name", "Anew", "--claim", "name", "--notify", "revoke")
    assert named["name"] == "Anew" and named["claims"] == ["email", "name"] and named["hears"] == "poll" and named["revocation_endpoint"] is None
    called = server.admin("services", "update", outside.id, "--revocation-endpoint", outside.base + "/revoke")
    assert called["hears"] == "revoke" and called["revocation_endpoint"] == outside.base + "/revoke"
    assert server.admin("services", "update", outside.id, "--revocation-endpoint", "")["hears"] == "poll"
    for words, code in ((("--notify", "shout"), 2), ((), 2), (("--revocation-endpoint", "nowhere"), 5), (("--claim", "shoe_size"), 5)):
        with pytest.raises(CommandFailed) as refused:
            server.admin("services", "update", outside.id, *words)
        assert refused.value.exit_code == code, words


def test_a_service_is_called_for_each_assertion(server, phone):
    forms: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *arguments) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            forms.append({name: values[0] for name, values in parse_qs(body, strict_parsing=True).items()})
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    outside = OutsideService(server)
    endpoint = outside.base + "/revoke"
    listener = ThreadingHTTPServer(("127.0.0.1", outside.port), Handler)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    try:
        server.admin("services", "update", outside.id, "--notify", "revoke", "--revocation-endpoint", endpoint)
        assertion, _ = phone.assertion(outside.base)
        jti = verified(assertion, server.issuer, "oauth-id-jag+jwt")["jti"]
        server.admin("tokens", "revoke", f"token:{jti}", "--yes")
        # What was issued before it was called is looked for half a minute later.
        assert eventually(lambda: forms, within_s=120)
        assert forms[0]["token"] == jti and forms[0]["token_type_hint"] == "jti"
        claims = verified(forms[0]["client_assertion"], server.issuer, "client-authentication+jwt")
        assert claims["sub"] == server.issuer and claims["aud"] == endpoint
        assert eventually(lambda: outside.status()["acknowledged"] == outside.status()["last"], within_s=30)
        assert outside.status()["calls_left"] == 0 and outside.status()["hears"] == "revoke" and len(forms) == 1
    finally:
        listener.shutdown()
        listener.server_close()
