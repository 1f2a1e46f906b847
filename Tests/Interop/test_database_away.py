"""PostgreSQL stops in the middle: that is nobody's fault but ours, so nobody is told to throw a token away."""
from __future__ import annotations

import base64
import socket
import struct
import subprocess
import time
import uuid
from urllib.parse import urlsplit

import pytest
import requests
from authlib.integrations.requests_client import OAuth2Session

from databases import ask
from phone import Phone, Release, person
from server import session
from waiting import at_once, eventually


@pytest.fixture
def world(own_server):
    """A phone with tokens, a machine, and every way in which they ask."""
    release = Release.add(own_server)
    phone = Phone(own_server.issuer, release).register().log_in(person(own_server))
    viewer = f"{own_server.issuer}/services/viewer"
    app_token = phone.hand_out(phone.open(viewer), viewer, "ch.pando.viewer", "org.example.photos")
    machine = own_server.admin("clients", "create", "--name", "Machine", "--grant", "client_credentials", "--scope", "reports")
    return phone, app_token["access_token"], (machine["client_id"], machine["client_secret"])


def asking(server, phone: Phone, app_token: str, machine: tuple) -> dict:
    """One request per way; each is made anew, since proofs work once."""
    issuer, viewer = server.issuer, f"{server.issuer}/services/viewer"
    challenge = {"username": "a", "password": "b", "code_challenge_method": "S256", "code_challenge": "A" * 43}
    refresh = {"grant_type": "refresh_token", "refresh_token": phone.pat["refresh_token"], "client_id": phone.client_id}
    return {
        "refresh": lambda: requests.post(f"{issuer}/token", data=refresh, auth=phone.proof(), timeout=30),
        "client_credentials": lambda: requests.post(f"{issuer}/token", data={"grant_type": "client_credentials"}, auth=machine, timeout=30),
        "profile": lambda: phone.ask("GET", "/user-profile"),
        "instances": lambda: phone.ask("GET", "/instances"),
        "discovery": lambda: phone.ask("POST", "/protocol-discovery", json=["ch.pando.viewer"]),
        "authorization": lambda: phone.ask("POST", "/authorization", data={"response_type": "code", "redirect_uri": viewer}),
        "introspect": lambda: requests.post(f"{issuer}/introspect", data={"token": phone.pat["access_token"]}, auth=machine, timeout=30),
        "revoke": lambda: phone.ask("POST", "/revoke", phone.instance, data={"token": phone.pat["access_token"]}),
        "challenge": lambda: phone.ask("POST", "/authorize/challenge", phone.instance, data=challenge),
        "attributes": lambda: requests.get(f"{viewer}/attributes", headers={"Authorization": f"Bearer {app_token}"}, timeout=30),
    }


def test_503_and_never_a_refusal(own_server, own_cluster, world):
    """Every endpoint answers 503 with Retry-After while the database is away, and works again without a restart."""
    phone, _, machine = world
    ways = asking(own_server, *world)
    own_cluster.stop()

    answers = dict(zip(ways, at_once(list(ways.values()))))

    for name, answer in answers.items():
        assert not isinstance(answer, Exception), f"{name}: {answer!r}"
        assert answer.status_code == 503, f"{name}: {answer.status_code} {answer.text}"
        assert answer.json()["error"] == "temporarily_unavailable" and int(answer.headers["Retry-After"]) >= 1, name
        assert "WWW-Authenticate" not in answer.headers, name
    assert requests.get(f"{own_server.issuer}/healthz", timeout=20).status_code == 200, "the process itself is well"
    assert requests.get(f"{own_server.issuer}/readyz", timeout=20).status_code == 503

    own_cluster.start()
    assert eventually(own_server.is_ready, within_s=30)
    assert phone.ask("GET", "/user-profile").status_code == 200, "what was issued before lives"
    assert phone.refresh(phone.pat)["refresh_token"], "what was tried in vain was not used up"
    session = OAuth2Session(*machine, default_timeout=20)
    assert session.fetch_token(f"{own_server.issuer}/token", grant_type="client_credentials")["access_token"]


def test_a_short_restart_is_a_delay(own_server, own_cluster, world):
    """Requests wait a few seconds for a database that comes back, instead of failing at once."""
    phone, took = world[0], []

    def restart():
        time.sleep(1)
        own_cluster.start()
        took.append(time.monotonic() - began)

    for _ in range(5):
        own_cluster.stop()
        began = time.monotonic()
        answer, _ = at_once([lambda: phone.ask("GET", "/user-profile"), restart])
        if took[-1] < 3.5:  # `waitLimit` is 4.5 s: a restart that takes longer is not short
            break
        assert eventually(own_server.is_ready, within_s=30)
    else:
        pytest.skip(f"PostgreSQL takes its time on this machine: {took} s")

    assert getattr(answer, "status_code", answer) == 200, f"{took[-1]:.1f} s away"


def test_the_command_line_says_so_too(own_server, own_cluster):
    """Exit status 6, and words for a person."""
    own_cluster.stop()

    finished = own_server.run("admin", "accounts", "list", "--json")

    assert finished.returncode == 6 and finished.stdout == "" and '"unavailable"' in finished.stderr


def test_who_has_gone_before_the_answer_asks_again_however_late(own_server, own_cluster, world):
    """The rotation is made, and its answer meets a connection that was reset. It was sent to nobody, so the token of before is good when ten seconds are over."""
    phone, database = world[0], own_server.environment["PANDO_DATABASE"]
    token = phone.pat["refresh_token"]
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": phone.client_id}
    request = requests.Request("POST", f"{own_server.issuer}/token", data=form, auth=phone.proof()).prepare()
    head = "".join(f"{name}: {value}\r\n" for name, value in request.headers.items())
    family = uuid.UUID(bytes=base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))[:16])
    of_it = f"from family where id = '{family}'"
    lock = subprocess.Popen([*session(database), "--command", f"begin; select 1 {of_it} for update; select pg_sleep(2); commit"],
                            stdout=subprocess.DEVNULL)
    assert eventually(lambda: ask(database, "select count(*) from pg_stat_activity where wait_event = 'PgSleep'") == "1")

    place = urlsplit(own_server.issuer)
    with socket.create_connection((place.hostname, place.port)) as gone:
        gone.sendall(f"POST /token HTTP/1.1\r\nHost: {place.netloc}\r\n{head}\r\n{request.body}".encode())
        assert eventually(lambda: ask(database, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'") == "1")
        # With a mere FIN it might read on.
        gone.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    lock.wait(timeout=20)

    assert eventually(lambda: ask(database, f"select sequence {of_it}") == "1")
    time.sleep(11)
    assert ask(database, f"select answered_at = 'infinity' {of_it}") == "t"
    answer = requests.post(f"{own_server.issuer}/token", data=form, auth=phone.proof(), timeout=30)
    assert answer.status_code == 200, answer.text
    assert eventually(lambda: ask(database, f"select answered_at < 'infinity' {of_it}") == "t")
