"""The configuration tells what holds and where it came from; what it does not know stops it, or is told where others write too."""
from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from server import Server, free_port
from test_tls import Authority


def shown(server, *arguments: str, **environment: str) -> dict:
    finished = server.run("config", "show", "--json", *arguments, **environment)
    assert finished.returncode == 0, finished.stderr
    return json.loads(finished.stdout)


def test_each_value_has_an_origin(server):
    """Default, environment, flag."""
    values = shown(server, "--set", "crawler-concurrency=7")

    assert values["port"] == {"value": str(server.port), "origin": "PANDO_PORT"}
    assert values["crawler-concurrency"] == {"value": "7", "origin": "flag"}
    assert values["database-connections"]["origin"] == "default"


@pytest.mark.parametrize("name, text", [("pando.yaml", "log-level: debug\nport: 1234\n"), ("pando.json", '{"log-level": "debug", "port": 1234}')])
def test_a_file_stands_below_the_environment(server, tmp_path, name, text):
    """PANDO_CONFIG names JSON or YAML; the environment wins."""
    file = tmp_path / name
    file.write_text(text)

    values = shown(server, PANDO_CONFIG=str(file))

    assert values["log-level"] == {"value": "debug", "origin": str(file)}
    assert values["port"]["origin"] == "PANDO_PORT"


def test_secrets_are_hidden(server):
    """The connection string may hold a password."""
    finished = server.run("config", "show", PANDO_DATABASE="host=db.example.org password=hunter2")

    assert "hunter2" not in finished.stdout and "(hidden)" in finished.stdout


def test_the_administration_tells_what_holds(server):
    """`pando admin config show`: without --server of its own process, with origins, and nothing of the connection string."""
    told = {row["setting"]: row for row in server.admin("config", "show")["items"]}

    assert told["port"]["value"] == str(server.port) and told["port"]["origin"] == "PANDO_PORT"
    assert told["database"]["value"] == "(hidden)" and told["database-connections"]["origin"] == "default"
    assert all(row["meaning"] for row in told.values())


@pytest.mark.parametrize("command", [["config", "show"], ["admin", "accounts", "list"], ["migrate"]], ids=" ".join)
def test_an_unknown_variable_is_a_warning(server, command):
    """A misspelt variable is named with the nearest setting, and the command goes on; its value is not told."""
    finished = server.run(*command, PANDO_ISUER="https://hunter2.example.org")

    told = finished.stderr + finished.stdout
    assert finished.returncode == 0 and "PANDO_ISUER" in told and "PANDO_ISSUER" in told and "hunter2" not in told, told


def test_a_pod_beside_a_service_named_pando_starts(server):
    """Kubernetes puts these into its environment."""
    values = shown(server, PANDO_SERVICE_HOST="10.96.12.7", PANDO_SERVICE_PORT="8080", PANDO_PORT="tcp://10.96.12.7:8080",
                   PANDO_PORT_8080_TCP="tcp://10.96.12.7:8080", PANDO_PORT_8080_TCP_PROTO="tcp")

    assert values["port"] == {"value": "8080", "origin": "default"}


def test_a_port_that_is_taken_is_named(server):
    """With its address, and what to do."""
    finished = server.run("serve", **server.serving())

    assert finished.returncode == 2, finished.stderr
    for word in (f":{server.port} already", "another process listens", "PANDO_PORT"):
        assert word in finished.stderr, finished.stderr


def test_a_name_to_listen_at_that_nobody_knows_is_told(server):
    """It is looked up at the start, not before."""
    finished = served(server, PANDO_BIND="127.0.0.1,nobody.invalid", PANDO_PORT=str(free_port()))

    assert finished.returncode == 2 and "bind, port: nobody.invalid is no address, and no name" in finished.stderr, finished.stderr


def test_a_port_of_metrics_that_is_taken_is_told_before_all_that_ends_with_it(server):
    """Workers and listeners that are stopped log what they were at: who reads from the top finds the cause first."""
    finished = served(server, PANDO_METRICS_PORT=str(server.port), PANDO_LOG_FORMAT="json")

    lines = [json.loads(line) for line in finished.stderr.splitlines() if line.startswith("{")]
    [cause] = [number for number, line in enumerate(lines) if line["level"] == "critical"]
    assert finished.returncode == 2 and lines[cause]["message"].startswith("the server ends: metrics-port: another process listens at "), finished.stderr
    assert not any("cancel" in json.dumps(line).lower() for line in lines[:cause]), finished.stderr


def test_certificates_in_headers_of_a_wide_range_stop_the_start(server):
    """Whoever has an address there could be any client."""
    finished = server.run("serve", PANDO_TRUSTED_PROXY="172.16.0.0/12", PANDO_CLIENT_CERTIFICATE_HEADER="Client-Cert")

    assert finished.returncode == 2 and "trusted-proxy" in finished.stderr and "172.16.0.0/12" in finished.stderr, finished.stderr


def test_an_unknown_key_in_the_file_stops_it(server, tmp_path):
    """The same for files."""
    file = tmp_path / "pando.yaml"
    file.write_text("isuer: https://id.example.org\n")

    finished = server.run("serve", PANDO_CONFIG=str(file))

    assert finished.returncode == 2 and "isuer" in finished.stderr


@pytest.mark.parametrize("name, value, word", [
    ("PANDO_ISSUER", "http://id.example.org", "https"), ("PANDO_ISSUER", "https://example.org/pando", "has a path"), ("PANDO_ISSUER", "id.example.org", "issuer"), ("PANDO_PORT", "eighty", "port"),
    ("PANDO_ROLES", "idp,crowler", "crowler"), ("PANDO_BIND", " , ", "bind: "), ("PANDO_LOG_LEVEL", "loud", "log-level: loud"), ("PANDO_LOG_FORMAT", "xml", "log-format: xml"),
    ("PANDO_ALLOW_LOOPBACK_SERVICES", "yes", "allow-loopback-services: ")])
def test_a_value_that_cannot_stand_is_named(server, name, value, word):
    """Plain HTTP beyond loopback, a path, what is no URL, no number, no role; by the check beforehand, too."""
    for command in (["serve"], ["config", "check"]):
        finished = server.run(*command, **{name: value})

        assert finished.returncode == 2 and word in finished.stderr, finished.stderr


def test_a_check_says_who_would_start(server):
    """The database is named, and need not be there."""
    finished = server.run("config", "check", **server.serving() | {"PANDO_DATABASE": "host=/nonexistent dbname=none"}, PANDO_ISSUER="https://id.example.org/")

    assert finished.returncode == 0 and "https://id.example.org\n" in finished.stdout, finished.stderr


APNS = {"PANDO_TIQR_APNS_TEAM": "TEAM", "PANDO_TIQR_APNS_KEY_ID": "KEY", "PANDO_TIQR_APNS_TOPIC": "org.example.app"}
ACCOUNT = {"project_id": "p", "client_email": "p@example.org", "token_uri": "https://oauth2.example.org/token"}


def pem(key) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def served(server: Server, **settings: str) -> subprocess.CompletedProcess:
    """`pando serve` on the database of a server that runs: it leaves before it listens, if anything is wrong."""
    return server.run("serve", **server.serving() | {"PANDO_PORT": "0"} | settings)


@pytest.mark.parametrize("settings, name, word", [
    ({"PANDO_TIQR_NAME": ""}, "tiqr-name", "100"), ({"PANDO_TIQR_NAME": "x" * 101}, "tiqr-name", "100"),
    ({"PANDO_TIQR_SUITE": "OCRA-1:HOTP-MD5-6:QH10-S064"}, "tiqr-suite", "MD5"), ({"PANDO_TIQR_SUITE": "OCRA-1:HOTP-SHA1-6:QN10"}, "tiqr-suite", "QN10"),
    ({"PANDO_TIQR_SCHEMES": "tiqrenroll"}, "tiqr-schemes", "two"), ({"PANDO_TIQR_SCHEMES": "https,tiqrauth"}, "tiqr-schemes", "two"),
    ({"PANDO_TIQR_LOGO": "http://www.example.org/logo.png"}, "tiqr-logo", "https"), ({"PANDO_TIQR_INFO": "about"}, "tiqr-info", "https"),
    ({"PANDO_TIQR_EXCHANGE": "http://tx.example.org/"}, "tiqr-exchange", "https"),
    (APNS, "tiqr-apns-key", "all four"), ({"PANDO_TIQR_APNS_KEY": "/nowhere.p8"}, "tiqr-apns-team", "all four"),
    (APNS | {"PANDO_TIQR_APNS_KEY": "/nowhere.p8", "PANDO_TIQR_APNS_ENDPOINT": "https://push.example.org/?x=1"}, "tiqr-apns-endpoint", "query"),
    ({"PANDO_TIQR_FCM_ACCOUNT": "/nowhere.json", "PANDO_TIQR_FCM_ENDPOINT": "fcm.example.org"}, "tiqr-fcm-endpoint", "https"),
    ({"PANDO_TIQR_WEBHOOK": "https://hooks.example.org/push"}, "tiqr-webhook-secret", "other"), ({"PANDO_TIQR_WEBHOOK_SECRET": "/nowhere"}, "tiqr-webhook", "other"),
    (APNS | {"PANDO_TIQR_APNS_KEY": "/nowhere.p8"}, "tiqr-apns-key", "/nowhere.p8 cannot be read"),
    ({"PANDO_TIQR_FCM_ACCOUNT": "/nowhere.json"}, "tiqr-fcm-account", "/nowhere.json cannot be read"),
    ({"PANDO_TIQR_WEBHOOK": "https://hooks.example.org/push", "PANDO_TIQR_WEBHOOK_SECRET": "/nowhere"}, "tiqr-webhook-secret", "/nowhere cannot be read")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_tiqr_settings_are_checked_before_anything_listens(server, settings, name, word):
    """The setting is named, and what it should be; half of what a push service needs is as good as none."""
    finished = served(server, **settings)

    assert finished.returncode == 2 and name in finished.stderr and word in finished.stderr, finished.stderr


@pytest.mark.parametrize("setting, given, text, word", [
    ("PANDO_TIQR_APNS_KEY", APNS, "no key", "PKCS #8"), ("PANDO_TIQR_APNS_KEY", APNS, pem(rsa.generate_private_key(65537, 2048)), "ES256"),
    ("PANDO_TIQR_FCM_ACCOUNT", {}, "no JSON", "service account"), ("PANDO_TIQR_FCM_ACCOUNT", {}, json.dumps(ACCOUNT), "private_key"),
    ("PANDO_TIQR_FCM_ACCOUNT", {}, json.dumps(ACCOUNT | {"private_key": "no key"}), "PKCS #8"),
    ("PANDO_TIQR_FCM_ACCOUNT", {}, json.dumps(ACCOUNT | {"private_key": pem(ec.generate_private_key(ec.SECP256R1()))}), "RS256"),
    ("PANDO_TIQR_WEBHOOK_SECRET", {"PANDO_TIQR_WEBHOOK": "https://hooks.example.org/"}, base64.urlsafe_b64encode(b"s" * 16).decode(), "32 bytes"),
    ("PANDO_TIQR_WEBHOOK_SECRET", {"PANDO_TIQR_WEBHOOK": "https://hooks.example.org/"}, "not base64url!", "32 bytes")],
    ids=["apns no key", "apns rsa", "fcm no json", "fcm without key", "fcm no key", "fcm ec", "webhook short", "webhook no base64url"])
def test_files_of_push_services_are_checked(server, tmp_path, setting, given, text, word):
    """A file that is there and is not what it should be: the setting and the want are named, never what is in the file."""
    file = tmp_path / "file"
    file.write_text(text)

    finished = served(server, **given, **{setting: str(file)})

    name = setting.removeprefix("PANDO_").lower().replace("_", "-")
    assert finished.returncode == 2 and name in finished.stderr and word in finished.stderr, finished.stderr
    assert "PRIVATE KEY" not in finished.stderr and text[:20] not in finished.stderr


def test_the_command_line_needs_no_push_keys(server):
    """They are the server's to read: an operator elsewhere, or of another user, has none."""
    away = APNS | {"PANDO_TIQR_APNS_KEY": "/nowhere.p8", "PANDO_TIQR_FCM_ACCOUNT": "/nowhere.json", "PANDO_TIQR_WEBHOOK": "https://hooks.example.org/",
                   "PANDO_TIQR_WEBHOOK_SECRET": "/nowhere"}

    finished = server.run("admin", "--json", "accounts", "list", **away)

    assert finished.returncode == 0, finished.stderr
    assert "items" in json.loads(finished.stdout)


@pytest.fixture(scope="module")
def files(folder) -> dict:
    """By name: what is there and what it is good for."""
    place = Path(mkdtemp(dir=folder))
    (place / "bad").write_text("no PEM, no JSON, no key\nand out of order\n")
    (place / "empty").mkdir()
    (place / "odd").mkdir()
    (place / "odd" / "first.sql").write_text("select 1;\n")
    authority = Authority("Somebody")
    certificate, key = authority.leaf(place, "localhost", "localhost")
    _, other = authority.leaf(place, "other", "localhost")
    return {"bad": place / "bad", "empty": place / "empty", "odd": place / "odd", "certificate": certificate, "key": key, "other": other, "none": "/nowhere"}


TLS = {"issuer": "https://localhost:7443", "tls-certificate": "{certificate}", "tls-key": "{key}"}
MAIL = {"mail-server": "smtps://mail.example.org", "mail-from": "pando@example.org"}
LDAP = {"ldap-url": "ldaps://ldap.example.org", "ldap-base": "dc=example", "ldap-institution": "uni"}


@pytest.mark.parametrize("settings, name", [
    (TLS | {"tls-certificate": "{none}"}, "tls-certificate"), (TLS | {"tls-key": "{none}"}, "tls-key"), (TLS | {"tls-key": "{other}"}, "tls-certificate, tls-key"),
    (TLS | {"tls-certificate": "{bad}"}, "tls-certificate, tls-key"), (TLS | {"tls-client-ca": "{none}"}, "tls-client-ca"), (TLS | {"tls-client-ca": "{bad}"}, "tls-client-ca"),
    ({"database": ""}, "database"), ({"database": "hunter2"}, "database"),
    ({"migrations": "{none}"}, "migrations"), ({"migrations": "{empty}"}, "migrations"), ({"migrations": "{odd}"}, "migrations"),
    ({"master-key-file": "{none}"}, "master-key-file"), ({"master-key-file": "{bad}"}, "master-key-file"),
    ({"common-passwords": "{none}"}, "common-passwords"), ({"common-passwords": "{bad}"}, "common-passwords"),
    ({"metrics-port": "0", "metrics-token-file": "{none}"}, "metrics-token-file"), ({"crawler-deny": "everything"}, "crawler-allow, crawler-deny"),
    ({"crawler-resolve": "name"}, "crawler-resolve"),
    (MAIL | {"mail-user": "pando", "mail-password-file": "{none}"}, "mail-password-file"), (MAIL | {"mail-ca": "{none}"}, "mail-ca"),
    (LDAP | {"ldap-user": "cn=pando", "ldap-password-file": "{none}"}, "ldap-password-file"),
    ({"tiqr-fcm-account": "{bad}"}, "tiqr-fcm-account"), ({"tiqr-texts": "{none}"}, "tiqr-texts"), ({"tiqr-texts": "{bad}"}, "tiqr-texts"),
    ({"tiqr-webhook": "https://hooks.example.org/", "tiqr-webhook-secret": "{bad}"}, "tiqr-webhook-secret"),
    ({"operations-fcm-account": "{bad}"}, "operations-fcm-account"), ({"operations-hms-app": "1", "operations-hms-secret": "{none}"}, "operations-hms-secret"),
    ({"operations-webhook": "https://hooks.example.org/", "operations-webhook-secret": "{none}"}, "operations-webhook-secret"),
    ({"liquid-algod": "https://node.example", "liquid-algod-token": "{none}"}, "liquid-algod-token"),
    ({"liquid-turn-urls": "turn:turn.example:3478", "liquid-turn-secret": "{none}"}, "liquid-turn-secret"),
    ({"liquid-attestation-roots": "packed={bad}"}, "liquid-attestation-roots")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_what_stops_a_start_is_found_beforehand(server, files, settings, name):
    """`config check` refuses what `serve` refuses, in the same words, whose first are the setting; no value of the connection string is told."""
    given = {f"PANDO_{setting.upper().replace('-', '_')}": text.format(**files) for setting, text in settings.items()}

    checked = server.run("config", "check", **server.serving() | {"PANDO_PORT": "0"} | given)
    started = served(server, **given)

    [why] = [line for line in checked.stderr.splitlines() if line.startswith("Error: ")]
    assert checked.returncode == started.returncode == 2 and why.startswith(f"Error: {name}: ") and why in started.stderr, (checked.stderr, started.stderr)
    assert "hunter2" not in checked.stderr + started.stderr


@pytest.mark.parametrize("settings", [{"PANDO_TIQR_TEXTS": "/nowhere"}, {"PANDO_MIGRATIONS": "/nowhere"}], ids=lambda settings: next(iter(settings)))
def test_doctor_finds_what_the_check_finds(server, settings):
    """Among the settings, in the same words; a folder without migrations is no database that is away."""
    checked = server.run("config", "check", **server.serving(), **settings)
    found = json.loads(server.run("doctor", "-o", "json", **settings).stdout)["items"]

    [told] = [item["text"] for item in found if (item["name"], item["status"]) == ("settings", "error")]
    assert f"Error: {told}\n" in checked.stderr, (told, checked.stderr)
    assert not [item for item in found if item["name"] == "database" and item["status"] == "error"], found


PRINT = ":".join(["AB"] * 32)


@pytest.mark.parametrize("settings, name, word", [
    ({"PANDO_LIQUID_NAME": ""}, "liquid-name", "100"), ({"PANDO_LIQUID_NAME": "x" * 101}, "liquid-name", "100"),
    ({"PANDO_LIQUID_RP_ID": "example.org"}, "liquid-rp-id", "example.org"), ({"PANDO_LIQUID_RP_ID": "host"}, "liquid-rp-id", "above"),
    ({"PANDO_LIQUID_ORIGINS": "https://wallet.example/"}, "liquid-origins", "https://wallet.example/"),
    ({"PANDO_LIQUID_ORIGINS": "https://wallet.example,wss://wallet.example"}, "liquid-origins", "wss://wallet.example"),
    ({"PANDO_LIQUID_ORIGINS": "http://wallet.example"}, "liquid-origins", "origin"), ({"PANDO_LIQUID_ORIGINS": "wallet.example"}, "liquid-origins", "origin"),
    ({"PANDO_PASSKEY_ORIGINS": "https://app.example"}, "passkey-origins", "43"), ({"PANDO_PASSKEY_ORIGINS": "android:apk-key-hash:abc"}, "passkey-origins", "43"),
    ({"PANDO_LIQUID_ANDROID": "org.example.wallet"}, "liquid-android", "form"), ({"PANDO_LIQUID_ANDROID": "org.example.wallet=AB:CD"}, "liquid-android", "32"),
    ({"PANDO_LIQUID_ANDROID": f"wallet={PRINT}"}, "liquid-android", "package"), ({"PANDO_LIQUID_ANDROID": f"org.example.wallet={PRINT}:AB"}, "liquid-android", "32"),
    ({"PANDO_LIQUID_ANDROID": f"org.example.wallet=+A{PRINT[2:]}"}, "liquid-android", "32"),
    ({"PANDO_LIQUID_APPLE": "org.example.wallet"}, "liquid-apple", "TEAMID"), ({"PANDO_LIQUID_APPLE": "teamid1234.org.example.wallet"}, "liquid-apple", "TEAMID"),
    ({"PANDO_LIQUID_ALGOD": "http://node.example"}, "liquid-algod", "https"), ({"PANDO_LIQUID_ALGOD": "https://node.example/?x=1"}, "liquid-algod", "query"),
    ({"PANDO_LIQUID_ALGOD_TOKEN": "/nowhere"}, "liquid-algod-token", "without"),
    ({"PANDO_LIQUID_ALGOD": "https://node.example", "PANDO_LIQUID_ALGOD_TOKEN": "/nowhere"}, "liquid-algod-token", "/nowhere cannot be read"),
    ({"PANDO_LIQUID_ATTESTATION": "always"}, "liquid-attestation", "enterprise"),
    ({"PANDO_LIQUID_ATTESTATION_ROOTS": "packed"}, "liquid-attestation-roots", "form"),
    ({"PANDO_LIQUID_ATTESTATION_ROOTS": "none=x.pem"}, "liquid-attestation-roots", "tpm"),
    ({"PANDO_LIQUID_ATTESTATION_ROOTS": "packed=/nowhere.pem"}, "liquid-attestation-roots", "/nowhere.pem cannot be read"),
    ({"PANDO_LIQUID_CONFORMANCE": "yes"}, "liquid-conformance", "true or false"),
    ({"PANDO_LIQUID_BOUND": "yes"}, "liquid-bound", "true or false")],
    ids=lambda value: value if isinstance(value, str) else "")
def test_liquid_settings_are_checked_before_anything_listens(server, settings, name, word):
    """As those of tiqr: the setting is named, and what it should be."""
    finished = served(server, **settings)

    assert finished.returncode == 2 and name in finished.stderr and word in finished.stderr, finished.stderr


def test_roots_of_authenticators_are_certificates(server, tmp_path):
    """A file that holds none, and two files for one format."""
    empty, roots = tmp_path / "empty.pem", tmp_path / "roots.pem"
    empty.write_text("no certificate")
    roots.write_bytes(Authority("Maker").own)

    none = served(server, PANDO_LIQUID_ATTESTATION_ROOTS=f"packed={empty}")
    twice = served(server, PANDO_LIQUID_ATTESTATION_ROOTS=f"packed={roots},packed={roots}")

    assert none.returncode == 2 and "no certificates" in none.stderr, none.stderr
    assert twice.returncode == 2 and "packed comes twice" in twice.stderr, twice.stderr


def test_what_liquid_settings_make(folder):
    """What is read is what is served: names, origins of pages and of apps, each certificate of a package that comes twice."""
    other = ":".join(["0C"] * 32)
    place = Path(mkdtemp(dir=folder))
    server = Server(place, PANDO_LIQUID_NAME="School", PANDO_LIQUID_ORIGINS="https://wallet.example, http://localhost:1234", PANDO_LIQUID_CONFORMANCE="false",
                    PANDO_LIQUID_ANDROID=f"org.example.wallet={PRINT},org.example.wallet={other}", PANDO_LIQUID_APPLE="TEAMID1234.a.b,TEAMID1234.c.d")
    try:
        server.start()

        def read(path: str) -> requests.Response:
            return requests.get(server.issuer + path, timeout=30)
        asked = requests.post(f"{server.issuer}/attestation/request", json={"extensions": {"liquid": True}}, timeout=30)
        closed = requests.post(f"{server.issuer}/attestation/options", json={"username": "x"}, timeout=30)

        assert asked.json()["rp"] == {"id": "localhost", "name": "School"} and closed.status_code == 404
        assert read("/.well-known/webauthn").json()["origins"] == sorted({server.issuer, "https://localhost", "https://wallet.example", "http://localhost:1234"})
        assert read("/.well-known/apple-app-site-association").json() == {"webcredentials": {"apps": ["TEAMID1234.a.b", "TEAMID1234.c.d"]}}
        [app] = [entry["target"] for entry in read("/.well-known/assetlinks.json").json() if entry["target"]["namespace"] == "android_app"]
        assert app["sha256_cert_fingerprints"] == [PRINT, other]
    finally:
        server.clear()
