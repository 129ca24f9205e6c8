"""Pages that stand alone: no script, nothing loaded, every word escaped."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from html import escape

STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8885; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
section { border-left: 0.25rem solid #8885; padding-left: 0.9rem; margin: 1.4rem 0; }
section.right { border-color: #1a7f37; }
section.not { border-color: #b35900; }
h2 { font-size: 1.1rem; margin-bottom: 0.2rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #8885; padding: 0.6rem; }
.bar { display: inline-block; height: 0.7rem; background: currentColor; opacity: 0.5; min-width: 1px; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, parts: Iterable[str], *, policy: str = POLICY) -> str:
    """A whole page; the parts are HTML, the title is text.

    >>> "&lt;b&gt;" in page("<b>", [])
    True
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def marked(text: str) -> str:
    """A sentence of ours as HTML: `code` is set as code, all else is text.

    >>> marked("`a<b` & c")
    '<code>a&lt;b</code> &amp; c'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def file_names(students: Iterable[str]) -> dict[str, str]:
    """A file name for each student, safe on every system and different from all others.

    >>> file_names(["Ana Müller", "../x", "ana müller"])["Ana Müller"]
    'Ana Müller-b4f6ae'
    """
    people = sorted(set(students))
    plain = {student: _plain(student) for student in people}
    folded = [name.casefold() for name in plain.values()]
    return {
        student: name if name == student and folded.count(name.casefold()) == 1 else f"{name}-{_short(student)}"
        for student, name in plain.items()
    }


def _plain(name: str) -> str:
    name = re.sub(r'[\\/:*?"<>|\x00-\x1f\x7f]', "_", unicodedata.normalize("NFC", name)).strip(" .")
    name = name.encode("utf8", "replace")[:100].decode("utf8", "ignore").strip(" .")
    return f"_{name}" if not name or re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?|[-~].*", name) else name


def _short(name: str) -> str:
    return hashlib.sha256(name.encode("utf8", "replace")).hexdigest()[:6]
