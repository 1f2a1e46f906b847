"""People propose services of theirs, and show that they control them."""
from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from server import CommandFailed

PLACE = "/.well-known/pando-federation"
CONFLICT, INVALID = 4, 5


@contextmanager
def website():
    """Answers what stands in `pages`, by path: status and text."""
    pages: dict[str, tuple[int, str]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, text = pages.get(self.path, (404, ""))
            self.send_response(status)
            if status == 302:
                self.send_header("Location", text)
            self.send_header("Content-Type", "text/plain")
            self.end_headers()
            self.wfile.write(text.encode())

        def do_POST(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=http.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_port}", pages
    finally:
        http.shutdown()
        http.server_close()


def refused(server, *arguments) -> int:
    with pytest.raises(CommandFailed) as failed:
        server.admin(*arguments)
    return failed.value.exit_code


def test_a_service_is_proposed_proven_and_accepted_and_its_proposer_owns_it(server):
    server.admin("accounts", "create", "--username", "prop-owner", "--password-stdin", stdin="a staple of horses\n")
    with website() as (base, pages):
        proposal = server.admin("services", "propose", base, "--account", "prop-owner", "--claim", "email", "--why", "to write to you",
                                "--claim", "name", "--why", "to greet you")
        number = proposal["id"]
        assert proposal["status"] == "proposed" and proposal["proof_url"] == base + PLACE
        assert refused(server, "services", "propose", base, "--account", "prop-owner") == CONFLICT

        prove = ("services", "proposals", "prove", number)
        assert refused(server, *prove) == CONFLICT  # nothing is there
        pages[PLACE] = (200, "something else\n")
        assert refused(server, *prove) == CONFLICT
        pages["/elsewhere"] = (200, proposal["proof"])
        pages[PLACE] = (302, "/elsewhere")
        assert refused(server, *prove) == CONFLICT
        pages[PLACE] = (200, "x" * 10_000 + "\n" + proposal["proof"])
        assert refused(server, *prove) == CONFLICT
        assert refused(server, "services", "proposals", "accept", number) == CONFLICT

        pages[PLACE] = (200, "# of ours\n" + proposal["proof"] + "\n")
        assert server.admin(*prove, "--dry-run")["status"] == "proven"
        assert server.admin("services", "proposals", "show", number)["status"] == "proposed"
        proven = server.admin(*prove)
        assert proven["status"] == "proven" and proven["report"]["findings"]

        assert refused(server, "services", "proposals", "accept", number, "--claim", "groups") == INVALID
        accepted = server.admin("services", "proposals", "accept", number, "--claim", "email", "--id", "proposed")
        assert accepted["status"] == "accepted" and accepted["service"] == "proposed"

    service = server.admin("services", "show", "proposed")
    assert service["status"] == "active" and service["claims"] == ["email"] and service["base"] == base
    [role] = server.admin("roles", "list", "--account", "prop-owner")["items"]
    assert (role["role"], role["service"]) == ("service-owner", "proposed")
    assert server.admin("services", "rotate-secret", "proposed")["client_secret"]


def test_an_address_inside_a_network_is_not_asked(server):
    """By name or number: the crawler's rules hold for the proof."""
    server.admin("accounts", "create", "--username", "prop-inside", "--password-stdin", stdin="a staple of horses\n")
    for base in ["https://10.0.0.1", "https://169.254.169.254/latest", "https://[fd00::1]"]:
        proposal = server.admin("services", "propose", base, "--account", "prop-inside")
        with pytest.raises(CommandFailed) as failed:
            server.admin("services", "proposals", "prove", proposal["id"])
        assert failed.value.exit_code == CONFLICT and "could not be read" in failed.value.stderr
    for base in ["http://10.0.0.1", "https://user@grades.example", "https://grades.example?x=1", "ftp://grades.example", "grades"]:
        assert refused(server, "services", "propose", base, "--account", "prop-inside") == INVALID
