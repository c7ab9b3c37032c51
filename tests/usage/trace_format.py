"""Checks the parts of the Trace Event Format that our traces use.

The format is Google's "Trace Event Format", the document that Perfetto and chrome://tracing name as their
reference: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU ("JSON Object
Format", "Event Descriptions", "Complete Events", "Counter Events", "Metadata Events", "Duration Events").
"""

import json
import numbers

# Metadata events -> the required key of `args`, and its type.
METADATA = {"process_name": ("name", str), "process_labels": ("labels", str), "thread_name": ("name", str),
            "process_sort_index": ("sort_index", int), "thread_sort_index": ("sort_index", int)}


def is_number(value):
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def problems(text):
    """The errors of a trace, as sentences; empty if it conforms to the format."""
    found = []
    trace = json.loads(text, parse_constant=lambda name: found.append(f"{name} is no JSON"))
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return found + ["`traceEvents` is no list of an object"]
    if trace.get("displayTimeUnit", "ms") not in ("ms", "ns"):
        found.append("`displayTimeUnit` is neither ms nor ns")
    last = {}  # last time of each counter
    open_spans = {}
    for number, event in enumerate(trace["traceEvents"]):
        def wrong(what):
            found.append(f"event {number} ({event.get('ph')}, {event.get('name')}): {what}")

        phase = event.get("ph")
        if not isinstance(event.get("name"), str) or (not event["name"] and phase != "E"):
            wrong("has no name")
        for key in ("pid", "tid"):
            if not isinstance(event.get(key), int):
                wrong(f"`{key}` is no whole number")
        if not isinstance(event.get("cat", ""), str) or not isinstance(event.get("args", {}), dict):
            wrong("`cat` is no text or `args` no object")
        if phase == "M":
            key, kind = METADATA.get(event["name"], (None, None))
            if key is None or not isinstance(event.get("args", {}).get(key), kind):
                wrong("is no metadata of the format")
            continue
        if phase not in ("X", "C", "B", "E"):
            wrong("is of a phase that we do not write")
            continue
        if not is_number(event.get("ts")) or event["ts"] < 0:
            wrong("`ts` is no time")
            continue
        if phase == "X" and (not is_number(event.get("dur")) or event["dur"] < 0):
            wrong("`dur` is no time")
        if phase == "C":
            series = event.get("args", {})
            if not series or not all(is_number(value) for value in series.values()):
                wrong("a counter has numbers, at least one")
            counter = (event["pid"], event["name"], event.get("id"))
            if event["ts"] < last.get(counter, 0):
                wrong("goes back in time")
            last[counter] = event["ts"]
        if phase in ("B", "E"):
            lane = open_spans.setdefault((event["pid"], event["tid"]), [])
            if phase == "B":
                lane.append(event)
            elif not lane:
                wrong("ends what did not begin")
            else:
                lane.pop()
    for lane, spans in open_spans.items():
        if spans:
            found.append(f"{len(spans)} spans of lane {lane} do not end")
    return found
