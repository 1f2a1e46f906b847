"""The picture of a dashboard: a panel is a frame with title, axes, lines and legends; render.py asks for what is in it."""
from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timezone
from html import escape

WIDTH, UNIT, GAP, HEAD = 1600, 34, 8, 64
COLUMN = (WIDTH - GAP) / 24
LEFT, RIGHT, TOP, LINE = 76, 14, 54, 15
LEGEND_LINES = 3
COLOURS = ["#4338a8", "#0f7b6c", "#c2571a", "#2f6db3", "#a8327d", "#7a7a12", "#b3402f", "#3f8f3f", "#6b5b95", "#555566"]
STYLE = """
text { font: 11.5px system-ui, sans-serif; fill: #1d1d2b; } .title { font-weight: 600; font-size: 13px; } .row { font-weight: 700; font-size: 17px; }
.head { font-weight: 700; font-size: 22px; } .quiet { fill: #5a5a6e; } .end { text-anchor: end; } .middle { text-anchor: middle; }
.frame { fill: #fff; stroke: #d9d9e3; } .grid { stroke: #ececf2; } .fired { fill: #d43c2f; fill-opacity: .1; } path { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
"""
TIME_TICKS = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800]
SUFFIXES = {"ops": " ops/s", "reqps": " req/s", "Bps": "B/s", "bytes": "B", "short": ""}


@dataclass
class Range:
    """Seconds since 1970, and seconds between two points."""

    start: float
    end: float
    step: float


@dataclass
class Series:
    legend: str
    points: list[tuple[float, float]]

    @property
    def highest(self) -> float:
        return max(value for _, value in self.points)


@dataclass
class Panel:
    number: int
    title: str
    description: str
    unit: str
    lowest: float | None
    place: dict
    series: list[Series] = field(default_factory=list)
    error: str = ""


# Numbers


def shown(value: float, unit: str) -> str:
    """Three figures, and the unit."""
    if value == 0:
        return "0"
    if unit == "percentunit":
        return f"{value * 100:.3g} %"
    if unit == "s":
        for size, name in ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs")):
            if abs(value) >= size * 0.9999:
                return f"{value / size:.3g} {name}"
        return f"{value:.1g} s"
    thousand, names = (1024, ["", "Ki", "Mi", "Gi", "Ti"]) if unit == "bytes" else (1000, ["", "k", "M", "G", "T"])
    power = min(max(int(math.log(abs(value), thousand) + 1e-9), 0), len(names) - 1)
    figure, suffix = f"{value / thousand ** power:.3g}", SUFFIXES.get(unit, f" {unit}")
    return f"{figure} {names[power]}{suffix.lstrip()}" if unit in ("bytes", "Bps") else f"{figure}{' ' if names[power] else ''}{names[power]}{suffix}"


def ticks(lowest: float, highest: float, unit: str) -> list[float]:
    """Four or so, at round numbers; the ends of the axis are the first and the last."""
    rough, base = (highest - lowest) / 3.5, 1.0
    if unit == "bytes" and rough >= 1024:
        base = 1024.0 ** int(math.log(rough, 1024))
    if unit == "s" and rough >= 86400:
        base = 86400.0
    size = 10.0 ** math.floor(math.log10(rough / base))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough / base * 0.999) * base
    if unit == "s" and 5 < rough < 86400:
        step = next(step for step in TIME_TICKS if step >= rough)
    first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


# The picture


def points(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def line(series: Series, x, y, step: float) -> str:
    """Broken where nothing was known; what stays the same is two points, one alone a dot."""
    parts: list[list[tuple[str, str]]] = []
    before = -math.inf
    for at, value in series.points:
        if at - before > step * 1.5:
            parts.append([])
        part, point, before = parts[-1], (points(x(at)), points(y(value))), at
        if len(part) > 1 and part[-1][1] == part[-2][1] == point[1]:
            part.pop()
        part.append(point)
    return "".join("M" + " ".join(",".join(point) for point in (part if len(part) > 1 else part * 2)) for part in parts)


def legends(panel: Panel, width: float) -> list[list[str]]:
    """Lines of what stands where, highest first: as many as three lines hold, and how many more there are."""
    lines: list[list[str]] = [[]]
    x = 10.0
    ranked = sorted(enumerate(panel.series), key=lambda pair: -pair[1].highest)
    for place, (number, series) in enumerate(ranked):
        text, left = series.legend, len(ranked) - place
        text = text if len(text) <= 50 else text[:49] + "…"
        room = 32 + 6.5 * len(text)
        if x + room > width - (70 if len(lines) == LEGEND_LINES and left > 1 else 0):
            if len(lines) == LEGEND_LINES:
                lines[-1].append(f'<text x="{width - 8:.0f}" class="quiet end">and {left} more</text>')
                break
            x = 10.0
            lines.append([])
        lines[-1].append(f'<rect x="{x:.0f}" y="-6" width="12" height="3" fill="{COLOURS[number % len(COLOURS)]}"/><text x="{x + 16:.0f}">{escape(text)}</text>')
        x += room
    return lines


def hours(start: float, end: float) -> list[tuple[float, str]]:
    """Six or so, at round times."""
    step = next((step for step in TIME_TICKS if (end - start) / step <= 7), TIME_TICKS[-1])
    form = "%d %b" if step >= 86400 else "%H:%M" if step >= 60 else "%H:%M:%S"
    first = math.ceil(start / step)
    return [(number * step, f"{datetime.fromtimestamp(number * step, timezone.utc):{form}}") for number in range(first, int(end // step) + 1)]


def drawn(panel: Panel, time: Range, fired: list[Series]) -> str:
    width, height = panel.place["w"] * COLUMN - GAP, panel.place["h"] * UNIT - GAP
    told = legends(panel, width)
    right, bottom = width - RIGHT, height - len(told) * LINE - 24
    out = [f'<g id="panel-{panel.number}" transform="translate({GAP + panel.place["x"] * COLUMN:.1f} {HEAD + panel.place["y"] * UNIT})">',
           f'<title>{escape(panel.title)}: {escape(panel.description)}</title><rect class="frame" width="{width:.0f}" height="{height}" rx="4"/>',
           f'<text x="10" y="20" class="title">{escape(panel.title)}</text>']
    room = int((width - 20) / 6.2)
    words = panel.description if len(panel.description) <= room else panel.description[:room - 1] + "…"
    out.append(f'<text x="10" y="36" class="quiet">{escape(words)}</text>')
    if not panel.series:
        out.append(f'<text x="{width / 2:.0f}" y="{(TOP + bottom) / 2:.0f}" class="quiet middle">{"cannot be asked" if panel.error else "no data"}</text></g>')
        return "\n".join(out)
    values = [value for series in panel.series for _, value in series.points]
    lowest, highest = min(values) if panel.lowest is None else min(panel.lowest, *values), max(values)
    if panel.lowest is None:
        lowest, highest = min(lowest, 0.0), max(highest, 0.0)
    scale = ticks(lowest, highest if highest > lowest else lowest + 1, panel.unit)

    def x(at: float) -> float:
        return LEFT + (at - time.start) / (time.end - time.start) * (right - LEFT)

    def y(value: float) -> float:
        return bottom - (value - scale[0]) / (scale[-1] - scale[0]) * (bottom - TOP)
    for alert in fired:
        for begun, ended in spans(alert, time.step):
            out.append(f'<rect class="fired" x="{x(begun):.1f}" y="{TOP}" width="{max(x(min(ended, time.end)) - x(begun), 1):.1f}" height="{bottom - TOP}"/>')
    for value in scale:
        out.append(f'<line class="grid" x1="{LEFT}" x2="{right:.0f}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
                   f'<text class="quiet end" x="{LEFT - 6}" y="{y(value) + 4:.1f}">{escape(shown(value, panel.unit))}</text>')
    for at, text in hours(time.start, time.end):
        out.append(f'<line class="grid" x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{TOP}" y2="{bottom}"/>'
                   f'<text class="quiet middle" x="{x(at):.1f}" y="{bottom + 14}">{text}</text>')
    for number, series in enumerate(panel.series):
        out.append(f'<path stroke="{COLOURS[number % len(COLOURS)]}" d="{line(series, x, y, time.step)}"><title>{escape(series.legend)}</title></path>')
    for number, words in enumerate(told):
        out.append(f'<g transform="translate(0 {height - 8 - (len(told) - 1 - number) * LINE})">{"".join(words)}</g>')
    return "\n".join([*out, "</g>"])


def spans(series: Series, step: float) -> list[tuple[float, float]]:
    """When it was so: from its first point to one step after its last."""
    found: list[list[float]] = []
    for at, _ in series.points:
        if found and at - found[-1][1] <= step / 2:
            found[-1][1] = at + step
        else:
            found.append([at, at + step])
    return [(begun, ended) for begun, ended in found]


def clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at, timezone.utc):%H:%M:%S}"


def svg(title: str, rows: list[dict], panels: list[Panel], time: Range, fired: list[Series]) -> str:
    height = HEAD + max(panel.place["y"] + panel.place["h"] for panel in panels) * UNIT + GAP
    between = f"{datetime.fromtimestamp(time.start, timezone.utc):%Y-%m-%d %H:%M:%S} to {datetime.fromtimestamp(time.end, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"
    told = [f"{alert.legend} {clock(begun)} to {clock(ended)}" for alert in fired for begun, ended in spans(alert, time.step)]
    alerts = ", ".join(told[:5] + ([f"and {len(told) - 5} more"] if told[5:] else [])) or "none"
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(title)}, {between}">',
           f'<style>{STYLE}</style><rect width="{WIDTH}" height="{height}" fill="#f6f6fa"/>',
           f'<text x="{GAP}" y="28" class="head">{escape(title)}</text><text x="{WIDTH - GAP}" y="28" class="quiet end">{between}, a point every {time.step:g} s</text>',
           f'<text x="{GAP}" y="50">Alerts that fired (red): {escape(alerts)}</text>']
    for row in rows:
        out.append(f'<text x="{GAP}" y="{HEAD + row["gridPos"]["y"] * UNIT + 23}" class="row">{escape(row["title"])}</text>')
    return "\n".join([*out, *(drawn(panel, time, fired) for panel in panels), "</svg>", ""])
