# SPDX-License-Identifier: MIT
"""Draws a part of a timeline that a program with futon::diagnostics has recorded: a row for each thread, loop and coroutine, with
what it held and waited for.

    python3 docs/pictures/timeline.py TRACE.json PART.json FROM UNTIL

cuts a part, in microseconds of the trace, out of what write_trace has written, for a picture of the documents."""

import json
import pathlib
import sys

from svg import Picture

HERE = pathlib.Path(__file__).resolve().parent
LEFT, WIDTH, BAR, GAP, MOST = 190, 900, 22, 4, 5
STYLES = {"held": "thread", "waiting": "hot", "job": "box"}
ORDER = {"job": 0, "held": 1, "waiting": 2}


def length_of(microseconds):
    if microseconds >= 1000:
        return f"{microseconds / 1000:.3g} ms"
    return f"{microseconds:.3g} us"


def words_of(span):
    """From the longest to the shortest: the first that has room is written."""
    name = span["name"]
    if span["cat"] == "held":
        return [f"holds {name}", name]
    if span["cat"] == "waiting":
        return [f"waits for {name}", name]
    return [f"one job, {length_of(span['dur'])}", "job"]


def lanes_of(spans):
    """Spans that overlap lie below one another."""
    lanes = []
    for span in sorted(spans, key=lambda span: (ORDER[span["cat"]], span["ts"])):
        for lane in lanes:
            if lane[-1]["cat"] == span["cat"] and lane[-1]["ts"] + lane[-1]["dur"] <= span["ts"] + 1e-6:
                lane.append(span)
                break
        else:
            lanes.append([span])
    return lanes


def draw(name, title, description):
    events = json.loads((HERE / "traces" / f"{name}.json").read_text(encoding="utf-8"))["traceEvents"]
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    spans = [event for event in events if event["ph"] == "X"]
    rows = [(names[tid], lanes_of(mine)) for tid in names if (mine := [span for span in spans if span["tid"] == tid])]
    begin = min(span["ts"] for span in spans)
    end = max(span["ts"] + span["dur"] for span in spans)
    scale = (WIDTH - LEFT - 20) / (end - begin)

    height = 44 + sum(min(len(lanes), MOST + 1) * (BAR + GAP) + 14 for _, lanes in rows)
    picture = Picture(WIDTH, height, title, description)
    step = next(step for power in range(-1, 8) for step in (10 ** power, 2 * 10 ** power, 5 * 10 ** power)
                if (end - begin) / step <= 8)
    for tick in range(int((end - begin) / step) + 1):
        x = round(LEFT + tick * step * scale, 1)
        picture.parts.append(f'<path d="M{x} 30 V{height - 10}" class="line" stroke-opacity="0.25"/>')
        picture.text(x, 20, "0" if tick == 0 else length_of(tick * step), "small")
    y = 38
    for row, lanes in rows:
        picture.text(LEFT - 12, round(y + min(len(lanes), MOST + 1) * (BAR + GAP) / 2 + 4), row, "strong", "end")
        shown = lanes if len(lanes) <= MOST + 1 else lanes[:MOST]
        for lane in shown:
            for span in lane:
                x, width = LEFT + (span["ts"] - begin) * scale, max(span["dur"] * scale, 1)
                picture.bar(round(x, 1), y, width, BAR, STYLES[span["cat"]])
                for words in words_of(span):
                    if len(words) * 7.2 + 8 < width:
                        picture.text(round(x + width / 2, 1), y + 16, words, "small")
                        break
            y += BAR + GAP
        if len(lanes) > len(shown):
            picture.text(LEFT + 8, y + 16, f"and {len(lanes) - len(shown)} more", "small", "start")
            y += BAR + GAP
        y += 14
    return picture.svg()


def cut(trace, begin, end):
    """The rows, and the spans that lie in a part of the time, shortened to it. Many coroutines are one row."""
    kept = []
    names = {event["tid"]: event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    coroutines = [tid for tid, name in names.items() if name.startswith("coroutine")]
    one = min(coroutines, default=0) if len(coroutines) > 3 else 0
    row_of = {tid: one if one and tid in coroutines else tid for tid in names}
    for tid, name in sorted(names.items(), key=lambda row: (not row[1].startswith("loop"), row[1])):
        if row_of[tid] == tid:
            kept.append({"ph": "M", "tid": tid, "name": "thread_name", "args": {"name": "coroutines" if tid == one else name}})
    for event in trace["traceEvents"]:
        if event["ph"] == "X" and event["ts"] < end and event["ts"] + event["dur"] > begin:
            since, until = max(event["ts"], begin), min(event["ts"] + event["dur"], end)
            kept.append({"ph": "X", "tid": row_of[event["tid"]], "cat": event["cat"], "name": event["name"], "ts": round(since - begin, 3),
                         "dur": round(until - since, 3)})
    return kept


def main():
    trace = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    lines = ",\n".join(json.dumps(event) for event in cut(trace, float(sys.argv[3]), float(sys.argv[4])))
    pathlib.Path(sys.argv[2]).write_text(f'{{"traceEvents": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
