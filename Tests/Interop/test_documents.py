"""What the documentation shows is what happens: its Python and its marked shell lines run against a real server.

Python fences of one page are one script. Shell fences run where they say ```sh run.
"""
from __future__ import annotations

import re
import shlex
import subprocess

import pytest

from keys import now, verified
from outside_service import OutsideService
from phone import PASSWORD, Phone, Release, person
from server import BINARY, CHECKOUT, Server
from waiting import eventually


def fences(page: str, kind: str) -> list[str]:
    text = (CHECKOUT / page).read_text()
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def run_python(page: str, given: dict) -> dict:
    script = "\n".join(fences(page, "python"))
    assert script, f"{page} shows no Python"
    exec(compile(script, page, "exec"), given)
    return given


def run_shell(server: Server, script: str) -> subprocess.CompletedProcess:
    shim = f"pando() {{ {shlex.quote(str(BINARY))} \"$@\"; }}\n"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", shim + script], cwd=CHECKOUT, env=server.environment, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=180)


@pytest.mark.parametrize("page", ["README.md", "docs/join-the-federation.md", "docs/operate.md"])
def test_commands_work(server, page):
    """Each marked block, in order, without an error and with something to read on stdout."""
    blocks = fences(page, "sh run")
    assert blocks
    for block in blocks:
        finished = run_shell(server, block)
        assert finished.returncode == 0 and finished.stdout, f"{block}\n{finished.stderr}"


def test_for_app_makers(server):
    """From the version's key to another app's token, and back."""
    release = Release.add(server)
    later = Release.add(server, release.app, "2")

    run_python("docs/for-app-makers.md", {
        "ISS": server.issuer, "VERSION_ID": release.id, "VERSION_KEY": release.key, "VERSION_KID": release.kid, "NEXT_ID": later.id, "NEXT_KEY": later.key,
        "NEXT_KID": later.kid, "USERNAME": person(server), "PASSWORD": PASSWORD})


def test_join_the_federation(server, phone):
    """An assertion for an outside service is checked as the page says, the event about it is understood, and asking back works."""
    outside = OutsideService(server).open()
    try:
        (assertion, _), (another, _) = phone.assertion(outside.base), phone.assertion(outside.base)
        server.admin("tokens", "revoke", "token:" + verified(assertion, server.issuer, "oauth-id-jag+jwt")["jti"])
        assert eventually(lambda: outside.bodies)

        left = run_python("docs/join-the-federation.md", {
            "ISS": server.issuer, "BASE": outside.base, "NOW": now(), "ASSERTION": assertion, "ANOTHER_ASSERTION": another, "EVENT": outside.bodies[0],
            "CLIENT_ID": outside.entry["client_id"], "CLIENT_SECRET": outside.entry["client_secret"]})

        with pytest.raises(PermissionError):
            left["redeem"](assertion, now())
    finally:
        outside.close()
