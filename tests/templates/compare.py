#!/usr/bin/env python3
"""Renders templates x conversations with Python's Jinja, set up as `transformers` does, and with obelus.

    python3 -m venv venv && venv/bin/pip install jinja2
    venv/bin/python tests/templates/compare.py target/debug/obelus            tells the differences; status 1 if any
    venv/bin/python tests/templates/compare.py --write                        writes expected.jsonl for the Rust tests

More folders of templates and files of conversations can be named: --templates DIR, --conversations FILE.
"""

import argparse
import json
import subprocess
import sys
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import jinja2
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = Path(__file__).parent
# obelus has no clock: it is always this day.
NOW = datetime(2024, 7, 26)
VARIABLES = {"bos_token": "<bos>", "eos_token": "<eos>", "custom": {"a": [1, 2.0]}}


class Generation(Extension):
    """Blocks of generation as the library tracks them: where the output stands when one is rendered."""

    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        environment.extend(track=self.track)
        self.written, self.spans = None, None

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method("block"), [], [], body).set_lineno(line)

    def block(self, caller):
        text = caller()
        if self.written or self.spans:
            start = len("".join(self.written))
            self.spans.append((start, start + len(text)))
        return text

    @contextmanager
    def track(self, written, spans):
        self.written, self.spans = written, spans
        try:
            yield
        finally:
            self.written, self.spans = None, None


def environment():
    def refuse(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    made = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    made.filters["tojson"] = tojson
    made.filters["said"] = said
    made.filters["called"] = called
    made.filters["parsed"] = lambda x: json.loads(x) if isinstance(x, str) and x.startswith("{") else x
    made.globals["raise_exception"] = refuse
    made.globals["strftime_now"] = lambda form: NOW.strftime(form)
    return made


def said(content):
    """The filter of obelus' named templates: contents as text."""
    if content is None or isinstance(content, jinja2.Undefined):
        return ""
    if isinstance(content, list):
        return "\n".join(part["text"] if "text" in part else json.dumps(part, ensure_ascii=False) for part in content)
    return str(content)


def called(call, key="arguments", has_id=False):
    """The filter of obelus' named templates: a call as JSON."""
    function = call.get("function", call)
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    name, key = json.dumps(function["name"], ensure_ascii=False), json.dumps(key)
    end = ', "id": ' + json.dumps(call.get("id")) if has_id else ""
    return '{"name": ' + name + ", " + key + ": " + text + end + "}"


def mask(spans, length):
    """Which characters a trainer trains, as spans that do not overlap."""
    out = []
    for start, end in sorted((min(start, length), min(end, length)) for start, end in spans):
        if start == end:
            continue
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def by_python(source, record):
    written, spans = [], []
    made = environment()
    try:
        compiled = made.from_string(source)
        with made.track(written, spans):
            for part in compiled.generate(
                messages=record["messages"],
                tools=record.get("tools"),
                documents=None,
                add_generation_prompt=False,
                **VARIABLES,
            ):
                written.append(part)
    except Exception as error:  # Whatever it is, the trainer stops here.
        return {"error": str(error) or type(error).__name__}
    text = "".join(written)
    # Without blocks of generation the template says nothing of training.
    return {"text": text, "mask": mask(spans, len(text)) if "endgeneration" in source else None}


def by_obelus(binary, template, conversations, number):
    settings = [f"--set={name}={json.dumps(value)}" for name, value in VARIABLES.items()]
    command = [binary, "loss", str(conversations), "--record", str(number), "--template", str(template)]
    done = subprocess.run([*command, "--train", "all", "--json", *settings], capture_output=True, text=True, timeout=60)
    if done.returncode > 1:
        return {"error": done.stderr.strip()}
    text, spans = "", []
    for segment in json.loads(done.stdout)["segments"]:
        start = len(text)
        text += segment["text"]
        if segment["trained"]:
            spans.append((start, len(text)))
    return {"text": text, "mask": mask(spans, len(text))}


def first_difference(a, b):
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"at {at}: python {a[max(0, at - 20):at + 40]!r}, obelus {b[max(0, at - 20):at + 40]!r}"


def difference(python, obelus):
    if "error" in python or "error" in obelus:
        if ("error" in python) == ("error" in obelus):
            return None
        return f"python {python.get('error', 'renders')}, obelus {obelus.get('error', 'renders')}"
    if python["text"] != obelus["text"]:
        return first_difference(python["text"], obelus["text"])
    if python["mask"] is not None and python["mask"] != obelus["mask"]:
        return f"python trains {python['mask']}, obelus {obelus['mask']}"
    return None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", nargs="?")
    options.add_argument("--templates", type=Path, action="append", default=[HERE / "jinja"])
    options.add_argument("--conversations", type=Path, default=HERE / "conversations.jsonl")
    options.add_argument("--write", action="store_true")
    options = options.parse_args()
    lines = [line for line in options.conversations.read_text("utf-8").split("\n") if line.strip()]
    records = [json.loads(line) for line in lines]
    templates = sorted(path for folder in options.templates for path in folder.glob("*.jinja"))
    written, wrong, both = [], 0, 0
    for path in templates:
        source = path.open(encoding="utf-8", newline="").read()
        for number, record in enumerate(records):
            python = by_python(source, record)
            if options.write:
                answer = {"error": True} if "error" in python else python
                written.append(json.dumps({"template": path.name, "record": number, **answer}))
                continue
            obelus = by_obelus(options.binary, path, options.conversations, number)
            both += "error" not in python and "error" not in obelus
            different = difference(python, obelus)
            if different:
                wrong += 1
                print(f"{path.name} {number}: {different}")
    if options.write:
        (HERE / "expected.jsonl").write_text("\n".join(written) + "\n", "utf-8")
        print(f"{len(written)} renderings written")
        return 0
    print(f"{len(templates)} templates x {len(records)} conversations: {both} rendered by both, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
