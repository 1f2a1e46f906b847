"""docs/recipes.md, Superset: Flask-AppBuilder, which does its logins, with the page's settings; `superset.security` is a stand-in for Superset's own."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from chromium import Chromium
from phone import person
from recipe import Recipe, log_in
from server import free_port
from waiting import eventually

PROGRAM = """
import sys, types
from flask import Flask, g
from flask_appbuilder import AppBuilder
from flask_appbuilder.security.sqla.manager import SecurityManager
from flask_appbuilder.utils.legacy import get_sqla_class
from werkzeug.serving import make_server

stand_in = types.ModuleType("superset.security")
stand_in.SupersetSecurityManager = SecurityManager
sys.modules |= {"superset": types.ModuleType("superset"), "superset.security": stand_in}
web = Flask("dashboards")
web.config.update(SECRET_KEY="only for tests", SQLALCHEMY_DATABASE_URI="sqlite:///people.db", WTF_CSRF_ENABLED=False)
web.config.from_object("superset_config")
with web.app_context():
    database = get_sqla_class()(web)
    AppBuilder(web, database.session, security_manager_class=web.config["CUSTOM_SECURITY_MANAGER"])

@web.route("/who")
def who():
    return f"{g.user.email} is {g.user.username}" if g.user and g.user.is_authenticated else "nobody"

make_server("127.0.0.1", int(sys.argv[1]), web, threaded=True).serve_forever()
"""


@pytest.fixture
def dashboards(server, folder):
    """Its address."""
    own, port = Path(mkdtemp(dir=folder)), free_port()
    home = f"http://127.0.0.1:{port}"
    recipe = Recipe(server, "Superset", **{"https://superset.example.org": home})
    recipe.create("sh create")
    (own / "superset_config.py").write_text(recipe.fence("python settings"))
    (own / "dashboards.py").write_text(PROGRAM)
    with (own / "log").open("wb") as log:
        process = subprocess.Popen([sys.executable, "dashboards.py", str(port)], cwd=own, env=os.environ | {"PYTHONPATH": str(own)}, stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT)

    def answers() -> bool:
        try:
            return requests.get(f"{home}/who", timeout=5).text == "nobody"
        except requests.RequestException:
            return False
    try:
        assert eventually(answers, within_s=30), (own / "log").read_text(errors="replace")[-4000:]
        yield home
    finally:
        print((own / "log").read_text(errors="replace")[-4000:])  # shown where a test fails
        process.terminate()
        process.wait(timeout=20)


def test_login(server, folder, dashboards):
    """A person whom it did not know is registered under the name that this server gave it."""
    name, browser = person(server), Chromium(Path(mkdtemp(dir=folder)), {})
    try:
        browser.open(f"{dashboards}/login/pando")
        log_in(browser, name)
        browser.open(f"{dashboards}/who")
        assert browser.text.startswith(f"{name}@example.org is ") and not browser.text.endswith(name)
    finally:
        browser.close()
