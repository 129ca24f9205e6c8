"""What runs on GitHub: when, and nothing that somebody else can change under our feet."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import kit

FOLDER = kit.ROOT / ".github" / "workflows"


def read(name: str) -> dict:
    return yaml.load((FOLDER / name).read_text("utf8"), yaml.BaseLoader)  # else "on" is read as true


@pytest.mark.parametrize("name", sorted(file.name for file in FOLDER.glob("*.yml")))
def test_actions_are_pinned_by_commit_and_may_only_read(name: str) -> None:
    used = re.findall(r"uses: (\S+)(.*)", (FOLDER / name).read_text("utf8"))
    assert used and not [
        action for action, _ in used if not re.fullmatch(r"(actions|pypa)/[a-z-]+@[0-9a-f]{40}", action)
    ]
    assert all(re.fullmatch(r" # v\d+\.\d+\.\d+", version) for _, version in used), "say which version the commit is"
    assert read(name)["permissions"]["contents"] == "read"


def test_each_runs_when_it_should() -> None:
    assert "main" in read("test.yml")["on"]["push"]["branches"] and "pull_request" in read("test.yml")["on"]
    assert read("publish.yml")["on"]["push"]["tags"] == ["v*"]
    assert read("release.yml")["on"]["push"]["tags"] == ["v*"]
    for name in ("links.yml", "weekly.yml"):
        _minute, _hour, day, month, weekday = read(name)["on"]["schedule"][0]["cron"].split()
        assert (day, month) == ("*", "*") and weekday.isdigit(), "once a week"


@pytest.mark.parametrize("folder", kit.PACKAGES, ids=["library", "course"])
def test_every_python_that_a_package_names_is_tried(folder: Path) -> None:
    told = tomllib.loads((folder / "pyproject.toml").read_text("utf8"))["project"]
    named = set(re.findall(r"Python :: (3\.\d+)", " ".join(told["classifiers"])))
    jobs = read("test.yml")["jobs"]
    tried = {one["python"] for one in jobs["elsewhere"]["strategy"]["matrix"]["include"]}
    tried |= {
        step["with"]["python-version"] for step in jobs["all"]["steps"] if "python-version" in step.get("with", {})
    }
    assert named == tried
    assert told["requires-python"] == f">={min(named, key=lambda name: int(name[2:]))}"


def test_each_workflow_is_explained() -> None:
    assert set(re.findall(r"^\| `(.+?)`", (FOLDER / "README.md").read_text("utf8"), re.MULTILINE)) == {
        file.name for file in FOLDER.glob("*.yml")
    }


def test_a_release_needs_no_password_and_publishes_what_was_checked() -> None:
    jobs = read("release.yml")["jobs"]
    assert jobs["publish"]["needs"] == "build"
    assert jobs["publish"]["permissions"]["id-token"] == "write"
    assert "secrets." not in (FOLDER / "release.yml").read_text("utf8")


def step(name: str) -> str:
    (found,) = (step["run"] for step in read("release.yml")["jobs"]["build"]["steps"] if step.get("name") == name)
    return found


@pytest.mark.skipif(shutil.which("bash") is None, reason="GitHub runs these steps in bash")
def test_the_release_writes_where_the_project_lives_and_wants_the_tag_of_the_version(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "ndcg_lib/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(kit.ROOT / name, tmp_path / name)
    given = {
        "GITHUB_SERVER_URL": "https://code.example",
        "GITHUB_REPOSITORY": "who/book",
        "GITHUB_REPOSITORY_OWNER": "who",
    }
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(sys.executable)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"

    def run(name: str, **more: str) -> int:
        return subprocess.run(
            ["bash", "-e", "-c", step(name)], cwd=tmp_path, env=given | {"PATH": path} | more, check=False
        ).returncode

    version = re.search('__version__ = "(.+)"', (kit.ROOT / "ndcg_lib" / "__init__.py").read_text("utf8"))[1]
    assert run("the tag is the version", GITHUB_REF_NAME=f"v{version}") == 0
    assert run("the tag is the version", GITHUB_REF_NAME=f"v{version}0") == 1
    assert run("where the project lives is known here only") == 0
    urls = tomllib.loads((tmp_path / "pyproject.toml").read_text("utf8"))["project"]["urls"]
    assert urls["Source"] == "https://code.example/who/book"
    assert urls["Documentation"] == "https://who.github.io/book/"


def test_they_run_commands_that_there_are() -> None:
    for file in FOLDER.glob("*.yml"):
        for command in re.findall(r"run: python3? kit\.py (\w+)", file.read_text("utf8")):
            assert command in kit.COMMANDS
