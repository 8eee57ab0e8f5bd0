"""How figures are printed: plain tables, with each ratio beside the figure it belongs to."""

from dataclasses import dataclass


@dataclass
class Goal:
    """A goal of the project, and the measured value."""

    what: str
    measured: float
    bound: float
    unit: str
    at_least: bool = False

    def met(self) -> bool:
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    def line(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "met" if self.met() else "MISSED"
        measured = f"{self.measured:.2f} {self.unit} (goal {sign} {self.bound:g})"
        return f"  {verdict:6}  {self.what}: {measured}"


def ratio(value: float, baseline: float | None) -> str:
    if not baseline:
        return ""
    return f"{value / baseline:.2f}×"


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """Text to the left in the first column, figures to the right in the others."""
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]

    def line(cells: list[str]) -> str:
        padded = [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        return "  ".join([cells[0].ljust(widths[0]), *padded]).rstrip()

    rule = "  ".join("-" * width for width in widths)
    print("\n".join(["", title, line(columns), rule, *(line(row) for row in rows)]), flush=True)


def print_goals(goals: list[Goal]) -> None:
    if goals:
        print("\n".join(["goals", *(goal.line() for goal in goals)]))
