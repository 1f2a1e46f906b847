"""What axe-core finds on a page: barriers for people, by the rules of WCAG 2.2 A and AA. The script is that of axe-playwright-python; DevTools runs it."""
from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

from chromium import Chromium

STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def script() -> str:
    """The package is found and not imported: it would want a browser of its own."""
    package = find_spec("axe_playwright_python")
    assert package and package.submodule_search_locations, "axe-playwright-python of bare.txt is not installed"
    return (Path(package.submodule_search_locations[0]) / "axe.min.js").read_text()


def barriers(chromium: Chromium) -> list[str]:
    """Of the page that is open, as it is seen at the moment. The script is given once to each page."""
    if chromium.ask("typeof axe") != "object":
        chromium.devtools("Runtime.evaluate", expression=script())
    asked = f"axe.run(document, {{runOnly: {json.dumps(STANDARDS)}}}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target).join(' ')))"
    return chromium.devtools("Runtime.evaluate", expression=asked, awaitPromise=True, returnByValue=True)["result"]["value"]
