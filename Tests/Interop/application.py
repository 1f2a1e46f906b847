"""Learn: a web application as one writes it with Authlib and Flask. Tests drive it by Flask's own client, Chromium over TLS."""
from __future__ import annotations

import logging
import secrets
import threading

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, render_template_string, request, session
from joserfc import jwt
from joserfc.jwk import KeySet
from werkzeug.serving import make_server

from clients import web_client
from server import Server, free_port

HOST = "learn.example.org"
HOME = f"https://{HOST}"
CALLBACK, GOODBYE = f"{HOME}/callback", f"{HOME}/goodbye"
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"

STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1d1d2b; --quiet: #5a5a6e; --line: #e3e3ec; --accent: #4338a8; --on: #fff; }
@media (prefers-color-scheme: dark) { :root { --paper: #15151d; --ink: #ececf4; --quiet: #a5a5b8; --line: #33333f; --accent: #b8b0ff; --on: #15151d; } }
* { box-sizing: border-box; } body { margin: 0; font: 1.0625rem/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main { max-width: 46rem; margin: 0 auto; padding: 1.25rem; } header { font-weight: 700; font-size: 1.25rem; color: var(--accent); }
main { padding-top: 14vh; } h1 { font-size: 2.25rem; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 .75rem; }
p { color: var(--quiet); margin: 0 0 1.5rem; max-width: 36rem; } dl { border-top: 1px solid var(--line); margin: 0 0 1.75rem; overflow-wrap: anywhere; }
dl div { display: grid; grid-template-columns: 9rem 1fr; gap: .25rem 1rem; padding: .75rem 0; border-bottom: 1px solid var(--line); } dd { margin: 0; }
dt { color: var(--quiet); } @media (max-width: 30rem) { dl div { grid-template-columns: 1fr; } }
.button { display: inline-block; padding: .75rem 1.5rem; border-radius: .5rem; background: var(--accent); color: var(--on); font-weight: 600; text-decoration: none; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
"""
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{ title }} · Learn</title><link rel="icon" href="data:,"><style>{{ style }}</style></head><body><header>Learn</header><main><h1>{{ title }}</h1>
<p>{{ text }}</p>{% if facts %}<dl>{% for name, value in facts.items() %}<div><dt>{{ name }}</dt><dd>{{ value }}</dd></div>{% endfor %}</dl>{% endif %}
<a class="button" href="{{ target }}">{{ label }}</a></main></body></html>"""


class Learn:
    """`tokens` are Authlib's token dictionaries of all logins, newest last; `ended` the sessions that the provider said are over."""

    def __init__(self, issuer: str, client: dict, scope: str = "openid profile email", **client_kwargs):
        self.tokens: list[dict] = []
        self.ended: set[str] = set()
        self.web = Flask("learn")
        self.web.secret_key = secrets.token_hex(16)
        self.pando = OAuth(self.web).register(
            "pando", client_id=client["client_id"], client_secret=client.get("client_secret"), server_metadata_url=f"{issuer}/.well-known/openid-configuration",
            client_kwargs={"scope": scope, "code_challenge_method": "S256", "default_timeout": 30} | client_kwargs)
        for path, view in (("/", self.home), ("/login", self.login), ("/callback", self.callback), ("/logout", self.logout), ("/goodbye", self.goodbye)):
            self.web.add_url_rule(path, path, view)
        self.web.add_url_rule("/backchannel", "backchannel", self.backchannel, methods=["POST"])
        self.web.register_error_handler(OAuthError, self.refused)

    def page(self, title: str, text: str, target: str, label: str, facts: dict | None = None, status: int = 200):
        return render_template_string(PAGE, title=title, text=text, target=target, label=label, facts=facts, style=STYLE), status

    def home(self):
        person = session.get("person")
        if person and person["sid"] in self.ended:
            session.clear()
            return self.page("You were logged out", "You ended your session elsewhere, and we were told.", "/login", "Log in")
        if person is None:
            return self.page("Courses for everyone", "Log in with the account of your institution to go on where you stopped.", "/login", "Log in")
        return self.page(f"Good morning, {person['name']}", "This is what your institution has told us about you.", "/logout", "Log out",
                         {"Name": person["name"], "E-mail": person["email"], "Known here as": person["sub"]})

    def login(self):
        """Parameters of ours go on to the provider: `prompt`, `ui_locales`."""
        return self.pando.authorize_redirect(CALLBACK, **request.args.to_dict())

    def callback(self):
        token = self.pando.authorize_access_token()
        self.tokens.append(token)
        info = self.pando.userinfo(token=token)
        assert info["sub"] == token["userinfo"]["sub"]
        session["person"] = {"sid": token["userinfo"]["sid"], "sub": info["sub"], "name": info.get("name", ""), "email": info.get("email", "")}
        return redirect("/")

    def logout(self):
        return self.pando.logout_redirect(GOODBYE, id_token_hint=self.tokens[-1]["id_token"])

    def goodbye(self):
        self.pando.validate_logout_response()
        session.clear()
        return self.page("See you soon", "You are logged out here and at your institution.", "/", "Start page")

    def backchannel(self):
        """Authlib has nothing for it: joserfc checks the logout token by the keys that Authlib fetched."""
        metadata = self.pando.load_server_metadata()
        token = jwt.decode(request.form["logout_token"], KeySet.import_key_set(self.pando.fetch_jwk_set()), algorithms=metadata["id_token_signing_alg_values_supported"])
        claims = token.claims
        good = token.header["typ"] == "logout+jwt" and claims["iss"] == metadata["issuer"] and claims["aud"] == self.pando.client_id
        if not good or "nonce" in claims or claims["events"] != {LOGOUT_EVENT: {}}:
            return "", 400
        self.ended.add(claims["sid"])
        return "", 200

    def refused(self, error: OAuthError):
        return self.page("That did not work", f"{error.error}: {error.description}", "/", "Start page", status=400)


class Application:
    """Learn at its own name over TLS for browsers, and on a plain port of this machine for the provider's back channel."""

    def __init__(self, server: Server):
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        back = free_port()
        client = web_client(server, "Learn", redirect=CALLBACK, goodbye=GOODBYE, backchannel_logout_uri=f"http://127.0.0.1:{back}/backchannel")
        self.learn = Learn(server.issuer, client)
        self.listeners = [make_server("127.0.0.1", 0, self.learn.web, threaded=True, ssl_context="adhoc"), make_server("127.0.0.1", back, self.learn.web)]
        for listener in self.listeners:
            threading.Thread(target=listener.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self.listeners[0].port

    def close(self) -> None:
        for listener in self.listeners:
            listener.shutdown()
