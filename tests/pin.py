"""`kit.py pin`: uv resolves the groups of pyproject.toml for every system and Python at once, with hashes."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import kit

PINNED = """\
# The pinned environment, in groups, each file with its hash; kit.py installs it into .venv.
# What is asked for, and why, stands in pyproject.toml. Written by: python3 kit.py pin
"""


def pin(rest: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, kit.PYTHON.relative_to(kit.VENV))
        pins, part = Path(folder, "pins.txt"), Path(folder, "part.txt")
        shutil.copy(kit.REQUIREMENTS, pins)  # what is pinned stays, unless --upgrade is given
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "uv"], check=True)
        how = ["--universal", "--python-version=3.11", "--annotation-style=line", "--no-header", "--quiet"]
        how += ["--no-strip-extras"]  # without its extra beside it, an older pip asks for the newest of what is pinned

        def resolve(groups, output, *more):
            asked = [f"--group={group}" for group in groups]
            compiled = ["uv", "pip", "compile", kit.ROOT / "pyproject.toml", "-o", output]
            command = [python, "-m", *compiled, *asked, *how, *more]
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            lines = re.sub(r"ndcg-lib \(.*?pyproject\.toml:(\w+)\)", r"the group \1", kit.read(output))
            pinned = {}  # a package may have two versions, for two Pythons
            for found in re.finditer(r"^([\w.-]+)(?:\[.*?\])?==.*\n(?: .*\n)*", lines, re.MULTILINE):
                pinned[found[1]] = pinned.get(found[1], "") + found[0]
            return pinned

        everything = resolve(kit.GROUPS, pins, "--generate-hashes", *rest)
        text, told = PINNED, set()
        for number, group in enumerate(kit.GROUPS, 1):
            names = set(resolve(kit.GROUPS[:number], part, f"--constraint={pins}")) - told
            text += kit.GROUP_LINE.format(group) + "".join(everything[name] for name in sorted(names))
            told |= names
    kit.REQUIREMENTS.write_text(text, "utf-8", newline="\n")


if __name__ == "__main__":
    pin(sys.argv[1:])
