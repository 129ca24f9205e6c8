// The last two steps of the story: three challenges, each of which can be failed and tried again, and the sum by hand.

import { html, slider } from "./bets.js";
import { h, push } from "./dom.js";
import { heap } from "./heap.js";
import { every, ofB, shuffle } from "./ending.js";
import { numberIn } from "./guesses.js";
import { fixed } from "./numbers.js";
import { A, B, KETTLE, score } from "./pages.js";
import { ALL } from "./story.js";

export function challenges(s) {
  const { fig } = s, list = h("ol", { class: "challenges" });
  const start = (pages, shows = ALL, change = {}) => fig.reveal(shows, { list: [...pages], missed: [], ideal: null, k: null, frozen: false, ...change });
  let open = 0, moves = 0, before = 0, won = false;
  const tasks = [
    {
      id: "drag", title: "Bring B above 0.9 in one move", how: `Engine B has ${fixed(ofB.ndcg)}. You may move one card, as far as you like.`,
      start: () => start(B),
      changed: () => {
        const { ndcg } = fig.result;
        if (moves === 1 && ndcg > 0.9) return [true, `${fixed(ndcg)} in one move. The price list kept every other page one rank too low.`];
        return [false, moves > 1 ? "That was more than one move: start again." : `${fixed(ndcg)}. Which page stands in the way of all the others? Start again.`];
      },
    },
    {
      id: "hide", title: "Raise A by hiding a good page", how: "This tool takes the shown list alone for its ideal, as some do. Hide a card with its ✕.",
      start: () => start(A, [...ALL, "throw"], { ideal: "returned" }),
      changed: ({ kind, id }) => {
        const { ndcg } = fig.result, was = before;
        before = ndcg;
        if (kind !== "take") return [false, `NDCG ${fixed(ndcg)}.`];
        const said = `${fixed(was)} → ${fixed(ndcg)}. `;
        if (!KETTLE[id].grade) return [false, `${said}That page has no mark: put it back and hide a good one.`];
        if (ndcg <= was) return [false, `${said}That hurt. Put it back, and hide a page that stands far down.`];
        return [true, `${said}Your readers lost a good page, and the number rose, because the ideal lost it as well. If all judged pages make the ideal, it is ${fixed(score(KETTLE, fig.list, { missed: fig.missed }).ndcg)}.`];
      },
    },
    {
      id: "beat", title: "Let B beat a shuffled deck", how: `Somebody shuffles the five cards without looking. Can engine B, with ${fixed(ofB.ndcg)}, do better than that?`,
      start: () => start(B),
      extra: (done) => {
        const guess = s.said("shuffle");
        const bet = slider({ question: "What NDCG does a shuffle have on average?", min: 0.4, max: 1, step: 0.01, start: 0.5, truth: shuffle, digits: 3, guess, answered: (value) => { s.keep("shuffle", value); done(); } });
        if (guess !== undefined) bet.append(heap(every, [["B", ofB.ndcg, "c"], ["", shuffle]]), html("p", "", "Each dot is one of the 120 orders, and B is <b>below their mean</b>. Move its cards until it beats the shuffle."));
        return bet;
      },
      changed: () => {
        const { ndcg } = fig.result;
        if (s.said("shuffle") === undefined) return [false, "Bet first."];
        return ndcg > shuffle ? [true, `${fixed(ndcg)} beats the ${fixed(shuffle)} of a shuffle.`] : [false, `${fixed(ndcg)} is still below ${fixed(shuffle)}.`];
      },
    },
  ];
  const begin = (i, focus) => {
    open = i;
    moves = 0;
    won = false;
    tasks[i].start();
    before = fig.result.ndcg;
    draw(focus);
  };
  const draw = (focus) => {
    list.replaceChildren(...tasks.map((task, i) => {
      const here = i === open, ticked = s.said(task.id);
      const head = push("", () => begin(i, true), `task-${task.id}`, { class: "task", "aria-expanded": String(here) });
      head.append(h("span", { class: "mark", "aria-hidden": "true" }, ticked ? "✓" : i + 1), h("span", {}, task.title), ticked ? h("span", { class: "unseen" }, ", done") : "");
      const told = h("p", { class: "told", role: "status" }), again = push("Start again", () => begin(i, true), "again", { class: "quiet", hidden: !moves });
      return h("li", { class: `${ticked ? "ticked" : ""} ${here ? "here" : ""}` }, head, here ? [task.extra && s.said("shuffle") !== undefined ? null : html("p", "how", task.how), task.extra?.(() => draw(true)), told, again] : null);
    }));
    if (focus) list.children[open].querySelector("input, .task").focus({ preventScroll: true });
  };
  s.changed = (change) => {
    const dragged = fig.element.querySelector(".held");
    if (change.kind === "pull" || (change.kind === "move" && dragged)) return; // told when it is dropped
    moves += 1;
    list.querySelector("[data-key=again]").hidden = false;
    s.own = [...fig.list];
    if (won) return;
    const [done, words] = tasks[open].changed(change);
    won = done;
    if (done) {
      s.keep(tasks[open].id, true);
      list.children[open].querySelector(".mark").textContent = "✓";
      list.children[open].classList.add("ticked");
      s.ticked();
    }
    list.children[open].querySelector(".told").textContent = `${done ? "✓ " : ""}${words}`;
  };
  begin(0);
  return list;
}

const INPUTS = ["DCG", "IDCG", "NDCG"];

export function byHand(s) {
  const { fig } = s, box = h("div", { class: "by-hand" });
  let shown = false, typed = {};
  const draw = () => {
    const r = fig.result;
    const product = ({ gain, value }, i) => (shown || i === 0 ? fixed(value) : gain ? "…" : "0");
    const rows = r.terms.map((term, i) => `<tr><th scope="row">${i + 1}</th><td class="d">${fixed(term.share)}</td><td class="g">${term.gain}</td><td class="c">${product(term, i)}</td><td class="p">${r.best[i].gain}</td><td class="p">${product(r.best[i], i)}</td></tr>`);
    const table = html("table", "", `<thead><tr><th scope="col">rank</th><th scope="col" class="d">share</th><th scope="col" class="g">grade</th><th scope="col" class="c">product</th><th scope="col" class="p">best grade</th><th scope="col" class="p">product</th></tr></thead><tbody>${rows.join("")}</tbody>`);
    const show = push(shown ? "Hide the products" : "Show the products", () => { shown = !shown; draw(); box.querySelector("button").focus(); }, "products", { class: "quiet" });
    box.replaceChildren(table, h("div", { class: "fields" }, INPUTS.map((name) => field(name, r))), show,
      html("p", "how", "No log₂ on your calculator? log₂ 3 = ln 3 / ln 2, so the share of rank 2 is ln 2 / ln 3."));
  };
  const field = (name, r) => {
    const right = { DCG: r.dcg, IDCG: r.idcg, NDCG: r.ndcg }[name];
    const input = h("input", { inputmode: "decimal", size: 6, autocomplete: "off", "data-key": `hand-${name}` }), says = h("span", { class: "says", role: "status" });
    input.value = typed[name] ?? "";
    const check = () => {
      typed[name] = input.value;
      const x = numberIn(input.value), near = (y) => Math.abs(x - y) < 0.0015;
      const ok = near(right);
      says.textContent = input.value === "" ? "" : ok ? "✓ right" : Number.isNaN(x) ? "type a number" : name === "NDCG" && near(r.idcg / r.dcg) ? "upside down" : name !== "NDCG" && near(r.cg) ? "that is CG: multiply first" : "not yet";
      says.className = `says ${ok ? "right" : ""}`;
      if (ok && name === "DCG") s.keep("half", true);
      if (ok && name === "NDCG") {
        s.keep("hand", fixed(right));
        s.keep("own", [...fig.list]);
        fig.reveal(ALL);
        s.ticked();
      }
    };
    input.addEventListener("input", check);
    if (input.value) check();
    return h("label", {}, h("span", {}, `${name} =`), input, says);
  };
  s.changed = ({ kind }) => {
    if (kind === "drop") return;
    typed = {};
    s.own = [...fig.list];
    if (!fig.shows.has("blind")) fig.reveal(["readers", "lit", "towers", "ideal", "ndcg", "blind"]);
    draw();
  };
  draw();
  return box;
}
