"""Where people try things out, the terminal tells what was refused, and why."""
from __future__ import annotations

import json

import requests

from waiting import eventually


def test_a_refused_request_is_a_line_with_cause_endpoint_and_client(own_server):
    """By `pando dev`, which says little else; on no terminal it is JSON."""
    answer = requests.post(f"{own_server.issuer}/token", data={"grant_type": "client_credentials"}, auth=("nobody-here", "s3cret-of-nobody"), timeout=10)
    assert answer.status_code == 401 and answer.json()["error"] == "invalid_client"

    def told() -> list[dict]:
        lines = [line for line in own_server.log.read_text(errors="replace").splitlines() if line.startswith("{")]
        return [line for line in map(json.loads, lines) if line.get("client") == "nobody-here"]

    line = eventually(told)[0]
    assert line["message"] == "refused" and line["endpoint"] == "/token" and line["status"] == "401" and line["cause"] == "unknown client", line
    text = own_server.log.read_text(errors="replace")
    assert "s3cret-of-nobody" not in text and '"level":"debug"' not in text
