"""Lines over a number of something, as SVG 1.1: 1000 wide, on white, as the pictures of pando-bench are."""
from __future__ import annotations

import math
from xml.sax.saxutils import escape

COLORS = ["#5b8db8", "#7fae7f", "#c98b5b", "#9a6fb0", "#b85b6e"]
LEFT, WIDE, HIGH, TOP = 90.0, 540.0, 280.0, 40.0


def rounded(value: float) -> float:
    """At least `value`, and four times a number that is easily read."""
    quarter = max(value, 0.01) / 4
    power = 10 ** math.floor(math.log10(quarter))
    return 4 * power * next((step for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if step * power >= quarter), 10)


def text(words: str, x: float, y: float, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222222">{escape(words)}</text>'


def line(points: list[tuple[float, float]], color: str, width: int) -> str:
    return f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{color}" stroke-width="{width}"/>'


def lines(title: str, drawn: dict[str, list[tuple[int, float]]], below: str) -> str:
    points = [point for line_ in drawn.values() for point in line_]
    most, first, last = rounded(max(value for _, value in points)), min(count for count, _ in points), max(count for count, _ in points)

    def x(count: float) -> float:
        return LEFT + (count - first) / max(1, last - first) * WIDE

    def y(value: float) -> float:
        return TOP + HIGH * (1 - value / most)

    parts = [text(title, 10, 22, size=14)]
    for quarter in range(5):
        value = most * quarter / 4
        parts += [line([(LEFT, y(value)), (LEFT + WIDE, y(value))], "#888888" if quarter == 0 else "#e4e4e4", 1), text(f"{value:,.0f}", LEFT - 8, y(value) + 4, "end")]
    for count in sorted({first, *range(0, last + 1, 2)} - {0}):
        parts.append(text(str(count), x(count), y(0) + 18, "middle"))
    parts.append(text(below, LEFT + WIDE / 2, y(0) + 38, "middle"))
    for place, (name, of) in enumerate(drawn.items()):
        color, legend = COLORS[place % len(COLORS)], 52 + place * 20.0
        beside = LEFT + WIDE + 24
        parts += [line([(x(count), y(value)) for count, value in of], color, 2), line([(beside, legend - 4), (beside + 18, legend - 4)], color, 3),
                  text(name, beside + 26, legend)]
    height = int(TOP + HIGH + 54)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {height}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="1000" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")
