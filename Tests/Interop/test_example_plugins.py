"""What is particular about the plugins for WordPress and Moodle: who becomes a user, what an administrator sets, and that every file is PHP."""
from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import mkdtemp

import pytest
import requests

from example_moodle import MoodleService
from example_services import FOLDER
from example_wordpress import ADMIN, ADMIN_PASSWORD, WordPressService
from fake_issuer import FakeIssuer
from keys import Proof, new_id, new_key
from test_example_services_refuse import authorize
from waiting import at_once

EACH = [pytest.param(kind, id=kind.kind, marks=[pytest.mark.skipif(bool(kind.missing()), reason=str(kind.missing()))]) for kind in (WordPressService, MoodleService)]


@pytest.fixture(scope="module")
def issuer():
    issuer = FakeIssuer()
    yield issuer
    issuer.close()


@pytest.fixture(scope="module", params=EACH)
def site(request, issuer, folder):
    made = request.param(Path(mkdtemp(dir=folder)), issuer.url)
    try:
        yield made.alone()
    finally:
        made.clear()


@pytest.fixture(scope="module")
def wordpress(issuer, folder):
    if reason := WordPressService.missing():
        pytest.skip(reason)
    made = WordPressService(Path(mkdtemp(dir=folder)), issuer.url)
    try:
        yield made.alone()
    finally:
        made.clear()


@pytest.mark.parametrize("file", sorted(str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.php")))
def test_each_file_is_php(file):
    """All that is done with the settings page and the task of the plugin for Moodle: Debian has no Moodle in which they could run."""
    checked = subprocess.run(["php", "-l", FOLDER / file], capture_output=True, text=True, timeout=60)

    assert checked.returncode == 0, checked.stdout


def token(issuer, site, **claims) -> dict:
    key = new_key()
    answer = site.redeem(issuer.assertion(site.base, key, **claims))
    assert answer.status_code == 200, answer.text
    return authorize(site, answer.json(), key).json()


def test_two_assertions_at_once_make_one_user(issuer, site):
    person, keys = new_id(), [new_key() for _ in range(4)]

    answers = at_once([lambda key=key: site.redeem(issuer.assertion(site.base, key, sub=person, name="Ada Lovelace", email="ada@example.org")) for key in keys])

    assert [answer.status_code for answer in answers] == [200] * 4, [answer.text for answer in answers]
    users = [site.who(site.call(authorize(site, answer.json(), key).json()).json()) for answer, key in zip(answers, keys)]
    assert len(set(users)) == 1


def test_nobody_is_taken_over_for_an_address(issuer, site):
    """Neither the administrator's account, nor that of who came before."""
    claims = {"email": "admin@example.org", "name": "Mallory"}

    users = [site.who(site.call(token(issuer, site, sub=new_id(), **claims)).json()) for _ in range(2)]

    assert len(set(users)) == 2 and 1 not in users


def test_a_user_of_wordpress_is_a_subscriber(issuer, wordpress):
    app = token(issuer, wordpress, sub=new_id(), name="Grace Hopper")

    def ask(method, path, **options):
        return requests.request(method, f"{wordpress.home}wp-json/wp/v2/{path}", headers={"Authorization": f"Bearer {app['access_token']}"}, timeout=30, **options)

    assert ask("GET", "users/me").json()["name"] == "Grace Hopper"
    assert ask("POST", "posts", json={"title": "x", "status": "publish"}).status_code == 403
    assert ask("GET", "users/me?context=edit").json()["roles"] == ["subscriber"]


def test_a_proof_in_wordpress_is_for_one_path(issuer, wordpress):
    key, own = new_key(), new_key()
    holder = wordpress.redeem(issuer.assertion(wordpress.base, key)).json()
    assert requests.get(f"{wordpress.home}wp-json/wp/v2/posts", auth=Proof(key, holder["access_token"]), timeout=30).status_code == 403, "it is no app's"
    forged = requests.get(f"{wordpress.home}wp-json/wp/v2/posts", auth=Proof(own, holder["access_token"]), timeout=30)
    assert forged.status_code == 401 and forged.json()["code"] == "invalid_dpop_proof" and forged.headers["WWW-Authenticate"].startswith("DPoP ")


def logged_in(wordpress) -> requests.Session:
    browser = requests.Session()
    browser.get(f"{wordpress.home}wp-login.php", timeout=30)
    browser.post(f"{wordpress.home}wp-login.php", data={"log": ADMIN, "pwd": ADMIN_PASSWORD, "testcookie": "1"}, timeout=60)
    return browser


def test_the_settings_page_of_wordpress(issuer, wordpress):
    """It shows no secret, takes no issuer that everybody on the way could play, and is the administrator's."""
    page = f"{wordpress.home}wp-admin/options-general.php?page=pando"
    browser = logged_in(wordpress)
    shown = browser.get(page, timeout=60).text
    assert wordpress.base in shown and issuer.url in shown and wordpress.client[1] not in shown

    hidden = dict(re.findall(r"<input type=[\"']hidden[\"'] (?:id=[\"'][^\"']*[\"'] )?name=[\"']([^\"']+)[\"'] value=[\"']([^\"']*)[\"']", shown))
    form = hidden | {"option_page": "pando", "action": "update", "pando_client_id": "nobody", "pando_client_secret": "", "pando_role": "subscriber"}
    browser.post(f"{wordpress.home}wp-admin/options.php", data=form | {"pando_issuer": "http://id.example.org"}, timeout=60)
    again = browser.get(page, timeout=60).text
    assert issuer.url in again and "http://id.example.org" not in again

    browser.post(f"{wordpress.home}wp-admin/options.php", data=form | {"pando_issuer": issuer.url, "pando_role": ""}, timeout=60)
    stranger = wordpress.redeem(issuer.assertion(wordpress.base, new_key(), sub=new_id()))
    assert (stranger.status_code, stranger.json()["error"]) == (400, "access_denied"), "nobody becomes a user any more"
    browser.post(f"{wordpress.home}wp-admin/options.php", data=form | {"pando_issuer": issuer.url, "pando_role": "subscriber"}, timeout=60)
    assert token(issuer, wordpress, sub=new_id())

    assert "wp-login.php" in requests.get(page, timeout=60).url
    assert requests.post(f"{wordpress.home}wp-admin/options.php", data=form | {"pando_issuer": "https://evil.example.org"}, timeout=60, allow_redirects=False).status_code == 302
    assert "evil.example.org" not in browser.get(page, timeout=60).text


@pytest.mark.skipif(not shutil.which("php"), reason="there is no PHP: deploy/packages.sh test")
def test_the_code_that_is_shared_stands_once():
    """The plugins copy it when they are installed."""
    assert [path.parent.relative_to(FOLDER) for path in FOLDER.rglob("Federation.php")] == [Path("php/src")]
