// The figure of the site as a widget of Jupyter (anywidget): nd.play([3, 0, 1, 0, 2]).
//
// Nothing is drawn here: ranking.js, crowd.js, towers.js, pages.js and math.js are the page's own; widget() in _ext/playground.py
// puts them before this file, into ndcg_lib/plots/playing.js. This module holds what a notebook has and a page has not: a model that Python shares, JupyterLab's
// keyboard, and the themes of five front ends. The grades are the state; a card is known by its title and grade, so that a
// list which Python reorders glides to its new place instead of being drawn anew.

import { h } from "./dom.js";
import { STYLE } from "./made-at-build-time.js";
import { Ranking, SHOWN } from "./ranking.js";

const SHARED = ["cards", "k", "measure", "chosen"];
const DARK = [ // JupyterLab and JupyterLite; VS Code; Colab; a page of the book; what the machine says
  () => ({ true: false, false: true })[document.body.dataset.jpThemeLight],
  () => (document.body.dataset.vscodeThemeKind ? /dark|high-contrast$/.test(document.body.dataset.vscodeThemeKind) : undefined),
  () => ({ dark: true, light: false })[document.documentElement.getAttribute("theme") ?? document.documentElement.dataset.theme],
  () => matchMedia("(prefers-color-scheme: dark)").matches,
];

// Names for the cards: the same title and grade is the same card, the second of a kind is #2.
function named(grades, titles, missed) {
  const seen = {}, pages = {}, ids = grades.map((grade, i) => {
    const kind = `${titles[i] ?? ""}|${grade}`, id = `${kind}#${(seen[kind] = (seen[kind] ?? 0) + 1)}`;
    pages[id] = { title: titles[i] || `d${i + 1}`, grade };
    return id;
  });
  return { pages, list: ids.slice(0, ids.length - missed), missed: ids.slice(ids.length - missed) };
}

export function render({ model, el }) {
  const host = h("div", { class: "ndcg-play", "data-lm-suppress-shortcuts": "true" }); // else JupyterLab takes the arrow keys
  const frame = h("div", { class: "frame embed" });
  host.attachShadow({ mode: "open" }).append(h("style", {}, STYLE), frame);
  host.style.cssText = "display:block;max-width:60rem;padding:.2rem .4rem;font-size:16px;line-height:1.45";
  el.append(host);
  let figure, known = "", own = false;

  const theme = () => {
    frame.classList.toggle("dark", DARK.map((ask) => ask()).find((dark) => dark !== undefined));
    figure?.crowd.draw();
  };
  const send = () => { // what the reader did
    const { pages, list, missed } = figure, all = [...list, ...missed];
    own = true;
    model.set("cards", { grades: list.map((id) => pages[id].grade), missed: missed.map((id) => pages[id].grade), titles: all.map((id) => pages[id].title) });
    model.save_changes();
    own = false;
  };
  const follow = () => { // what Python did, or another view of the same widget
    if (own) return;
    const [{ grades, missed, titles }, k, measure, chosen] = SHARED.map((name) => model.get(name));
    const told = named([...grades, ...missed], titles, missed.length);
    const ids = JSON.stringify([Object.keys(told.pages).sort(), measure]);
    const how = { list: told.list, missed: told.missed, k: k ?? null, convention: chosen };
    if (figure && ids === known) return void figure.set(how);
    known = ids;
    const shows = [...SHOWN[measure], ...(missed.length ? ["shelf"] : [])];
    figure = new Ranking({ ...told, ...how, name: "the list", shows, changed: send });
    frame.replaceChildren(figure.element);
    theme();
  };
  follow();
  const names = SHARED.map((name) => `change:${name}`).join(" ");
  model.on(names, follow);
  const watcher = new MutationObserver(theme), machine = matchMedia("(prefers-color-scheme: dark)");
  for (const node of [document.body, document.documentElement]) watcher.observe(node, { attributes: true });
  machine.addEventListener("change", theme);
  return () => { // a cell that runs again takes its old view away
    model.off(names, follow);
    watcher.disconnect();
    machine.removeEventListener("change", theme);
  };
}
