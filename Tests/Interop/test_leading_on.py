"""A broker: who gets a person back from this server sends them on to an application at another host. Browsers hold a page's policy against each step."""
from __future__ import annotations

import threading
from pathlib import Path
from tempfile import mkdtemp

from flask import Flask, redirect, request
from werkzeug.serving import make_server

from chromium import Chromium
from clients import web_client
from keys import pkce
from phone import PASSWORD, person
from recipe import log_in

BROKER, APPLICATION = "broker.example.org", "application.example.org"


def test_a_broker_leads_on(server, folder):
    """Login and consent, then the broker's callback and the application behind it; the second time the login alone, and the same way."""
    web = Flask("broker")
    web.add_url_rule("/callback", "callback", lambda: redirect(f"https://{APPLICATION}/"))
    web.add_url_rule("/", "home", lambda: f"Welcome to {request.host}")
    listener = make_server("127.0.0.1", 0, web, threaded=True, ssl_context="adhoc")
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    browser = Chromium(Path(mkdtemp(dir=folder)), {BROKER: listener.port, APPLICATION: listener.port})
    client = web_client(server, "Broker", redirect=f"https://{BROKER}/callback")
    link = (f"{server.issuer}/authorize?client_id={client['client_id']}&redirect_uri=https://{BROKER}/callback&response_type=code&scope=openid"
            f"&state=s&code_challenge={pkce()[1]}&code_challenge_method=S256")
    try:
        browser.open(link)
        log_in(browser, name := person(server))
        assert browser.text == f"Welcome to {APPLICATION}"
        browser.open(f"{link}&prompt=login")
        browser.type(username=name, password=PASSWORD)
        browser.click("main button")
        assert browser.text == f"Welcome to {APPLICATION}"
    finally:
        browser.close()
        listener.shutdown()
