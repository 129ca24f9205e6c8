"""The table of choices as the book shows it, from ndcg_lib/definition.py.

``{options}`` is a row per choice, with what it is and its levels; ``{options} gain discount`` a row per option of both.
"""

from __future__ import annotations

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from ndcg_lib.choices import bind, keywords_of, text_of
from ndcg_lib.definition import PARAMETERS, TABLE, Choice, Option

LETTERS = {name: name[0] for name in PARAMETERS}


def overview() -> list[str]:
    rows = ["| choice | is | levels |", "|---|---|---|"]
    for name, default in keywords_of("queries").items():
        if name in PARAMETERS:
            users = [o.key for o in TABLE["discount"].options if not o.wrong and PARAMETERS[name] in o.parameters]
            rows.append(f"| {name} | {PARAMETERS[name].label} | {default:g} unless said; of {names(users)} |")
        else:
            numbers = [f"{o.key:g}" for o in TABLE[name].options if isinstance(o.key, float)]
            levels = ", ".join([*numbers, names(TABLE[name].names)])
            more = f", or {TABLE[name].open}" if TABLE[name].open else ""
            said = TABLE[name].heading if TABLE[name].title else TABLE[name].about
            rows.append(f"| {name} | {said[0].lower()}{said[1:]} | {levels}{more} |")
    return [*rows, "| k | how many ranks count | a number; nothing for the whole list |"]


def names(keys: object) -> str:
    return ", ".join(f"`{key}`" for key in keys)  # type: ignore[attr-defined]


def rows_of(chosen: list[Choice]) -> list[str]:
    formulas = any(formula(o) for choice in chosen for o in choice.options)
    rows = [f"| option | of | {'formula | ' if formulas else ''}on the card | also called |"]
    rows.append(f"|---|---|{'---|' if formulas else ''}---|---|")
    for choice in chosen:
        for o in choice.options:
            if o.wrong:
                continue
            card = text_of(choice.name, bind(choice.name, o.key)) or "–"
            key = f"`{o.key}`" if isinstance(o.key, str) else f"{o.key:g}"
            math = f"{f'${formula(o)}$' if formula(o) else '–'} | " if formulas else ""
            also = ", ".join(o.also.split()) or "–"
            rows.append(f"| {key} | {choice.name} | {math}{card} | {also} |")
    return rows


def formula(option: Option) -> str:
    """The gain of a grade, or the discount of a rank, in LaTeX."""
    around = {"g": "rel_i", "i": "i", "next": "(i+1)", "before": "i-1", **LETTERS}
    if option.under:
        under = option.under.format(**around)
        return rf"1/\max(1, {under})" if option.starts else f"1/{under}"
    return (option.latex or option.times or ("1" if option.js == "1" else "")).format(**around)


class Options(SphinxDirective):
    """Makes MyST text from the table and lets the page read it."""

    optional_arguments = len(TABLE)

    def run(self) -> list[nodes.Node]:
        for name in self.arguments:
            if name not in TABLE:
                raise self.error(f"options: there is no choice {name!r}; the choices are {', '.join(TABLE)}")
        lines = rows_of([TABLE[name] for name in self.arguments]) if self.arguments else overview()
        holder = nodes.container(classes=["options"])
        self.state.nested_parse(StringList(lines, source=""), self.content_offset, holder)
        return [holder]


def setup(app) -> dict[str, bool]:  # type: ignore[no-untyped-def]
    app.add_directive("options", Options)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
