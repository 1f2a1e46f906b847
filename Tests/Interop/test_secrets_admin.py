"""Keys that are made for others, and secrets that are replaced: by the command line, seen over HTTP."""
from __future__ import annotations

import json
import os
import secrets
import stat

import pytest
import requests
from joserfc import jwt
from joserfc.jwk import JWKRegistry, KeySet

from keys import new_id, now
from server import CommandFailed, Server

BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
ALGORITHMS = ("ES256", "ES384", "ES512", "EdDSA", "RS256", "PS512")


def machine(server: Server, *options: str) -> dict:
    return server.admin("clients", "create", "--name", "Machine", "--grant", "client_credentials", "--scope", "read", *options)


def token(server: Server, client: dict, secret: str | None = None) -> requests.Response:
    return requests.post(f"{server.issuer}/token", data={"grant_type": "client_credentials"}, timeout=20,
                         auth=(client["client_id"], secret or client["client_secret"]))


# keys generate

@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_generated_pair_authenticates_a_client(server, tmp_path, algorithm):
    file = tmp_path / "client.jwk"
    made = server.admin("keys", "generate", "--alg", algorithm, "--out", str(file), "--key-set")
    client = machine(server, "--auth-method", "private_key_jwt", "--jwks", made["public_file"])

    key = JWKRegistry.import_key(json.loads(file.read_text()))
    claims = {"iss": client["client_id"], "sub": client["client_id"], "aud": server.issuer, "iat": now(), "exp": now() + 60, "jti": new_id()}
    assertion = jwt.encode({"alg": algorithm, "kid": made["kid"]}, claims, key, algorithms=[algorithm])
    answer = requests.post(f"{server.issuer}/token", timeout=20, data={
        "grant_type": "client_credentials", "client_assertion_type": BEARER, "client_assertion": assertion})

    assert answer.status_code == 200, answer.text
    assert made["alg"] == algorithm and made["thumbprint"] == key.thumbprint() == made["kid"]
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    [published] = KeySet.import_key_set(json.loads((tmp_path / "client.jwk.pub").read_text())).keys
    assert not published.is_private and published.thumbprint() == key.thumbprint()


@pytest.mark.parametrize("there", ["k.jwk", "k.jwk.pub"])
def test_a_file_that_is_there_stays_as_it_is_and_no_other_is_written(server, tmp_path, there):
    (tmp_path / there).write_text("somebody's\n")
    with pytest.raises(CommandFailed) as refused:
        server.admin("keys", "generate", "--out", str(tmp_path / "k.jwk"))

    assert refused.value.exit_code == 4 and "is there already" in refused.value.stderr and '"hint"' in refused.value.stderr
    assert [file.name for file in tmp_path.iterdir()] == [there] and (tmp_path / there).read_text() == "somebody's\n"


def test_without_a_file_it_is_printed_and_needs_no_database(server, tmp_path):
    finished = server.run("admin", "keys", "generate", "--kid", "version-7", "--json", PANDO_DATABASE="host=/nowhere", PANDO_STATE_DIRECTORY=str(tmp_path))
    assert finished.returncode == 0, finished.stderr
    made = json.loads(finished.stdout)

    assert made["private_jwk"]["kid"] == made["public_jwk"]["kid"] == made["kid"] == "version-7"
    assert {name: value for name, value in made["private_jwk"].items() if name != "d"} == made["public_jwk"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options, status, said", [
    (("--alg", "HS256"), 5, "HS256 is none of ES256"), (("--alg", "none"), 5, "none is none of"), (("--out", "-"), 2, "without it the key is printed"),
    (("--kid", ""), 2, "1 to 256 bytes"), (("--out", "/nowhere/at/all/k.jwk"), 5, "cannot be written: No such file")])
def test_what_cannot_be_made_is_said(server, options, status, said):
    finished = server.run("admin", "--json", "keys", "generate", *options)
    assert finished.returncode == status and not finished.stdout, finished.stderr
    assert said in json.loads(finished.stderr.strip().splitlines()[-1])["error_description"]


# rotate-secret

def test_a_replaced_secret_is_refused_at_once_and_tokens_live_on(server):
    client = machine(server)
    before = token(server, client).json()["access_token"]

    rotated = server.admin("clients", "rotate-secret", client["client_id"], "--reason", "it was mailed around")

    refused = token(server, client)
    assert (refused.status_code, refused.json()["error"]) == (401, "invalid_client") and refused.headers["WWW-Authenticate"].startswith("Basic")
    assert token(server, rotated).status_code == 200 and rotated["old_secret_until"] is None
    own = (client["client_id"], rotated["client_secret"])
    assert requests.post(f"{server.issuer}/introspect", data={"token": before}, auth=own, timeout=20).json()["active"] is True
    entry = server.admin("audit", "list", "--node", f"client:{client['client_id']}", "--limit", "1")["items"][0]
    assert (entry["action"], entry["reason"]) == ("clients.rotate-secret", "it was mailed around")
    assert rotated["client_secret"] not in json.dumps(entry)


def test_both_are_taken_for_as_long_as_was_said(server):
    client = machine(server)
    rotated = server.admin("clients", "rotate-secret", client["client_id"], "--keep-old", "24h")

    assert [token(server, entry).status_code for entry in (client, rotated)] == [200, 200]
    assert server.admin("clients", "show", client["client_id"])["old_secret_until"] == rotated["old_secret_until"]
    server.sql(f"update client set old_secret_until = now() - interval '1 second' where id = '{client['client_id']}'")
    assert [token(server, entry).status_code for entry in (client, rotated)] == [401, 200]
    assert "old_secret_until" not in server.admin("clients", "show", client["client_id"])


def test_a_dry_run_replaces_nothing(server):
    client = machine(server)
    tried = server.admin("clients", "rotate-secret", client["client_id"], "--dry-run")
    assert tried["dry_run"] is True
    assert token(server, client).status_code == 200 and token(server, tried).status_code == 401


def test_a_service_gets_another_secret(server):
    base = f"https://{secrets.token_hex(4)}.example.org"
    service = server.admin("services", "add", base, "--name", "Learn")
    rotated = server.admin("services", "rotate-secret", base)

    assert (rotated["service"], rotated["client_id"]) == (service["id"], service["client_id"])
    assert [token(server, entry).status_code for entry in (service, rotated)] == [401, 200]


@pytest.mark.parametrize("options, status, said", [
    (("--auth-method", "private_key_jwt", "--jwks-uri", "https://machine.example.org/jwks.json"), 4, "private_key_jwt, which knows no secret"),
])
def test_a_client_without_a_secret_has_none_to_replace(server, options, status, said):
    client = machine(server, *options)
    with pytest.raises(CommandFailed) as refused:
        server.admin("clients", "rotate-secret", client["client_id"])
    assert refused.value.exit_code == status and said in refused.value.stderr


@pytest.mark.parametrize("duration", ["24", "h", "0h", "-1h", "31d", "1w", "99999999999999999999d"])
def test_a_time_that_is_none_is_refused(server, duration):
    client = machine(server)
    finished = server.run("admin", "--json", "clients", "rotate-secret", client["client_id"], f"--keep-old={duration}")
    assert finished.returncode == 2 and "--keep-old takes" in finished.stderr
    assert token(server, client).status_code == 200


def test_whom_nobody_knows_is_said(server):
    for noun in ("clients", "services"):
        with pytest.raises(CommandFailed) as unknown:
            server.admin(noun, "rotate-secret", "nobody")
        assert unknown.value.exit_code == 3


def test_whoever_hands_in_the_private_half_is_told_where_the_other_is(server, tmp_path):
    app, file = f"org.example.p{secrets.token_hex(4)}", str(tmp_path / "version.jwk")
    server.admin("keys", "generate", "--out", file)
    server.admin("apps", "create", app, "--name", "Pocket")
    with pytest.raises(CommandFailed) as refused:
        server.admin("apps", "versions", "add", app, "1", "--jwk", file)
    assert refused.value.exit_code == 5 and "private key" in refused.value.stderr and "FILE.pub" in refused.value.stderr
    assert server.admin("apps", "versions", "add", app, "1", "--jwk", file + ".pub")["status"] == "allowed"
