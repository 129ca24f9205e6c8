"""Runs one cell in the browser: what it printed, its last value, its figures, or the reader's lines of an error."""

from __future__ import annotations

import ast
import base64
import builtins
import html
import io
import linecache
import os
import re
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("MPLBACKEND", "AGG")

LIMIT = 100_000  # characters that one cell may print; a page with more answers no click
CUT = f"\n(cut off after {LIMIT:,} characters)\n"
WRAPPED = 10_000  # characters of a value that are broken into lines; more would take too long
PACKAGES = "numpy, matplotlib and ndcg_lib"
Tell = Callable[[str, str], None]
page = types.ModuleType("__main__")  # the variables that the cells of a page share
sys.modules["__main__"] = page


class Printed(io.TextIOBase):
    """Text on its way into the page: in lumps, and not without end."""

    def __init__(self, tell: Tell) -> None:
        self.tell, self.held, self.left, self.last = tell, "", LIMIT, 0.0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.left > 0:
            self.held += text[: self.left]
            self.left -= len(text)
            if self.left <= 0:
                self.held += CUT
            if time.monotonic() - self.last > 0.1:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self.held:
            self.tell("printed", self.held)
        self.held, self.last = "", time.monotonic()


async def run(
    code: str, name: str, tell: Tell, quiet: bool = False, listen: Callable[[bool], None] = lambda on: None
) -> bool:
    """Run a cell; whether it got to its end. A quiet one, run for a later cell, does without its last value.

    `listen` says whether a stop may come: while the reader's code has the word.
    """
    file = f"<{name}>"
    linecache.cache[file] = (len(code), None, f"{code}\n".splitlines(keepends=True), file)
    printed = Printed((lambda kind, text: None) if quiet else tell)
    shown: list[Any] = []
    builtins.display = lambda *values: shown.extend(values)
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            listen(True)
            value = await _value(code, file, quiet)
            if quiet:
                _close_figures()
                return True
            printed.flush()
            for item in [*shown, *([value] if value is not None else [])]:
                _show(item, tell)
            for figure in _open_figures():
                tell("html", _picture(figure))
            _close_figures()
            printed.flush()
        return True
    except BaseException as error:
        listen(False)
        printed.flush()
        tell("error", complaint(error))
        return False
    finally:
        listen(False)


def drawing(code: str, quiet: bool) -> bool:
    """Whether matplotlib is needed. A cell that runs for a later one leaves its picture out, and does without."""
    try:
        tree = _without_picture(ast.parse(code)) if quiet else ast.parse(code)
    except SyntaxError:
        return False
    words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ("plots", "plt")}
    return bool(words) or "matplotlib" in ast.unparse(tree)


def _without_picture(tree: ast.Module) -> ast.Module:
    last = tree.body[-1] if tree.body else None
    call = last.value if isinstance(last, ast.Expr) else None
    if isinstance(call, ast.Call) and ast.unparse(call.func).startswith("plots."):
        tree.body.pop()
    return tree


async def _value(code: str, file: str, quiet: bool) -> Any:
    tree = _without_picture(ast.parse(code, file)) if quiet else ast.parse(code, file)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
        if code.rstrip().endswith(";"):
            tree.body.append(ast.copy_location(ast.Expr(last.body), last.body))
            last = None
    await _execute(compile(tree, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))
    if last is None or quiet:
        return None
    return await _execute(compile(last, file, "eval", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT))


async def _execute(code: types.CodeType) -> Any:
    value = eval(code, page.__dict__)
    return await value if isinstance(value, types.CoroutineType) else value


def _show(value: Any, tell: Tell) -> None:
    if isinstance(value, type):
        return tell("text", repr(value))
    if type(value).__module__ == "matplotlib.figure":
        return tell("html", _picture(value))
    if (shown := _form(value)) is not None:
        return tell("html", shown)
    text = repr(value)
    if type(value) in (list, dict, tuple, set) and 79 < len(text) <= WRAPPED:
        from pprint import pformat

        text = pformat(value, width=79, sort_dicts=False)
    tell("text", text if len(text) <= LIMIT else text[:LIMIT] + CUT)


def _form(value: Any) -> str | None:
    """The richest form that a value gives of itself, as HTML."""
    whole = getattr(value, "_repr_mimebundle_", dict)()
    bundle = whole[0] if isinstance(whole, tuple) else whole or {}
    for kind, (way, as_html) in FORMS.items():
        made = bundle.get(kind)
        if made is None:
            made = getattr(value, way, lambda: None)()
        if made is not None:
            return as_html(made[0] if isinstance(made, tuple) else made)  # beside it may stand what is said about it
    return None


def _image(kind: str, data: bytes | str) -> str:
    text = data if isinstance(data, str) else base64.b64encode(data).decode()
    return f'<img class="live-figure" alt="Figure drawn by this cell." src="data:image/{kind};base64,{text}">'


def _markdown(text: str) -> str:
    """Headings, lists, tables, code and paragraphs."""
    parts = re.split(r"^```.*\n((?:.*\n)*?)```$", text, flags=re.MULTILINE)
    made = []
    for place, part in enumerate(parts):
        blocks = [part] if place % 2 else re.split(r"\n\s*\n|(?<=\n)(?=#)", part.strip())
        made += [f"<pre>{html.escape(part)}</pre>" if place % 2 else _block(block) for block in blocks if block]
    return "\n".join(made)


def _block(text: str) -> str:
    lines = [line.strip() for line in text.strip().split("\n")]
    if head := re.match(r"(#+) +(.*)", text):
        return f"<h{len(head[1])}>{_words(head[2])}</h{len(head[1])}>" + (
            _block("\n".join(lines[1:])) if lines[1:] else ""
        )
    if len(lines) > 1 and re.fullmatch(r"\|?[\s:|-]+\|?", lines[1]) and "|" in lines[0]:
        rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[:1] + lines[2:]]
        kinds = ["th"] + ["td"] * len(rows)
        cells = [
            "".join(f"<{kind}>{_words(cell.strip())}</{kind}>" for cell in row)
            for kind, row in zip(kinds, rows, strict=False)
        ]
        return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
    for mark, kind in (("[-*+] ", "ul"), (r"\d+[.)] ", "ol")):
        if re.match(mark, lines[0]):
            items = re.split(rf"^{mark}", "\n".join(lines), flags=re.MULTILINE)[1:]
            return f"<{kind}>{''.join(f'<li>{_words(item)}</li>' for item in items)}</{kind}>"
    return f"<p>{_words(text)}</p>"


def _words(text: str) -> str:
    """A line of Markdown: code, emphasis and links; all else stands as it was written."""
    parts = re.split(r"(`[^`]+`)", html.escape(text))
    for place, part in enumerate(parts):
        if place % 2:
            parts[place] = f"<code>{part[1:-1]}</code>"
            continue
        part = re.sub(r"\*\*(\S.*?)\*\*", r"<strong>\1</strong>", part, flags=re.DOTALL)
        part = re.sub(r"\*(\S.*?)\*", r"<em>\1</em>", part, flags=re.DOTALL)
        parts[place] = re.sub(r"\[([^\]]*)\]\((https?://[^)\s]+)\)", r'<a href="\2">\1</a>', part)
    return "".join(parts)


FORMS: dict[str, tuple[str, Callable[[Any], str]]] = {  # of a value, as notebooks prefer them
    "text/html": ("_repr_html_", str),
    "text/markdown": ("_repr_markdown_", _markdown),
    "text/latex": ("_repr_latex_", lambda text: f"<p><code>{html.escape(text)}</code></p>"),  # a page has no typesetter
    "image/svg+xml": ("_repr_svg_", str),
    "image/png": ("_repr_png_", partial(_image, "png")),
    "image/jpeg": ("_repr_jpeg_", partial(_image, "jpeg")),
}


def complaint(error: BaseException) -> str:
    """The error with the lines of the reader's cells, without those of any library."""
    own = getattr(error, "_render_traceback_", None)
    if own is not None:
        return "\n".join(own())
    told = traceback.TracebackException.from_exception(error)
    part: traceback.TracebackException | None = told
    while part is not None:
        part.stack = traceback.StackSummary.from_list(
            [frame for frame in part.stack if frame.filename.startswith("<cell")]
        )
        part = part.__cause__ or (None if part.__suppress_context__ else part.__context__)
    text = "".join(told.format()).replace("Traceback (most recent call last):\n", "")
    lines = []
    for line in text.rstrip().splitlines():
        if line.startswith('  File "<cell'):
            name, rest = line.strip().removeprefix('File "').split('"', 1)
            line = f"{name.strip('<>').capitalize()}{rest.replace(', in <module>', '')}:"
        lines.append(line)
    if isinstance(error, ModuleNotFoundError) and error.name:
        top = error.name.partition(".")[0]
        if top not in sys.modules and find_spec(top) is None:
            lines[-1] = f"{type(error).__name__}: there is no {top} here. A page has Python's own library, {PACKAGES}."
    return "\n".join(lines)


def _open_figures() -> list[Any]:
    plt = sys.modules.get("matplotlib.pyplot")
    return [plt.figure(number) for number in plt.get_fignums()] if plt else []


def _close_figures() -> None:
    if plt := sys.modules.get("matplotlib.pyplot"):
        plt.close("all")


def _picture(figure: Any) -> str:
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=160, bbox_inches="tight")
    words = [figure.get_suptitle() or "", *(text for axes in figure.axes for text in _labels(axes))]
    alt = "Figure drawn by this cell. " + " ".join(f"{word.strip().rstrip('.')}." for word in words if word.strip())
    source = base64.b64encode(data.getvalue()).decode()
    return f'<img class="live-figure" alt="{html.escape(alt.strip())}" src="data:image/png;base64,{source}">'


def _labels(axes: Any) -> list[str]:
    sides = [f"{side}: {label}" for side, label in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())) if label]
    return [axes.get_title(), *sides]


def kept_record() -> str:
    """The record of the exercises, for the page to keep."""
    module = sys.modules.get("ndcg_course.explain.record")
    return module.record.as_json() if module else ""


def load_record(text: str) -> None:
    from ndcg_course.explain.record import record

    record.load(text)


def begin(book: str) -> None:
    """Settings of a fresh Python; `book` is the address that links of a check begin with."""
    os.environ["NDCG_BOOK"] = book
    warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")  # of plt.show(); a cell shows its figures
    ipython = types.ModuleType("IPython")
    ipython.version_info = (9, 0)  # matplotlib asks for it
    ipython.get_ipython = lambda: None
    ipython.display = _display_module()
    sys.modules |= {"IPython": ipython, "IPython.display": ipython.display}
    builtins.input = _no_input


def _no_input(question: object = "") -> str:
    raise RuntimeError("input() cannot ask inside a page: put the value into the code")


def _display_module() -> types.ModuleType:
    module = types.ModuleType("IPython.display")

    def show(*values: Any) -> None:
        builtins.display(*values)  # another one for each run

    class Shown:
        """A text that is to be shown as it is."""

        def __init__(self, data: str) -> None:
            self.data = data

    class HTML(Shown):
        def _repr_html_(self) -> str:
            return self.data

    class Markdown(Shown):
        def _repr_markdown_(self) -> str:
            return self.data

    class Latex(Shown):
        def _repr_latex_(self) -> str:
            return self.data

    module.HTML = module.SVG = HTML
    module.Markdown, module.Latex, module.Math = Markdown, Latex, Latex
    module.display = show
    return module
