"""The pages of docs/goals are followed to the letter, each with nothing but what it, and the pages that it goes on from, say."""
from __future__ import annotations

import pytest

from reading import pages_before
from server import CHECKOUT

GOALS = CHECKOUT / "docs/goals"


@pytest.mark.parametrize("page", sorted(page.name for page in GOALS.glob("*.md")))
def test_a_page_leads_to_its_goal(page, reader, capsys):
    for earlier in pages_before(page):
        reader.follow(f"docs/goals/{earlier}")
    seconds = reader.follow(f"docs/goals/{page}")
    with capsys.disabled():
        print(f"\ndocs/goals/{page}: {seconds:.1f} s from the first line to the last")
