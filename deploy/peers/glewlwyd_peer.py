"""Glewlwyd, an authorization server in C, with its OpenID Connect plugin; tokens in PostgreSQL, signed with ES256.

It is Debian's package, unpacked into a folder (deploy/bench-peers.sh). Clients and plugin are written into its tables
before it starts, as its administration would write them. The secret is its "client secret", which is kept as it is.

In: PEER_DATABASE, a name, and libpq's PGHOST, PGPORT, PGUSER for where it is; PEER_ISSUER, PEER_CLIENT, PEER_SECRET,
PEER_KEY; PEER_ROOT, the folder with the package, which takes its configuration too.
"""
from __future__ import annotations

import json
import os
from pathlib import Path

import psycopg
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from peer_keys import SIGNER, key_set

NAME = "glwd"
ROOT = Path(os.environ["PEER_ROOT"])
MODULES = "usr/lib/glewlwyd"
TABLES = ROOT / "usr/share/dbconfig-common/data/glewlwyd/install"


def plugin() -> dict:
    """Parameters of the plugin (its OIDC.md): what is not needed is off."""
    key = ec.generate_private_key(ec.SECP256R1())
    return {"iss": os.environ["PEER_ISSUER"], "jwt-type": "ecdsa", "jwt-key-size": "256",
            "key": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode(),
            "cert": key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode(),
            "access-token-duration": 3_600, "refresh-token-duration": 1_209_600, "code-duration": 600,
            "allow-non-oidc": True, "auth-type-client-enabled": True, "request-parameter-allow": True,
            "client-jwks-parameter": "jwks", "allowed-scope": ["openid"], "introspection-revocation-allowed": True,
            "introspection-revocation-allow-target-client": True}


def add_client(database: psycopg.Connection, name: str, properties: dict[str, str]) -> None:
    client = database.execute("insert into g_client (gc_client_id, gc_name, gc_confidential) values (%s, %s, 1) "
                              "returning gc_id", (name, name)).fetchone()[0]
    database.execute("insert into g_client_scope_client (gc_id, gcs_id) "
                     "select %s, gcs_id from g_client_scope where gcs_name = 'read'", (client,))
    for key, value in ({"authorization_type": "client_credentials"} | properties).items():
        database.execute("insert into g_client_property (gc_id, gcp_name, gcp_value) values (%s, %s, %s)",
                         (client, key, value))


def prepare() -> None:
    """The tables, the clients, and the configuration; once, before it starts."""
    with psycopg.connect(dbname=os.environ["PEER_DATABASE"]) as database:
        database.execute("create extension if not exists pgcrypto")
        for file in ("pgsql", "postgre.default.sql"):
            database.execute((TABLES / file).read_text())
        database.execute("insert into g_scope (gs_name) values ('read')")
        database.execute("insert into g_client_scope (gcs_name) values ('read')")
        add_client(database, os.environ["PEER_CLIENT"], {
            "token_endpoint_auth_method": "client_secret_basic", "client_secret": os.environ["PEER_SECRET"]})
        add_client(database, SIGNER, {
            "token_endpoint_auth_method": "private_key_jwt", "jwks": json.dumps(key_set())})
        database.execute("insert into g_plugin_module_instance (gpmi_module, gpmi_name, gpmi_parameters) "
                         "values ('oidc', %s, %s)", (NAME, json.dumps(plugin())))
    (ROOT / MODULES / "user_middleware").mkdir(exist_ok=True)  # It looks there, and the package brings none.
    (ROOT / "glewlwyd.conf").write_text(configuration())


def configuration() -> str:
    address, port = os.environ["PEER_ISSUER"].removeprefix("http://").split("/")[0].split(":")
    values = {"bind_address": address, "external_url": f"http://{address}:{port}", "login_url": "login.html",
              "api_prefix": "api", "log_mode": "console", "log_level": "ERROR", "admin_scope": "g_admin",
              "profile_scope": "g_profile", "hash_algorithm": "SHA256"}
    modules = {"user_module": "user", "user_middleware_module": "user_middleware", "client_module": "client",
               "user_auth_scheme_module": "scheme", "plugin_module": "plugin"}
    values |= {f"{module}_path": str(ROOT / MODULES / folder) for module, folder in modules.items()}
    where = " ".join(f"{key}={os.environ[variable]}" for key, variable in (
        ("host", "PGHOST"), ("port", "PGPORT"), ("user", "PGUSER"), ("dbname", "PEER_DATABASE")))
    # Nothing is said of TLS: use_secure_connection=false asks for certificates, too.
    return "\n".join([f"port={port}", "cookie_secure=0",
                      *(f'{key}="{value}"' for key, value in values.items()),
                      f'database = {{ type = "postgre" conninfo = "{where}" }};', ""])


if __name__ == "__main__":
    prepare()
