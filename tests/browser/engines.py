"""Three browser engines behind one small face: go to an address, evaluate a script, press keys.

Chromium is driven by playwright, Firefox over WebDriver BiDi by its own socket, WebKit over WebDriver by Debian's
`WebKitWebDriver`, which needs a screen (`Xvfb`, where there is none).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

PATIENCE = 300.0  # seconds for one script; a busy machine starts Python in two minutes
KEYS = {"Shift": "\ue008", "Enter": "\ue007", "Tab": "\ue004", "ArrowUp": "\ue013"}
# The body of a function, which may wait; what it gives comes as text, so that each protocol carries it alike.
WHOLE = """(async () => {{
  const pause = (time) => new Promise((go) => setTimeout(go, time));
  const until = async (is) => {{
    for (const begun = Date.now(); Date.now() - begun < {patience}; await pause(50)) {{
      const x = await is();
      if (x) return x;
    }}
    throw new Error(`not so after {patience} ms: ${{is}}`);
  }};
  const one = (selector, inside = document) => inside.querySelector(selector);
  {body}
}})().then((x) => JSON.stringify({{ x }}), (error) => JSON.stringify({{ error: String(error) }}))"""


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def answered(text: str) -> Any:
    told = json.loads(text)
    if "error" in told:
        raise AssertionError(told["error"])
    return told.get("x")


def strokes(keys: tuple[str, ...]) -> dict[str, Any]:
    """All keys down, then all up, as both protocols want it."""
    typed = [KEYS.get(key, key) for key in keys]
    downs = [{"type": "keyDown", "value": key} for key in typed]
    ups = [{"type": "keyUp", "value": key} for key in reversed(typed)]
    return {"type": "key", "id": "keyboard", "actions": downs + ups}


class Chromium:
    def __init__(self, kind: Any, how: dict[str, Any]) -> None:
        near = "EXCLUDE 127.0.0.1"
        arguments = [part.replace(near, f"{near} , EXCLUDE *.localhost") for part in how["args"]]
        self.browser = kind.launch(**how | {"args": arguments})
        self.page = self.browser.new_context().new_page()
        self.page.set_default_timeout(PATIENCE * 1000)

    def goto(self, address: str) -> None:
        self.page.goto(address)

    def do(self, body: str) -> Any:
        return answered(self.page.evaluate(WHOLE.format(body=body, patience=int(PATIENCE * 800))))

    def press(self, *keys: str) -> None:
        self.page.keyboard.press("+".join(keys))

    def end(self) -> None:
        self.browser.close()


class Firefox:
    def __init__(self, program: str, profile: Path) -> None:
        import websocket

        port = free_port()
        profile.mkdir()
        settings = {"browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
                    "app.update.enabled": False, "network.captive-portal-service.enabled": False}  # fmt: skip
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items())
        (profile / "user.js").write_text("".join(lines), "utf8")
        command = [program, "--headless", "--no-remote", "--profile", str(profile), f"--remote-debugging-port={port}"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.numbers = itertools.count(1)
        for _ in range(600):
            try:
                self.socket = websocket.create_connection(
                    f"ws://127.0.0.1:{port}/session", timeout=PATIENCE, suppress_origin=True
                )
                break
            except OSError:
                time.sleep(0.1)
        self.ask("session.new", capabilities={})
        self.context = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method: str, **parameters: Any) -> Any:
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self.socket.recv())
            if told.get("id") == number:
                if told["type"] == "error":
                    raise AssertionError(f"{method}: {told['error']}: {told['message']}")
                return told["result"]

    def goto(self, address: str) -> None:
        """Until the new page says that it is whole: a page that gets a process of its own is told as whole before that,
        and what is done then meets a page whose scripts have not begun."""
        self.do("globalThis.before = true;")
        self.ask("browsingContext.navigate", context=self.context, url=address, wait="none")
        whole = "return !globalThis.before && document.readyState === 'complete';"
        for _ in range(int(PATIENCE / 0.05)):
            with contextlib.suppress(AssertionError):  # the page before goes while it is asked
                if self.do(whole):
                    return
            time.sleep(0.05)
        raise AssertionError(f"{address} was not whole after {PATIENCE:.0f} seconds")

    def do(self, body: str) -> Any:
        told = self.ask(
            "script.evaluate",
            expression=WHOLE.format(body=body, patience=int(PATIENCE * 800)),
            target={"context": self.context},
            awaitPromise=True,
        )
        return answered(told["result"]["value"])

    def press(self, *keys: str) -> None:
        self.ask("input.performActions", context=self.context, actions=[strokes(keys)])

    def end(self) -> None:
        with contextlib.suppress(Exception):
            self.ask("browser.close")
        self.process.kill()
        self.process.wait()


class WebKit:
    def __init__(self, program: str, screen: str) -> None:
        port = free_port()
        # Its painting threads end the page in Mesa's software driver (a segmentation fault in swrast_dri.so).
        drawn = {"LIBGL_ALWAYS_SOFTWARE": "1", "WEBKIT_SKIA_ENABLE_CPU_RENDERING": "1"}
        environment = {**os.environ, "DISPLAY": screen, **drawn}
        self.process = subprocess.Popen(
            [program, f"--port={port}"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.driver = f"http://127.0.0.1:{port}"
        browser = next(Path("/usr").glob("lib/*/webkit2gtk-4.*/MiniBrowser"))
        options = {"binary": str(browser), "args": ["--automation"]}
        asked = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        for _ in range(100):
            try:
                self.driver += f"/session/{self.ask('/session', asked)['sessionId']}"
                break
            except OSError:
                time.sleep(0.1)
        self.ask("/timeouts", {"script": int(PATIENCE * 1000), "pageLoad": int(PATIENCE * 1000)})

    def workers(self) -> set[Path]:
        """The threads in which the workers of its pages run."""
        threads = (at for own in psutil.Process(self.process.pid).children(recursive=True)
                   for at in Path(f"/proc/{own.pid}/task").glob("*/comm"))  # fmt: skip
        named = set()
        for thread in threads:
            with contextlib.suppress(OSError):  # it has just ended
                if thread.read_text("utf8").strip() == "WebCore: Worker":
                    named.add(thread)
        return named

    def ask(self, path: str, body: Any = None, method: str = "POST") -> Any:
        data = None if method == "DELETE" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.driver + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:500]}") from None

    def goto(self, address: str) -> None:
        self.ask("/url", {"url": address})

    def do(self, body: str) -> Any:
        whole = f"{WHOLE.format(body=body, patience=int(PATIENCE * 800))}.then(arguments[arguments.length - 1])"
        return answered(self.ask("/execute/async", {"script": whole, "args": []}))

    def press(self, *keys: str) -> None:
        self.ask("/actions", {"actions": [strokes(keys)]})

    def end(self) -> None:
        with contextlib.suppress(Exception):
            self.ask("", method="DELETE")
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def screen() -> Iterator[str]:
    """A screen that nobody sees, where there is none."""
    if named := os.environ.get("DISPLAY"):
        yield named
        return
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as told:
        number = told.readline().strip()
    try:
        yield f":{number}"
    finally:
        process.kill()
        process.wait()


def programs() -> dict[str, str | None]:
    """The engines and what starts them here; None for one that is not there."""
    webkit = shutil.which("WebKitWebDriver")
    seen = os.environ.get("DISPLAY") or shutil.which("Xvfb")
    firefox = shutil.which("firefox-esr") or shutil.which("firefox")
    return {"Firefox": firefox, "WebKit": webkit if seen else None}


@contextlib.contextmanager
def started(name: str, request: Any, folder: Path) -> Iterator[Any]:
    """An engine of this name, or the test is left out."""
    if name == "Chromium":
        engine: Any = Chromium(*request.getfixturevalue("chromium"))
        yield engine
        return engine.end()
    program = programs()[name]
    if program is None:
        pytest.skip(f"there is no {name} here")
    with contextlib.ExitStack() as stack:
        if name == "Firefox":
            engine = Firefox(program, folder / "profile")
        else:
            engine = WebKit(program, stack.enter_context(screen()))
        yield engine
        engine.end()


def once_there(engine: Any, body: str) -> Any:
    """What the script gives on the page to which the engine is on its way."""
    for _ in range(20):
        with contextlib.suppress(Exception):  # the page before is gone in the midst of it
            return engine.do(body)
        time.sleep(0.2)
    return engine.do(body)
