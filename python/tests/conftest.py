"""What the tests share: the program to compare with, and records."""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Program:
    """The program `obelus`, as OBELUS names it, else the one on the PATH."""

    def __init__(self, path: str) -> None:
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *arguments: str, text: str | None = None, cwd: os.PathLike[str] | None = None) -> str:
        command = [self.path, *arguments]
        answer = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", cwd=cwd)
        assert answer.returncode in (0, 1), answer.stderr
        return answer.stdout

    def json_lines(self, *arguments: str, **options) -> list[dict]:
        return [json.loads(line) for line in self.run(*arguments, **options).split("\n") if line]


@pytest.fixture(scope="session")
def program() -> Program:
    path = os.environ.get("OBELUS") or shutil.which("obelus")
    if path is None:
        pytest.skip("there is no program obelus to compare with; OBELUS names one")
    return Program(path)


def trajectory(number: int) -> dict:
    """A trajectory; most are fine, some have faults, some are copies or near copies of others."""
    source = number - 1 if number % 10 in (4, 7) else number
    words = random.Random(source).choices([f"word{i}" for i in range(400)], k=150)
    if number % 10 == 7:
        words[0] = "differs"
    call = {"class_": "api_action", "function": f"f{source % 7}", "kwargs": {"n": source}}
    content = [
        {"class_": "text_observation", "content": "list the files", "source": "user"},
        {**call, "description": " ".join(words), "reward": [0.1, 1e16, -1e16, 0.3][source % 4]},
        {"class_": "text_observation", "content": "Error: none" if source % 3 else "fine", "source": "environment"},
    ]
    if source % 11 == 3:
        content.append({"class_": "no_such_class", "content": "x"})
    # The ids of some are those of others.
    return {"id": f"t{number % 280}", "content": content, "details": {"model": f"m{source % 2}"}}


@pytest.fixture(scope="session")
def trajectories() -> list[str]:
    """300 JSON texts of the format adp."""
    return [json.dumps(trajectory(number)) for number in range(300)]
