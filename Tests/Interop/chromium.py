"""Debian's Chromium without a window, by Selenium and its DevTools: opens pages, takes pictures, and says what is wrong with a page."""
from __future__ import annotations

import base64
import io
import os
from pathlib import Path

from PIL import Image
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from waiting import eventually

BROWSER, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FONTS = Path(__file__).with_name("fonts.conf")
DESKTOP, PHONE, NARROW = (1280, 900), (390, 844), (320, 640)

CONTROLS = "a[href], button, input:not([type=hidden]):not([hidden]), select, textarea, summary"

# What of the text is hard to read: WCAG 2.2, 1.4.3, by computed colours. Text on pictures is left out, and what only screen readers read.
FAINT = """
const parse = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1] };
const over = (a, b) => [0, 1, 2].map(i => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
const ground = e => { const layers = [];
  for (; e; e = e.parentElement) { const s = getComputedStyle(e), c = parse(s.backgroundColor); layers.push(c);
    if (c[3] === 1) break; if (s.backgroundImage !== 'none') return null }
  return layers.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]) };
const found = [];
for (const e of document.querySelectorAll('body *')) {
  const text = [...e.childNodes].filter(n => n.nodeType === 3).map(n => n.data).join('').trim();
  const s = getComputedStyle(e);
  if (!text || !e.getClientRects().length || s.visibility !== 'visible' || s.clipPath !== 'none') continue;
  const below = ground(e); if (!below) continue;
  const [a, b] = [light(over(parse(s.color), below)), light(below)].sort((x, y) => y - x), ratio = (a + .05) / (b + .05);
  const large = parseFloat(s.fontSize) >= 24 || parseFloat(s.fontSize) >= 18.66 && s.fontWeight >= 700;
  if (ratio < (large ? 3 : 4.5)) found.push(`${text.slice(0, 40)}: ${ratio.toFixed(2)}`);
}
return found;
"""


class Chromium:
    """`secure_hosts`: names that lead to a TLS port of this machine, whatever its certificate."""

    def __init__(self, profile: Path, secure_hosts: dict[str, int], scripts: bool = True):
        for needed in (BROWSER, DRIVER):
            assert needed.exists(), f"{needed} is missing: deploy/packages.sh test installs it"
        options = ChromeOptions()
        options.binary_location = str(BROWSER)
        options.accept_insecure_certs = True
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {} if scripts else {"profile.managed_default_content_settings.javascript": 2})
        rules = ", ".join(f"MAP {name}:443 127.0.0.1:{port}" for name, port in secure_hosts.items())
        for flag in ("--headless=new", f"--user-data-dir={profile}", f"--host-resolver-rules={rules}", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                     "--force-device-scale-factor=1", "--font-render-hinting=none", "--disable-background-networking", "--no-first-run", "--lang=en"):
            options.add_argument(flag)
        if os.geteuid() == 0:  # its sandbox does not work for root
            options.add_argument("--no-sandbox")
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()} | {"FONTCONFIG_FILE": str(FONTS)}
        self.driver = Chrome(options=options, service=Service(str(DRIVER), env=environment))
        self.driver.set_page_load_timeout(30)
        self.devtools("Emulation.setFocusEmulationEnabled", enabled=True)
        self.view(*DESKTOP)

    def close(self) -> None:
        self.driver.quit()

    # Going about

    def open(self, url: str) -> None:
        self.driver.get(url)

    @property
    def url(self) -> str:
        return self.driver.current_url

    @property
    def text(self) -> str:
        try:
            return self.driver.find_element(By.TAG_NAME, "body").text
        except (NoSuchElementException, StaleElementReferenceException):  # another page is on its way
            return ""

    def element(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def type(self, **fields: str) -> None:
        for name, text in fields.items():
            field = self.element(f"[name={name}]")
            if field.tag_name == "select":
                Select(field).select_by_value(text)
                continue
            field.clear()
            field.send_keys(text)

    def click(self, selector: str) -> None:
        """And waits until the page that it leads to is there."""
        self.press(self.element(selector))

    def press(self, control: WebElement) -> None:
        """The same, of what was found."""
        name = control.text
        self.ask("document.documentElement.left = true")
        control.click()
        assert eventually(self.has_arrived, within_s=30, every_s=0.02), f"“{name}” at {self.url} leads nowhere"

    def has_arrived(self) -> bool:
        try:
            return bool(self.ask("!document.documentElement.left && document.readyState === 'complete'"))
        except WebDriverException:  # between two pages there is none to ask
            return False

    def speak(self, languages: str) -> None:
        self.devtools("Network.enable")
        self.devtools("Network.setExtraHTTPHeaders", headers={"Accept-Language": languages})

    # Looking

    def devtools(self, command: str, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def ask(self, expression: str):
        """By DevTools, since a page may forbid scripts."""
        return self.devtools("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def view(self, width: int, height: int, dark: bool = False) -> None:
        """Without motion: a colour that is on its way to another one is neither."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                              {"name": "prefers-reduced-motion", "value": "reduce"}])

    def screenshot(self, width: int = DESKTOP[0], height: int = DESKTOP[1], dark: bool = False) -> bytes:
        """The whole page, however long, as PNG."""
        self.view(width, height, dark)
        # Between two pages there is nothing to scroll.
        self.view(width, max(height, self.ask("document.scrollingElement?.scrollHeight") or 0), dark)
        return base64.b64decode(self.devtools("Page.captureScreenshot", format="png")["data"])

    def picture(self, file: Path, width: int, height: int, dark: bool = False) -> None:
        """The same, kept in 256 colours."""
        taken = self.screenshot(width, height, dark)
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.open(io.BytesIO(taken)).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(file)

    def complaints(self) -> list[str]:
        """What the console said since the last time: errors of the page, what its policy forbade, what did not load. Not the status of the page itself."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")
                if entry["level"] in ("WARNING", "SEVERE") and not entry["message"].startswith(f"{self.url} - Failed to load resource")]

    def too_wide(self) -> list[str]:
        """WCAG 2.2, 1.4.10: no scrolling to the side at 320 pixels."""
        self.view(*NARROW)
        width = self.ask("document.scrollingElement.scrollWidth")
        return [] if width <= NARROW[0] else [f"{width} pixels wide"]

    def faint(self, dark: bool = False) -> list[str]:
        self.view(*PHONE, dark=dark)
        return [f"{'dark' if dark else 'light'}: {found}" for found in self.ask(f"(() => {{{FAINT}}})()")]

    def nameless(self) -> list[str]:
        """Fields, buttons and links of the accessibility tree that have no name, and what every page must have."""
        nodes = [node for node in self.devtools("Accessibility.getFullAXTree")["nodes"] if not node.get("ignored")]
        roles = [(node["role"]["value"], node.get("name", {}).get("value", "").strip()) for node in nodes]
        found = [f"{role} without a name" for role, name in roles if role in ("textbox", "button", "link", "checkbox", "combobox") and not name]
        found += [] if [role for role, _ in roles].count("main") == 1 else ["not one main landmark"]
        found += [] if self.ask("document.querySelectorAll('h1').length") == 1 else ["not one h1"]
        return found + ([] if self.ask("document.documentElement.lang") and self.ask("document.title") else ["no language or no title"])

    def out_of_reach(self) -> list[str]:
        """Controls that the Tab key does not come to, in their order, or that do not show it when it does (WCAG 2.2, 2.1.1 and 2.4.7)."""
        self.view(*DESKTOP)
        every = f"[...document.querySelectorAll('{CONTROLS}')].filter(e => e.getClientRects().length && e.checkVisibility())"
        names = self.ask(f"{every}.map(e => e.outerHTML.slice(0, 80))")
        at = f"(e => [{every}.indexOf(e), getComputedStyle(e).outlineStyle !== 'none' && parseFloat(getComputedStyle(e).outlineWidth) >= 2])(document.activeElement)"
        reached, unmarked = [], []
        for _ in range(2 * len(names) + 2):
            self.devtools("Input.dispatchKeyEvent", type="rawKeyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
            place, is_marked = self.ask(at)
            if place >= 0:
                reached.append(place)
                unmarked += [] if is_marked else [names[place]]
            if len(set(reached)) == len(names):
                break
        missing = [f"not reached: {name}" for place, name in enumerate(names) if place not in reached]
        jumps = [f"out of order: {names[after]}" for before, after in zip(reached, reached[1:]) if after not in (before + 1, 0)]
        return missing + jumps + [f"no ring: {name}" for name in dict.fromkeys(unmarked)]
