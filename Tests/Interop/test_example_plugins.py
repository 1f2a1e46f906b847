"""What is particular about the plugins for WordPress and Moodle: who becomes a user, what an administrator sets, and that every file is PHP."""
from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import pytest
import requests

from example_moodle import MoodleService
from example_services import FOLDER
from example_wordpress import ADMIN, ADMIN_PASSWORD, WordPressService
from keys import Proof, new_id, new_key, public
from test_example_services_refuse import authorize, code
from waiting import at_once

EACH = [pytest.param(kind, id=kind.kind, marks=[pytest.mark.skipif(bool(kind.missing()), reason=str(kind.missing()))]) for kind in (WordPressService, MoodleService)]


@pytest.fixture(scope="module", params=EACH)
def site(request, alone):
    return alone(request.param)


@pytest.fixture(scope="module")
def wordpress(alone):
    if reason := WordPressService.missing():
        pytest.skip(reason)
    return alone(WordPressService)


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

    answers = at_once([lambda key=key: site.redeem(issuer.assertion(site.base, key, sub=person, name="Ada Lovelace", email="ada@example.org", email_verified=True)) for key in keys])

    assert [answer.status_code for answer in answers] == [200] * 4, [answer.text for answer in answers]
    users = [site.who(site.call(authorize(site, answer.json(), key).json()).json()) for answer, key in zip(answers, keys)]
    assert len(set(users)) == 1


def test_many_people_at_once_are_all_served(issuer, site):
    """MariaDB may refuse one of two statements that wait for each other: it is tried again."""
    for _ in range(4):
        answers = at_once([lambda: site.redeem(issuer.assertion(site.base, new_key(), sub=new_id())) for _ in range(6)])
        again = at_once([lambda: site.redeem(issuer.assertion(site.base, new_key(), sub="ada")) for _ in range(6)])

        assert {answer.status_code for answer in answers + again} == {200}, [answer.text[:300] for answer in answers + again]


def test_nobody_is_taken_over_for_an_address(issuer, site):
    """Neither the administrator's account, nor that of who came before."""
    claims = {"email": "admin@example.org", "email_verified": True, "name": "Mallory"}

    users = [site.who(site.call(token(issuer, site, sub=new_id(), **claims)).json()) for _ in range(2)]

    assert len(set(users)) == 2 and 1 not in users


def test_an_address_in_moodle_is_one_persons(issuer, alone):
    """Verified, and not another's in other letters."""
    if reason := MoodleService.missing():
        pytest.skip(reason)
    site, email = alone(MoodleService), f"{new_id()}@example.org".lower()

    def address(**claims) -> str:
        user = site.who(site.call(token(issuer, site, sub=new_id(), **claims)).json())
        with closing(sqlite3.connect(site.folder / "state.sqlite", timeout=30)) as database:
            return database.execute("select email from mdl_user where id = ?", (user,)).fetchone()[0]

    assert address(email=email).endswith("@invalid.invalid")
    assert address(email=email, email_verified=True) == email
    assert address(email=email.upper(), email_verified=True).endswith("@invalid.invalid")


def asking(wordpress, app: dict):
    """Requests to the REST API that show a bearer token."""
    def ask(method, path, **options):
        headers = {"Authorization": f"Bearer {app['access_token']}"} | options.pop("headers", {})
        return requests.request(method, f"{wordpress.home}wp-json/wp/v2/{path}", headers=headers, timeout=30, **options)
    return ask


def test_a_user_of_wordpress_is_a_subscriber(issuer, wordpress):
    ask = asking(wordpress, token(issuer, wordpress, sub=new_id(), name="Grace Hopper"))

    assert ask("GET", "users/me").json()["name"] == "Grace Hopper"
    assert ask("POST", "posts", json={"title": "x", "status": "publish"}).status_code == 403
    assert ask("GET", "users/me?context=edit").json()["roles"] == ["subscriber"]


def test_an_address_counts_when_it_was_verified(issuer, wordpress):
    """Who merely says that it is his takes nobody's place."""
    def address(**claims) -> str:
        ask = asking(wordpress, token(issuer, wordpress, sub=new_id(), **claims))
        return ask("GET", "users/me?context=edit").json()["email"]

    email = f"{new_id()}@example.org".lower()
    assert [address(email=email), address(email=email, email_verified=False), address(email=email, email_verified="true")] == [""] * 3
    assert address(email=email, email_verified=True) == email
    assert address(email=email, email_verified=True) == "", "it is taken"


def test_nothing_that_an_app_makes_in_wordpress_outlives_its_token(issuer, wordpress):
    """A password, or an address to which one is sent, would be good when the phone has long been revoked."""
    email = f"{new_id()}@example.org".lower()
    ask = asking(wordpress, token(issuer, wordpress, sub=new_id(), email=email, email_verified=True))
    me = ask("GET", "users/me").json()["id"]

    for method, path, body in (("POST", "users/me", {"password": "a long enough password"}), ("POST", "users/me", {"email": "other@example.org"}),
                               ("PUT", f"users/{me}", {"password": "a long enough password"}), ("POST", "users/me/application-passwords", {"name": "x"}),
                               ("GET", "users/me?_method=POST&password=a-long-enough-password", None), ("POST", "users", {"username": "x", "email": "x@example.org", "password": "x"})):
        answer = ask(method, path, json=body)
        assert answer.status_code == 403, (path, answer.text)
    overridden = ask("GET", "users/me?password=a-long-enough-password", headers={"X-HTTP-Method-Override": "POST"})
    assert overridden.status_code == 403, overridden.text

    forgotten = requests.post(f"{wordpress.home}wp-login.php?action=lostpassword", data={"user_login": email}, timeout=60)
    assert "Password reset is not allowed for this user" in forgotten.text


def test_a_token_is_for_the_rest_api_of_wordpress(issuer, wordpress):
    """Whatever the path is called, and wherever the query leads."""
    key, own = new_key(), new_key()
    holder = wordpress.redeem(issuer.assertion(wordpress.base, key, sub=new_id())).json()
    bare = authorize(wordpress, holder, key, client_id="org.example.bare", text=code(wordpress, key, sub="org.example.bare")).json()
    bound = authorize(wordpress, holder, key, code(wordpress, key, cnf={"jwk": public(own)})).json()

    for path in ("/wp-admin/admin-ajax.php", "/wp-json/../wp-admin/admin-ajax.php", "/wp-json/wp/../../wp-admin/admin-ajax.php"):
        connection = HTTPConnection("127.0.0.1", wordpress.port, timeout=30)
        connection.request("GET", f"{path}?action=rest-nonce", headers={"Authorization": f"Bearer {bare['access_token']}"})
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (400, b"0"), f"{path}: somebody is logged in"
        connection.close()

    good = requests.get(f"{wordpress.home}wp-json/wp/v2/users/me", auth=Proof(own, bound["access_token"]), timeout=30)
    led = requests.get(f"{wordpress.home}wp-json/wp/v2/posts?rest_route=/wp/v2/users/me", auth=Proof(own, bound["access_token"]), timeout=30)
    assert (good.status_code, led.status_code) == (200, 401)


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

    browser.post(f"{wordpress.home}wp-admin/options.php", data=form | {"pando_issuer": issuer.url, "pando_role": "administrator"}, timeout=60)
    assert "administrator" not in browser.get(page, timeout=60).text, "everybody would be one"
    elsewhere = {name: value for name, value in form.items() if name != "_wpnonce"} | {"pando_issuer": "https://evil.example.org"}
    assert browser.post(f"{wordpress.home}wp-admin/options.php", data=elsewhere, timeout=60).status_code == 403, "the form of another site"

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
