"""The pages of docs/goals are followed to the letter, each with nothing but what it, and the pages that it goes on from, say."""
from __future__ import annotations

import re

import pytest

from server import CHECKOUT

GOALS = CHECKOUT / "docs/goals"
GOES_ON = re.compile(r"^This page goes on from \[[^\]]+\]\(([\w-]+\.md)\)", re.MULTILINE)


def before(page: str) -> list[str]:
    """The pages that it goes on from, the first first."""
    earlier = GOES_ON.search((GOALS / page).read_text())
    return [*before(earlier[1]), earlier[1]] if earlier else []


@pytest.mark.parametrize("page", sorted(page.name for page in GOALS.glob("*.md")))
def test_a_page_leads_to_its_goal(page, reader, capsys):
    for earlier in before(page):
        reader.follow(f"docs/goals/{earlier}")
    seconds = reader.follow(f"docs/goals/{page}")
    with capsys.disabled():
        print(f"\ndocs/goals/{page}: {seconds:.1f} s from the first line to the last")
