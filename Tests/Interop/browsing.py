"""A browser without windows: it keeps cookies, follows redirects within one site, and fills in forms as a person would."""
from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

import requests

from phone import PASSWORD

MOST_STEPS = 12


@dataclass
class Form:
    method: str
    action: str
    values: dict[str, str] = field(default_factory=dict)
    passwords: list[str] = field(default_factory=list)
    buttons: list[tuple[str, str]] = field(default_factory=list)


class _Forms(HTMLParser):
    """Forms with their fields, and the buttons that have a name."""

    def __init__(self, html: str):
        super().__init__()
        self.all: list[Form] = []
        self._open = False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.all.append(Form(given.get("method", "get").upper(), given.get("action", "")))
            self._open = True
        elif self._open and tag == "input":
            self.all[-1].values[given["name"]] = given.get("value", "")
            if given.get("type") == "password":
                self.all[-1].passwords.append(given["name"])
        elif self._open and tag == "button" and "name" in given:
            self.all[-1].buttons.append((given["name"], given["value"]))

    def handle_endtag(self, tag):
        if tag == "form":
            self._open = False


@dataclass
class Page:
    """What a browser shows; or, `is_outside` its site, only the address that it was led to."""

    url: str
    status: int = 0
    text: str = ""
    is_outside: bool = False

    @property
    def forms(self) -> list[Form]:
        """But for the one at the foot of each page, which chooses its language."""
        return [form for form in _Forms(self.text).all if form.action != "/language"]

    @property
    def answer(self) -> dict[str, str]:
        """Parameters of the address."""
        return dict(parse_qsl(urlsplit(self.url).query))


class Browser:
    """Somebody's browser at the provider `site`; whose, is known once a login is asked for."""

    def __init__(self, site: str, username: str, password: str = PASSWORD):
        self.site, self.username, self.password = site, username, password
        self.cookies = requests.Session()
        self.cookies.headers["Accept"] = "text/html,application/xhtml+xml"

    def open(self, url: str, form: dict | None = None) -> Page:
        """The page there, or where its redirects lead."""
        answer = self.cookies.request("POST" if form is not None else "GET", url, data=form, allow_redirects=False, timeout=30)
        for _ in range(MOST_STEPS):
            if not answer.is_redirect:
                return Page(answer.url, answer.status_code, answer.text)
            target = urljoin(answer.url, answer.headers["Location"])
            if not target.startswith(f"{self.site}/"):
                return Page(target, is_outside=True)
            answer = self.cookies.get(target, allow_redirects=False, timeout=30)
        raise AssertionError(f"redirects without end, at {answer.url}")

    def submit(self, page: Page, form: Form, **changes: str) -> Page:
        target, values = urljoin(page.url, form.action), form.values | changes
        if form.method == "POST":
            return self.open(target, values)
        return self.open(requests.Request("GET", target, params=values).prepare().url)

    def walk(self, url: str, decision: str = "allow") -> Page:
        """Opens it, logs in and decides wherever that is asked; the page where nothing more is, often outside."""
        page, seen = self.open(url), []
        while form := next((form for form in page.forms if form.passwords or ("decision", decision) in form.buttons), None):
            seen.append(page.url)
            assert len(seen) < MOST_STEPS, f"asked again and again: {seen}"
            if form.passwords:
                page = self.submit(page, form, username=self.username, **dict.fromkeys(form.passwords, self.password))
            else:
                page = self.submit(page, form, decision=decision)
        return page

    def come_back(self, url: str, decision: str = "allow") -> str:
        """The same, where the walk must end outside: the address there."""
        page = self.walk(url, decision)
        assert page.is_outside, f"ended at {page.url} with {page.status}: {page.text[-1500:]}"
        return page.url
