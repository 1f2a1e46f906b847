"""Somebody at the console, by a browser whose pages run no scripts: with a mouse, or by keyboard alone; and as a page of docs/ says."""
from __future__ import annotations

import re
from string import Template
from urllib.parse import parse_qsl, urlsplit

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from chromium import Chromium
from seeing import forget, log_in
from server import Server
from waiting import eventually

# The menu and the page are no longer than that.
MOST_TABS = 200
# What the control where one is can be called by: its name in the form, and its words.
FOCUSED = "(e => !e ? [] : [e.name || '', (e.labels && e.labels[0] || e).textContent.trim().replace(/\\s+/g, ' ')])(document.activeElement)"


def words(element: WebElement) -> str:
    return " ".join(element.text.split())


def named(link: WebElement) -> set[str]:
    """What its address names."""
    return {value for _, value in parse_qsl(urlsplit(link.get_attribute("href")).query)}


class Console:
    """Somebody at the console, in English."""

    def __init__(self, server: Server, browser: Chromium, name: str):
        self.server, self.browser = server, browser
        forget(browser)
        browser.speak("en")
        self.open("/admin")
        log_in(browser, name)
        assert browser.url == f"{server.issuer}/admin", browser.text

    def open(self, page: str) -> None:
        self.browser.open(f"{self.server.issuer}{page}")

    def elements(self, selector: str) -> list[WebElement]:
        return self.browser.driver.find_elements("css selector", selector)

    def menu(self) -> dict[str, str]:
        """What it offers: paths, and what these are called there."""
        return {urlsplit(link.get_attribute("href")).path: words(link) for link in self.elements("#menu a")}

    def press(self, step: str) -> None:
        self.browser.click(f"button[value='{step}']")

    def follow(self, text: str) -> None:
        """The first link of the page with that text."""
        link = next((link for link in self.elements("main a") if link.text.strip() == text), None)
        assert link, f"no link “{text}” at {self.browser.url}:\n{self.browser.text}"
        self.browser.open(link.get_attribute("href"))

    def find(self, name: str) -> None:
        """A person, by the search of the list."""
        self.open("/admin/accounts")
        self.browser.type(query=name)
        self.browser.click("form.filter button")
        self.follow(name)
        assert "/admin/accounts/show?account=" in self.browser.url

    def goes_through(self) -> None:
        """Does what a form is for; where it shows first what would end, says yes to that."""
        if self.elements("button[value='save']"):
            self.press("save")
        else:
            self.press("preview")
            self.press("confirm")

    # As it is written

    def does(self, steps: str, **things: str) -> list[str]:
        """From the menu, and from there again behind each semicolon: a *label* is pressed, a *label* with `words` is filled in with these, and `the service`
        is the one of `things`. Returns what was shown once."""
        shown = []
        for way in steps.split("; "):
            self.open("/admin")
            for step in way.split(" → "):
                field = re.fullmatch(r"\*([^*]+)\* (?:`([^`]+)`|\*([^*]+)\*)", step)
                thing = re.fullmatch(r"the (\w+)", step)
                if field:
                    self.fill(field[1], Template(field[2] or field[3]).substitute(things))
                elif thing:
                    self.turn_to(things[thing[1].upper()])
                else:
                    label = re.fullmatch(r"\*([^*]+)\*", step)
                    assert label, f"“{step}” is no step"
                    self.choose(label[1])
            shown += [code.text for code in self.elements(".secret code")]
        return shown

    def choose(self, label: str) -> None:
        """The link of the menu or of the page, or the button, that says just that; there are no two that do different things."""
        found = {link.get_attribute("href"): link for link in self.elements("#menu a, main a") if words(link) == label}
        found |= {button.get_attribute("outerHTML"): button for button in self.elements("main button") if words(button) == label}
        assert len(found) == 1, f"{len(found)} of “{label}” at {self.browser.url}:\n{self.browser.text}"
        self.browser.press(*found.values())

    def choose_of(self, name: str, label: str) -> None:
        """The same, where each row of a table has one: that of the thing which has that name or id."""
        links = [link for link in self.elements("main td a") if words(link) == label and name in named(link)]
        assert len(links) == 1, f"{len(links)} of “{label}” for {name} at {self.browser.url}:\n{self.browser.text}"
        self.browser.press(links[0])

    def fill(self, label: str, text: str) -> None:
        """The field that is called so; of choices the one that says that, and *yes* ticks a box."""
        found = [each.get_dom_attribute("for") for each in self.elements("main label") if words(each) == label]
        assert len(found) == 1, f"{len(found)} fields “{label}” at {self.browser.url}:\n{self.browser.text}"
        field = self.browser.element(f"#{found[0]}")
        if field.tag_name == "select":
            Select(field).select_by_visible_text(text)
        elif field.get_dom_attribute("type") == "checkbox":
            assert text == "yes" and not field.is_selected(), f"“{label}” is a box to tick"
            field.click()
        else:
            field.clear()
            field.send_keys(text)

    def turn_to(self, name: str) -> None:
        """The thing of a table that is called so, or has that id; on a later page of it, perhaps."""
        while True:
            for link in self.elements("main td a"):
                if words(link) == name or name in named(link):
                    return self.browser.press(link)
            assert self.elements("a[rel=next]"), f"no {name} at {self.browser.url}:\n{self.browser.text}"
            self.browser.click("a[rel=next]")


class Keyboard:
    """Somebody at a browser who has no mouse."""

    def __init__(self, browser: Chromium):
        self.browser = browser

    def type(self, text: str) -> None:
        ActionChains(self.browser.driver).send_keys(text).perform()

    def to(self, name: str) -> "Keyboard":
        """By the Tab key to a field or button of that name, or to whatever says just that."""
        for _ in range(MOST_TABS):
            # A page may begin at one of its fields.
            if name in self.browser.ask(FOCUSED):
                return self
            self.type(Keys.TAB)
        raise AssertionError(f"the Tab key does not come to “{name}” at {self.browser.url}:\n{self.browser.text}")

    def fill(self, name: str, text: str) -> None:
        self.to(name).type(text)

    def choose(self, name: str) -> None:
        """And waits until the page that it leads to is there."""
        self.to(name)
        self.browser.ask("document.documentElement.left = true")
        self.type(Keys.ENTER)
        assert eventually(self.browser.has_arrived, within_s=30, every_s=0.02), f"“{name}” at {self.browser.url} leads nowhere"
