"""The service worker between two builds, without a browser: what happens while a page is on its way."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

WORKER = Path(__file__).parents[2] / "book" / "_ext" / "offline_worker.js"
WALK = """
import { readFileSync } from "node:fs";
import vm from "node:vm";
const BOOK = "https://book.example/", stored = new Map(), hear = {};
let cutOff;
const noNetwork = new Promise((go, cut) => (cutOff = cut));
const shelf = (files) => ({
  put: async (url, answer) => files.set(String(url), answer),
  keys: async () => [...files.keys()].map((url) => ({ url })),
  delete: async (url) => files.delete(String(url)),
});
const caches = {
  keys: async () => [...stored.keys()],
  has: async (name) => stored.has(name),
  delete: async (name) => stored.delete(name),
  open: async (name) => shelf(stored.get(name) ?? stored.set(name, new Map()).get(name)),
  match: async (url, how = {}) => {
    const found = [...stored].find(([name, files]) => (how.cacheName ?? name) === name && files.has(String(url)));
    return found?.[1].get(String(url)).clone();
  },
};
const clients = { matchAll: async () => [] }, addEventListener = (kind, act) => (hear[kind] = act);
const self = { location: `${BOOK}offline.js`, clients, addEventListener };
const fetch = () => noNetwork;
vm.runInNewContext(readFileSync(%s, "utf8"), {
  self, caches, fetch, crypto, navigator: { userAgent: "" }, URL, Request, Response, Headers, setTimeout, Uint8Array,
});
async function build(name, at) {
  const there = await caches.open(`ndcg-pages ${BOOK} ${name}`);
  for (const file of ["index.html", "book.css"]) await there.put(BOOK + file, new Response(`${file} of ${name}`));
  await there.put(`${BOOK}offline.json`, new Response(JSON.stringify({ build: name, at, files: {} })));
}
const ask = (name, more) => {
  let given;
  const request = { method: "GET", url: BOOK + name, mode: "cors", destination: "", ...more };
  hear.fetch({ request, ...more, respondWith: (answer) => (given = answer) });
  return given.then((answer) => answer.text());
};
const tidy = () => {
  let done;
  const data = { shelf: `ndcg-pages ${BOOK} new`, own: true };
  hear.message({ source: { id: "another page" }, data, waitUntil: (end) => (done = end) });
  return done;
};
await build("old", 1);
const page = ask("index.html", { mode: "navigate", resultingClientId: "mine" });
page.catch(() => {});
const late = %s;
const cut = () => new Promise((go) => setTimeout(go, 50)).then(() => cutOff(new Error("no network")));
if (!late) await cut().then(() => page);
await build("new", 2);
await tidy();
if (late) await cut();
console.log(JSON.stringify([await page, await ask("book.css", { clientId: "mine" })]));
process.exit(); // the six seconds of the worker are over
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.parametrize(("late", "build"), [(False, "old"), (True, "new")], ids=["answered", "waiting"])
def test_a_build_that_is_put_away_while_a_page_is_on_its_way_leaves_no_mixture(late: bool, build: str) -> None:
    """Answered, but no client yet: its build stays. Still waiting for the network: the build that there is then."""
    source = WALK % (json.dumps(str(WORKER)), json.dumps(late))
    command = ["node", "--input-type=module", "-"]
    done = subprocess.run(command, input=source, capture_output=True, encoding="utf8", check=True)
    assert json.loads(done.stdout) == [f"index.html of {build}", f"book.css of {build}"]
