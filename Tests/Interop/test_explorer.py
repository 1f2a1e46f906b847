"""The token tree, verdicts, the audit trail and figures over time, at a real Chromium without scripts, in each of four languages.

What each page answers each role is in Tests/AdministrationTests; here it is seen and walked.
"""
from __future__ import annotations

from urllib.parse import urlencode

import pytest

from chromium import Chromium
from looking import Looks
from phone import Phone, Release, person
from seeing import forget, log_in
from server import CHECKOUT

# The h1 of the page at a glance.
TITLES = {"en": "At a glance", "de": "Auf einen Blick", "fr": "En un coup d’œil", "it": "A colpo d’occhio"}

# Two hours of figures, as a server would have counted them.
FIGURES = """
insert into statistic (step, bucket, metric, label, value)
select 300, date_bin('5 minutes', now() - n * interval '5 minutes', 'epoch'), m.metric, m.label, m.size * (1 + n % 7)
from generate_series(1, 24) n cross join (values ('tokens.live', 'pat', 900), ('tokens.live', 'instance_token', 40),
    ('logins', 'pwd/done', 5), ('logins', 'pwd/refused', 1), ('refusals', 'a <reason>', 1), ('documents', 'ok', 12)) m (metric, label, size)
union all select 300, date_bin('5 minutes', now() - n * interval '5 minutes', 'epoch'), 'taken', '', 1 from generate_series(1, 24) n
on conflict do nothing
"""


@pytest.fixture(scope="module")
def console(server, plain) -> Chromium:
    """An administrator is logged in."""
    name = person(server)
    server.admin("roles", "grant", name, "administrator")
    server.sql(FIGURES)
    forget(plain)
    plain.speak("en")
    plain.open(f"{server.issuer}/admin")
    log_in(plain, name)
    assert plain.url == f"{server.issuer}/admin", plain.text
    return plain


@pytest.fixture(scope="module")
def grown(server, release) -> tuple[Phone, str]:
    """A phone with a login, and its version."""
    phone = Phone(server.issuer, release).register().log_in(person(server))
    return phone, f"version:{release.app}.1"


def tree(server, node: str) -> str:
    return f"{server.issuer}/admin/tree?{urlencode({'node': node})}"


@pytest.mark.parametrize("language", TITLES)
def test_the_pages_are_right_in_every_light(server, console, grown, language, request):
    """Console and content security policy; language, title, h1 and names; the Tab key; contrast; 320 pixels and more; axe."""
    phone, version = grown
    console.speak(f"{language}-CH, {language};q=0.9" if language != "en" else "en")
    pictures = CHECKOUT / ".pando/screens" if request.config.getoption("--screens") else None
    looks = Looks(console, language, every=language == "en", pictures=pictures)
    pages = {"overview": f"{server.issuer}/admin", "week": f"{server.issuer}/admin?range=week", "version": tree(server, version),
             "instance": tree(server, f"instance:{phone.client_id}"), "unknown": tree(server, "account:nobody-at-all"),
             "why": f"{server.issuer}/admin/why", "audit": f"{server.issuer}/admin/audit?action=login"}
    for name, page in pages.items():
        console.open(page)
        looks.look(f"explorer-{name}")
    console.open(pages["overview"])
    assert console.element("h1").text == TITLES[language]
    console.speak("en")
    assert {page: found for page, found in looks.found.items() if found} == {}


def test_figures_are_drawn_and_stand_in_tables(server, console):
    console.open(f"{server.issuer}/admin")
    assert console.driver.find_elements("css selector", "#plot-tokens-live ~ svg .curve")
    bars = console.driver.find_elements("css selector", "#plot-logins ~ svg .bar")
    assert bars and all(bar.size["height"] >= 0 for bar in bars)
    assert "a <reason>" in console.text and "password, done" in console.text
    console.element("#plot-logins ~ details summary").click()
    assert console.driver.find_elements("css selector", "#plot-logins ~ details[open] td")


def test_from_a_name_down_to_the_leaf_and_its_end(server, console):
    name = person(server)
    phone = Phone(server.issuer, Release.add(server)).register().log_in(name)
    console.open(f"{server.issuer}/admin/tree")
    console.type(q=name)
    console.click("main form button")
    assert "Account" in console.element("h1").text, console.text
    follow(console, ".tree a.node", "Installed app")
    assert phone.client_id in console.element("h1").text
    follow(console, ".tree a.node", "Personal token")
    assert "lives" in console.element(".facts").text
    console.click(".actions .danger")
    console.type(reason="a stolen phone")
    console.click("button[value='preview']")
    assert phone.ask("GET", "/userinfo").status_code == 200
    console.click("button[value='confirm']")
    assert phone.ask("GET", "/userinfo").status_code == 401
    lines = server.admin("audit", "list", "--action", "revoke", "--limit", "5")["items"]
    assert any(line["reason"] == "a stolen phone" for line in lines)
    console.open(tree(server, f"instance:{phone.client_id}"))
    assert console.driver.find_elements("css selector", ".tree a.node.revoked") and "ended" in console.element(".tree").text


def test_a_token_is_told_about_and_kept_nowhere(server, console, grown):
    phone, _ = grown
    token = phone.instance["access_token"]
    console.open(f"{server.issuer}/admin/why")
    console.type(token=token)
    console.click("main form button")
    assert "It lives" in console.text and token not in console.driver.page_source and token not in console.url
    console.click(".actions .button")
    assert "/admin/tree?node=token" in console.url and "Instance token" in console.element("h1").text


def test_the_audit_trail_is_searched_and_leads_to_the_tree(server, console, grown):
    console.open(f"{server.issuer}/admin/audit")
    console.type(action="login")
    console.click("form.filter button")
    assert "action=login" in console.url and "login" in console.element(".table").text
    console.open(f"{server.issuer}/admin/audit?action=no-such-action")
    assert "There are no such lines." in console.text


def follow(console: Chromium, selector: str, name: str) -> None:
    """The first link of that picture whose name begins so."""
    links = [link for link in console.driver.find_elements("css selector", selector) if (link.get_attribute("aria-label") or "").startswith(name)]
    assert links, f"no “{name}” at {console.url}:\n{console.text}"
    console.open(server_address(console, links[0]))


def server_address(console: Chromium, link) -> str:
    """Of a link in a picture, whose property is no text."""
    return console.url.split("/admin")[0] + link.get_dom_attribute("href")
