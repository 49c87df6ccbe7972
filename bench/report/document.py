# SPDX-License-Identifier: MIT
"""The pages made of the results of a run: docs/benchmarks.md, hand-written prose with a selection of tables and plots, and
bench/notes/tables.md, all tables."""

import json
import pathlib
import re
import string
import textwrap

from plots import series_of, svg
from questions import QUESTIONS
from results import order
from summary import contention_table, many_threads_table, mixtures_table, summary_table
from tables import markdown, number, tables_of_question, whole
from targets import findings, targets_table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

WIDTH = 120
PLOTS_OF_PAGE = ["04_threads", "05_hold_100", "05_frontier_8", "05_many_hold_100", "05_frontier_64", "10_waiters"]


def explanations():
    """{key: text} of explanations.md: a heading for each key."""
    sections = re.split(r"^## (.+)$", (HERE / "explanations.md").read_text(), flags=re.MULTILINE)
    return {key.strip(): body.strip() for key, body in zip(sections[1::2], sections[2::2])}


def not_met(results):
    """An item for each cause: the worst of its figures, and the explanation."""
    texts = explanations()
    by_cause = {}
    for found in findings(results):
        by_cause.setdefault((found.number, found.why), []).append(found)
    parts = []
    for (question, why), those in sorted(by_cause.items()):
        missed = sorted((f for f in those if not f.is_met), key=lambda f: -f.miss)
        if not missed:
            continue
        shown = [f"{f.figure}: **{f.found}**, target {f.target}" for f in missed[:2]]
        if len(missed) > 2:
            shown.append(f"{len(missed)} of {len(those)} such figures miss their targets")
        cause = texts.get(why, "No cause is known yet.")
        parts.append(f"- Question {question}. {'; '.join(shown)}. {cause}")
    return "\n".join(parts) or "All targets are met in this run."


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
                trend = f"n^{power:.2f}" if power >= 0.1 else "flat" if power > -0.1 else "falls"
                rows.append([plot.title, who, f"{whole(first)} – {whole(last)} {plot.x_label}", number(cost),
                             number(cost_at_last), trend])
    return markdown(["cost", "of", "from – to", "first", "last", "order"], rows, left=3)


def machine(results):
    m = results.machine
    return (f"{m['processor']}, {m['processors']} processors, {m['system']}, {results.compiler}, {m['date']}, "
            f"commit {m['commit']}, load {m['load']} at the start; effort: {results.effort}.{renewed(results)}")


def renewed(results):
    """Which questions are of a later run, with all their contestants."""
    runs = {}
    for number, m in results.renewed.items():
        runs.setdefault((m["date"], m["commit"], m["load"], m["processor"], m["system"]), []).append(int(number))
    sentences = []
    for (date, commit, load, processor, system), numbers in runs.items():
        those = [str(number) for number in sorted(numbers)]
        named = f"Question {those[0]} was" if len(those) == 1 else f"Questions {', '.join(those[:-1])} and {those[-1]} were"
        same = (processor, system) == (results.machine["processor"], results.machine["system"])
        sentences.append(f" {named} measured again, with all contestants: {date}, commit {commit}, load {load}"
                         f"{'' if same else f', on {processor}, {system}'}.")
    return "".join(sentences)


def versions(results):
    return ", ".join(f"{name} {version}" for name, version in results.versions.items())


def met(results):
    found = findings(results)
    return f"{sum(f.is_met for f in found)} of {len(found)}"


def values_of_pages(results):
    values = {
        "machine": machine(results), "versions": versions(results), "met": met(results),
        "summary": summary_table(results), "contention": contention_table(results),
        "many_threads": many_threads_table(results),
        "mixtures": mixtures_table(results), "not_met": not_met(results),
        "targets": targets_table(results), "growth": growth(results),
    }
    for question in QUESTIONS:
        values[f"question_{question.number}"] = "\n\n".join(tables_of_question(results, question, folded=True))
    return values


def page(template, values):
    """The template with its values, and paragraphs refilled that have become too wide."""
    text = string.Template(without_unasked_questions((HERE / template).read_text(), values)).substitute(values)
    return "\n\n".join(map(refilled, text.split("\n\n")))


def without_unasked_questions(template, values):
    """The template without the sections of questions that have no results: those of an earlier version of the programs."""
    def kept(section):
        question = re.search(r"\$(question_\d+)", section[0])
        return "" if question and not values[question[1]] else section[0]

    return re.sub(r"^## .*?(?=^## |\Z)", kept, template, flags=re.MULTILINE | re.DOTALL).rstrip() + "\n"


def refilled(paragraph):
    if paragraph.startswith(("|", "!", "<", "```")):
        return paragraph
    items = re.split(r"\n(?=- )", paragraph)
    return "\n".join(item if max(map(len, item.split("\n"))) <= WIDTH else filled(item) for item in items)


def filled(item):
    indent = "  " if item.startswith("- ") else ""
    return textwrap.fill(" ".join(item.split()), WIDTH, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def with_raw_results(raw):
    """One line for each record, so that a difference of two runs is readable."""
    records = [{key: value for key, value in record.items() if key != "point"} for record in raw["records"]]
    lines = ",\n".join(json.dumps(record, separators=(",", ":"), ensure_ascii=False) for record in records)
    head = json.dumps({key: value for key, value in raw.items() if key != "records"}, ensure_ascii=False)[:-1]
    return f'{head}, "records": [\n{lines}\n]}}\n'


def documents(results, raw):
    """{path below the root: text} of all that the repository keeps of a run."""
    values = values_of_pages(results)
    files = {
        "docs/benchmarks.md": page("benchmarks.md.in", values),
        "bench/notes/tables.md": page("tables.md.in", values),
        "docs/benchmarks/results.json": with_raw_results(raw),
    }
    pictures = plots(results)
    return files | {f"docs/benchmarks/{name}.svg": pictures[name] for name in PLOTS_OF_PAGE if name in pictures}


def plots(results):
    """{name: SVG} of all plots with at least two points."""
    pictures = {plot.file: svg(results, plot) for question in QUESTIONS for plot in question.plots}
    return {name: picture for name, picture in pictures.items() if picture is not None}


def write(files, root):
    """Returns the paths that were written."""
    written = []
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        written.append(path)
    return written
