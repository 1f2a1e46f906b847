"""What was asked and acknowledged under a fault, and what became of it: a row of the matrix."""
from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

# To be told one of these of a credential that is good is to be told to throw it away.
THROW_AWAY = {"invalid_grant", "invalid_token", "invalid_client", "unauthorized_client"}
# One a line, as each test ends.
ROWS = "rows.jsonl"
COLUMNS = ["fault", "runs", "points", "requests", "acknowledged", "lost", "alive after revoke", "good refused", "begun anew", "other answers", "seconds to recover"]


@dataclass
class Row:
    """`begun_anew`: what works once was used by a commit whose answer was lost, so its client starts over; that is not a good credential refused.
    `expected_loss` says why a loss is one that was chosen, and how it was told."""

    fault: str
    requests: int = 0
    acknowledged: int = 0
    lost: int = 0
    alive: int = 0
    refused: int = 0
    begun_anew: int = 0
    others: Counter = field(default_factory=Counter)
    recovered_s: float | None = None
    # Of the crash matrix: how many places there are at which it can break.
    points: int = 0
    expected_loss: str = ""
    problems: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        return not self.refused and (bool(self.expected_loss) or not (self.lost or self.alive))

    def verdict(self) -> str:
        return f"{self.fault}: lost {self.lost}, alive {self.alive}, refused {self.refused}: {self.problems[:5]}"

    def other(self, answer) -> None:
        """An answer that is no acknowledgement; `None` where none came."""
        self.others["no answer" if answer is None else str(answer.status_code)] += 1

    def recovered(self, seconds: float) -> None:
        self.recovered_s = max(self.recovered_s or 0.0, seconds)

    def told(self) -> dict:
        return asdict(self) | {"others": dict(self.others)}


def merged(rows: list[dict]) -> list[dict]:
    """Runs of one fault added up; of recoveries the longest."""
    table: dict[str, dict] = {}
    for row in rows:
        one = table.setdefault(row["fault"], {"fault": row["fault"], "runs": 0, "points": 0, "requests": 0, "acknowledged": 0, "lost": 0, "alive": 0, "refused": 0,
                                              "begun_anew": 0, "others": Counter(), "recovered_s": [], "expected_loss": "", "problems": []})
        one["runs"] += 1
        for name in ("points", "requests", "acknowledged", "lost", "alive", "refused", "begun_anew"):
            one[name] += row[name]
        one["others"].update(row["others"])
        one["recovered_s"] += [round(row["recovered_s"], 2)] if row["recovered_s"] is not None else []
        one["expected_loss"] = one["expected_loss"] or row["expected_loss"]
        one["problems"] += row["problems"]
    return [one | {"others": dict(sorted(one["others"].items()))} for one in table.values()]


def markdown(table: list[dict]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * 8 + "---|---:|"]
    notes = []
    for row in table:
        if row["expected_loss"]:
            notes.append(f"* {row['fault']}: {row['expected_loss']}")
        others = ", ".join(f"{count} × {what}" for what, count in row["others"].items())
        slowest = f"{max(row['recovered_s']):.1f}" if row["recovered_s"] else ""
        cells = [row["fault"], row["runs"], row["points"] or "", row["requests"], row["acknowledged"], row["lost"], row["alive"], row["refused"], row["begun_anew"], others, slowest]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    return "\n".join([*lines, "", *notes]).rstrip() + "\n"


def keep(rows: list[dict], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ROWS).open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def kept(folder: Path) -> list[dict]:
    file = folder / ROWS
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def save(table: list[dict], folder: Path, skipped: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "faults.json").write_text(json.dumps({"faults": table, "skipped": skipped}, indent=1) + "\n")
    (folder / "faults.md").write_text(markdown(table) + "".join(f"* Not tried: {reason}\n" for reason in skipped))
