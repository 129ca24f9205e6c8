"""A class with odd and hostile notebooks, as folders, as Moodle's zip and as that of Canvas."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

from hostile.course import NAME, ROOT, ZERO, notebook, solved

EARLIER = """def cg_at(grades, k=None):
    return {}
def cg_curve(grades):
    return [cg_at(grades, k + 1) for k in range(len(grades))]"""
LOOP = "def cg_with_loop(grades, k):\n    while True: pass"
# Code behind the right answers, which it replaces or spoils.
ODD = {
    "a wrong one, called by the next": EARLIER.format("sum(grades)"),
    "an error, caught by the next": """def cg_at(grades, k=None): return 1 / 0
def cg_curve(grades):
    try: return [cg_at(grades, k + 1) for k in range(len(grades))]
    except: return 0""",
    "missing, called by the next": "del cg_at\n" + EARLIER.partition("\n")[2].partition("\n")[2],
    "no end in a function": LOOP,
    "no end in a cell": "while True: pass",
    "no end where errors are caught": """def cg_with_loop(grades, k):
    while True:
        try:
            while True: pass
        except BaseException: pass""",
    "sleeps": "import time\ndef cg_with_loop(grades, k):\n    time.sleep(60)",
    "recursion": "def cg_at(grades, k=None): return cg_at(grades, k)",
    "memory": "x = []\nwhile True: x.append(bytes(50_000_000))",
    "10 MB printed": "print('x' * 10_000_000)\ndef cg_curve(grades):\n    print('y' * 10_000_000)\n    return 0",
    "deep": "x = []\nfor _ in range(100_000): x = [x]\ncg_at = lambda *a: x",
    "huge": """cg_at = lambda *a: 'x' * 10 ** 7
cg_curve = lambda g: [1.5] * 10 ** 6
cg_with_loop = lambda *a: 10 ** 5000""",
    "exits": "import sys\nsys.exit(0)",
    "exits at once": "import os\nos._exit(0)",
    "imports what is not there": "from tqdm import tqdm\nx = 1\ny = z",
    "installs": "!pip install scipy\n%pip install scipy\nimport math",
    "magics": "%matplotlib inline\n%timeit 1\nfiles = !ls\n%%time",
    "draws": "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1])\nplt.show()",
    "numpy": """import numpy as np
def cg_at(grades, k=None): return np.sum(grades[:k])
def cg_curve(grades): return np.cumsum(grades)""",
    "threads": "import threading\ndef cg_at(grades, k=None):\n    threading.Thread(target=print).start()",
    "processes": "import os\ndef cg_at(grades, k=None): os.fork()",
    "programs": """import subprocess
x = subprocess.run(['ls'])
def cg_at(grades, k=None): return subprocess.run(['ls'])""",
    "awaits": "import asyncio\nawait asyncio.sleep(0)\nx = 1",
    "asks": "x = input()",
    "changes what it is given": "def cg_curve(grades):\n    grades.sort()\n    return grades",
    "a syntax error": "def (:\nx = 1",
    "an unseen letter": "cg_at\u200b = 3",
    "forges": """import json, sys, os
for fd in range(3, 9):
    try: os.write(fd, b'{"ready": true}\\n{"mark": "", "answers": [{"value": 1}]}\\n')
    except OSError: pass
"""
    + ZERO,
    "frames": """import sys
def cg_at(grades, k=None):
    f = sys._getframe()
    while f: dict(f.f_locals); f = f.f_back
    return -1""",
}
# What can be tried with a browser alone; each must earn what its answers do, which are wrong.
BRIDGE = """
import sys, gc
js = None
try:
    import js
except BaseException: pass
def bridge():
    "A way to the browser: what is in memory cannot be hidden."
    for one in gc.get_objects():
        if type(one).__name__ == "JsProxy": return one
    import importlib.machinery
    for name in ("_pyodide_core", "js", "pyodide_js"):
        sys.modules.pop(name, None)
    import _pyodide_core
    from _pyodide_core import JsProxy
    return JsProxy
found = []
try: found.append(repr(bridge()))
except BaseException as e: found.append(type(e).__name__)
"""
IN_A_BROWSER = {
    "the bridge is asked for": BRIDGE + ZERO,
    "js": "import js\njs.postMessage('x')\njs.fetch('/')\n" + ZERO,
}


def handed_in() -> dict[str, tuple[str, str]]:
    """By student: the name of the file and its text."""
    found: dict[str, tuple[str, str]] = {}
    for file in sorted((ROOT / "solutions").glob("[0-9]*.ipynb")):
        found[f"Solved {file.stem[:2]}"] = (file.name, file.read_text("utf8"))
    for file in sorted((ROOT / "exercises").glob("[0-9]*.ipynb"))[:3]:
        found[f"Untouched {file.stem[:2]}"] = (file.name, file.read_text("utf8"))
    for name, code in {**ODD, **IN_A_BROWSER}.items():
        found[name.capitalize()] = (f"{NAME}.ipynb", notebook(*solved(), code))
    found |= {
        "Zoë Nuñez-Ōe": (f"{NAME}.ipynb", notebook(*solved())),
        "李雷": (f"{NAME}.ipynb", notebook(ZERO)),
        "محمد": (f"{NAME} (1).ipynb", notebook(*solved()[:4])),
        "Broken": (f"{NAME}.ipynb", notebook(*solved())[:-40]),
        "Empty": (f"{NAME}.ipynb", ""),
        "No cells": (f"{NAME}.ipynb", "{}"),
        "Another's": (f"{NAME}.ipynb", notebook("x = 1")),
        "Wrong name": (
            "Untitled7.ipynb",
            notebook(*solved("03-discounting") if (ROOT / "solutions/03-discounting.ipynb").exists() else solved()),
        ),
        "A paper": ("answers.pdf", "%PDF"),
    }
    return found


def as_folders(folder: Path, people: dict[str, tuple[str, str]]) -> None:
    for student, (name, text) in people.items():
        (folder / student).mkdir(parents=True)
        (folder / student / name).write_text(text, "utf8")


def as_zip(file: Path, people: dict[str, tuple[str, str]], *, canvas: bool) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (student, (name, text)) in enumerate(people.items(), start=1000):
            plain = re.sub(r"[\W_]+", "", student).lower() or "x"
            place = (
                f"{plain}_{number}_{number + 5000}_{name}"
                if canvas
                else f"{student}_{number}_assignsubmission_file/{name}"
            )
            archive.writestr(zipfile.ZipInfo(place, (2026, 11, 18, 12, 0, 0)), text)
