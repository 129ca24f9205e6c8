"""The built site behind a plain file server, under a sub-path, which remembers what it was asked for."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import kit

SUB_PATH = "/some/where/"
BLOCKED = "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


class Server(http.server.ThreadingHTTPServer):
    """What a plain file server does, and a list of what it was asked for."""

    daemon_threads = True
    asked: list[tuple[str, int]]  # path and bytes sent

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # the browser has gone on to another page


class Files(http.server.SimpleHTTPRequestHandler):
    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | kit.TYPES
    server: Server

    def translate_path(self, path: str) -> str:
        inside = unquote(urlsplit(path).path)
        return super().translate_path("/" + inside.removeprefix(SUB_PATH) if inside.startswith(SUB_PATH) else "/none")

    def copyfile(self, source: Any, outputfile: Any) -> None:
        data = source.read()
        self.server.asked.append((urlsplit(self.path).path.removeprefix(SUB_PATH), len(data)))
        outputfile.write(data)

    def send_error(self, code: int, *arguments: Any) -> None:
        """Like the hosts of pages, show the book's own page for what is not there."""
        data = Path(self.directory, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        pass


def copy_of(site: Path, folder: Path) -> Path:
    """The site as links, of which each can be put in place of by a file."""
    return Path(shutil.copytree(site, folder, copy_function=lambda of, to: os.symlink(Path(of).resolve(), to)))


def put(file: Path, text: str) -> None:
    file.unlink()
    file.write_text(text, "utf8")


def patient(site: Path, folder: Path, milliseconds: int = 900_000) -> Path:
    """A copy whose pages count a connection as broken later: a busy machine can be silent for more than 20 seconds."""
    states = next(copy_of(site, folder).glob("_static/live-*/states.mjs"))
    text = states.read_text("utf8")
    assert "PATIENCE = 20_000" in text
    put(states, text.replace("PATIENCE = 20_000", f"PATIENCE = {milliseconds}"))
    return publish(folder)


def publish(site: Path) -> Path:
    """The list of what can be kept, after files have been changed."""
    listed = json.loads((site / "offline.json").read_text("utf8"))
    for name in listed["files"]:
        listed["files"][name] = hashlib.sha256((site / name).read_bytes()).hexdigest()[:16]
    listed["build"] = hashlib.sha256(json.dumps(listed["files"]).encode()).hexdigest()[:16]
    put(site / "offline.json", json.dumps(listed))
    return site
