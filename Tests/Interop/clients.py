"""Web clients, made by the operator's command line."""
from __future__ import annotations

import json

from server import Server

CALLBACK = "https://rp.example.org/callback"
GOODBYE = "https://rp.example.org/goodbye"
CODE, REFRESH, DEVICE = "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"


def machine(server: Server) -> tuple[str, str]:
    """Id and secret of a client that gets tokens of its own."""
    made = server.admin("clients", "create", "--name", "machine", "--grant", "client_credentials", "--scope", "read")
    return made["client_id"], made["client_secret"]


def web_client(server: Server, name: str, *flags: str, redirect: str = CALLBACK, goodbye: str = GOODBYE, scope: str = "openid profile email",
               grants: tuple[str, ...] = (CODE, REFRESH), auth: str = "client_secret_basic", jwks: dict | None = None, **options: str) -> dict:
    """What `admin clients create` prints; `options` are its options, with _ for -."""
    arguments = ["--name", name, "--redirect-uri", redirect, "--post-logout-redirect-uri", goodbye, "--auth-method", auth, *flags]
    for grant in grants:
        arguments += ["--grant", grant]
    for word in scope.split():
        arguments += ["--scope", word]
    for option, value in options.items():
        arguments += [f"--{option.replace('_', '-')}", value]
    if jwks:
        return server.admin("clients", "create", *arguments, "--jwks", "-", stdin=json.dumps(jwks))
    return server.admin("clients", "create", *arguments)
