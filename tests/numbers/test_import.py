"""The library is light to import, and typed for whoever uses it."""

import inspect
import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import ndcg_lib
import ndcg_lib as nd
from ndcg_lib.choices import keywords_of

ROOT = Path(ndcg_lib.__file__).parent.parent
HEAVY = {
    "matplotlib", "scipy", "pandas", "IPython", "click", "rich", "json", "jinja2", "yaml", "mpmath", "narwhals",
    "multiprocessing", "concurrent", "asyncio", "urllib.request", "http", "sqlite3", "unittest",
}  # fmt: skip


def modules_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after a statement."""
    program = f"{statement}\nimport sys\nprint('\\n'.join(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_the_import_adds_nothing_heavy_to_numpy() -> None:
    new = modules_after("import ndcg_lib") - modules_after("import numpy")
    assert "ndcg_lib.core" in new
    assert not {name for name in new if name in HEAVY or name.split(".")[0] in HEAVY}
    assert len(new) < 60, sorted(new)


def test_the_import_needs_no_package_but_numpy() -> None:
    packages = {name.split(".")[0] for name in modules_after("import ndcg_lib") - modules_after("pass")}
    assert packages - set(sys.stdlib_module_names) == {"ndcg_lib", "numpy"}


@pytest.mark.parametrize("jedi", [True, False])
def test_completion_shows_the_public_names_and_no_others(jedi: bool) -> None:
    shell = InteractiveShell.instance()
    shell.run_cell("import ndcg_lib as nd")
    shell.Completer.use_jedi = jedi
    with provisionalcompleter():
        shown = {completion.text.lstrip(".") for completion in shell.Completer.completions("nd.", 3)}
    assert shown == set(nd.__all__) == set(dir(nd))
    assert all(getattr(nd, name) is not None for name in nd.__all__)


def test_the_api_pages_have_every_public_name() -> None:
    page = "".join(file.read_text("utf8") for file in (ROOT / "book" / "reference").glob("api*.md"))
    listed = set(re.findall(r"auto\w+:: (\w+)$", page, re.M)) | set(re.findall(r"\bnd\.(\w+)", page))
    assert not set(nd.__all__) - listed


def test_help_shows_each_choice_with_its_default() -> None:
    for kind, function in (("cg", nd.cg), ("dcg", nd.idcg), ("ndcg", nd.ndcg), ("ndcg", nd.working)):
        parameters = inspect.signature(function).parameters
        assert {name: parameters[name].default for name in keywords_of(kind)} == keywords_of(kind)
    with pytest.raises(TypeError, match=r"ndcg\(\) got an unexpected keyword argument 'gian'. Did you mean 'gain'\?"):
        nd.ndcg([1], gian="linear")  # type: ignore[call-arg]


def test_the_package_says_that_it_is_typed() -> None:
    assert resources.files("ndcg_lib").joinpath("py.typed").is_file()
