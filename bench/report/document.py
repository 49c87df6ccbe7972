# SPDX-License-Identifier: MIT
"""docs/benchmarks.md: hand-written prose, with the tables, plots and findings of a run put into it."""

import json
import pathlib
import re
import string

from plots import series_of, svg
from questions import QUESTIONS
from results import Results, order
from tables import markdown, number, tables_of_question, whole
from targets import findings, targets_table

HERE = pathlib.Path(__file__).resolve().parent
ELSEWHERE = HERE.parents[1] / "docs" / "benchmarks" / "elsewhere.json"  # a long run on another machine


def explanations():
    """{key: text} of explanations.md: a heading for each key."""
    sections = re.split(r"^## (.+)$", (HERE / "explanations.md").read_text(), flags=re.MULTILINE)
    return {key.strip(): body.strip() for key, body in zip(sections[1::2], sections[2::2])}


def not_met(results):
    texts = explanations()
    missed = {}
    for finding in findings(results):
        if not finding.is_met:
            missed.setdefault((finding.number, finding.why), []).append(finding)
    if not missed:
        return "All of them are met in this run."
    parts = []
    last = None
    for (question, why), those in sorted(missed.items()):
        heading = f"**Question {question}**\n\n" if question != last else ""
        last = question
        listed = "\n".join(f"- {f.figure}: {f.found}, to be {f.target}" for f in those)
        parts.append(f"{heading}{listed}\n\n{texts.get(why, 'No cause is known yet.')}".rstrip())
    return "\n\n".join(parts)


def growth(results):
    """How each cost of ours grows with the work."""
    rows = []
    for question in QUESTIONS:
        for plot in question.plots:
            for who, (kind, points) in series_of(results, plot).items():
                points = [(x, y) for x, y in points if x > 0]
                if kind != "ours" or len(points) < 2:
                    continue
                (first, cost), (last, cost_at_last) = points[0], points[-1]
                power = order(points)
                is_flat = abs(power) < 0.1
                is_falling = power <= -0.1
                rows.append([plot.title, who, f"{whole(first)} – {whole(last)} {plot.x_label}", number(cost),
                             number(cost_at_last), "flat" if is_flat else "falls" if is_falling else f"n^{power:.2f}"])
    return markdown(["cost", "of", "from – to", "at first", "at last", "order"], rows, left=3)


def machine(results):
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    m = results.machine
    return (f"{m['processor']}, {m['processors']} processors, {m['system']}, {results.compiler}, {m['date']}, load {m['load']} "
            f"when it began; effort: {results.effort}. {versions}.")


def summary(results):
    found = findings(results)
    return f"{sum(f.is_met for f in found)} of {len(found)}"


def write_document(results, raw, docs):
    """Returns the files that were written."""
    raw_elsewhere = ELSEWHERE.read_text()
    elsewhere = Results(json.loads(raw_elsewhere))
    folder = docs / "benchmarks"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    written = [docs / "benchmarks.md", folder / "results.json"]
    values = {"machine": machine(results), "summary": summary(results),
              "elsewhere": machine(elsewhere), "summary_elsewhere": summary(elsewhere),
              "targets": targets_table(results, elsewhere), "not_met": not_met(results), "growth": growth(results)}
    for question in QUESTIONS:
        parts = tables_of_question(results, question, folded=True)
        for plot in question.plots:
            picture = svg(results, plot)
            if picture is not None:
                path = folder / f"{plot.file}.svg"
                path.write_text(picture)
                written.append(path)
                parts.append(f"![{plot.title}](benchmarks/{path.name})")
        values[f"question_{question.number}"] = "\n\n".join(parts)
    template = string.Template((HERE / "benchmarks.md.in").read_text())
    (docs / "benchmarks.md").write_text(template.substitute(values))
    records = [{key: value for key, value in record.items() if key != "point"} for record in raw["records"]]
    lines = ",\n".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) for record in records)
    rest = {key: value for key, value in raw.items() if key != "records"}
    head = json.dumps(rest, ensure_ascii=False)[:-1]
    (folder / ELSEWHERE.name).write_text(raw_elsewhere)  # the page links to it
    (folder / "results.json").write_text(f'{head}, "records": [\n{lines}\n]}}\n')
    return written
