"""Somebody at the console, by a browser whose pages run no scripts."""
from __future__ import annotations

from chromium import Chromium
from seeing import forget, log_in
from server import Server


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

    def press(self, step: str) -> None:
        self.browser.click(f"button[value='{step}']")

    def follow(self, text: str) -> None:
        """The first link of the page with that text."""
        links = self.browser.driver.find_elements("css selector", "main a")
        link = next((link for link in links if link.text.strip() == text), None)
        assert link, f"no link “{text}” at {self.browser.url}:\n{self.browser.text}"
        self.browser.open(link.get_attribute("href"))

    def find(self, name: str) -> None:
        """A person, by the search of the list."""
        self.open("/admin/accounts")
        self.browser.type(query=name)
        self.browser.click("form.filter button")
        self.follow(name)
        assert "/admin/accounts/show?account=" in self.browser.url

    def open_link_to(self, name: str) -> None:
        """The first link of the page whose address names that."""
        link = self.browser.driver.find_element("css selector", f"main a[href*='{name}']")
        self.browser.open(link.get_attribute("href"))

    def goes_through(self) -> None:
        """Does what a form is for; where it shows first what would end, says yes to that."""
        if self.browser.driver.find_elements("css selector", "button[value='save']"):
            self.press("save")
        else:
            self.press("preview")
            self.press("confirm")
