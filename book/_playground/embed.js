// <ndcg-ranking grades="3 0 1" titles="One; Two; Three" missed="2" measure="dcg" k="3" guess="0 to 6 by 0.1" truth="4.274"
//   goal="0.9" moves="1" play="curve" cut whose="engine B" asks="3 to 1">
// The figure of the first page, small, with one question. measure: readers, cg, dcg or ndcg; what is above it stays out of
// sight, because the page has not defined it yet. `whose`: by which name the page knows its list; where the reader has an order of
// these pages, the figure begins with that, so the guess is about page 3 at rank 1 of it, and the goal what one move can do. The question stands between the tags, in slot="question".

import { act, choice, html, slider } from "./bets.js";
import { calm, Figure, h, push } from "./dom.js";
import { beginning, bestMove, carry, gradesOf, moved } from "./carry.js";
import { guessed, keep, keepAs, kept } from "./guesses.js";
import { heap } from "./heap.js";
import { fixed, short } from "./numbers.js";
import { orders, score } from "./pages.js";
import { Ranking, SHOWN } from "./ranking.js";

const numbersOf = (words) => (words ?? "").split(/[\s,]+/).filter(Boolean).map(Number);

class RankingElement extends Figure {
  themed() {
    this.figure.crowd.draw();
  }

  begin() {
    const grades = numbersOf(this.getAttribute("grades")), missed = numbersOf(this.getAttribute("missed"));
    const titles = (this.getAttribute("titles") ?? "").split(";").map((title) => title.trim()).filter(Boolean);
    this.pages = Object.fromEntries([...grades, ...missed].map((grade, i) => [`p${i + 1}`, { grade, title: titles[i] ?? `d${i + 1}` }]));
    const ids = Object.keys(this.pages);
    this.example = { list: ids.slice(0, grades.length), missed: ids.slice(grades.length) };
    this.measure = this.getAttribute("measure") ?? "ndcg";
    this.key = this.getAttribute("key") ?? "figure";
    this.shows = [...SHOWN[this.measure], ...(missed.length ? ["shelf"] : [])];
    this.play = this.getAttribute("play");
    this.how = { k: Number(this.getAttribute("k")) || null, convention: this.getAttribute("convention") ?? "" };
    this.start = beginning(this);
    this.figure = new Ranking({
      pages: this.pages, ...this.start, name: "the list", ...this.how,
      shows: this.shows, changed: (change) => this.changed(change),
    });
    this.whose = h("p", { class: "whose", hidden: true });
    this.asked = h("div");
    this.told = h("p", { class: "told", role: "status" });
    this.again = push("Start again", () => this.restart(), "again", { class: "quiet", hidden: true });
    const walk = this.shows.includes("readers") && !this.play && !calm() ? push("Let them walk", () => this.figure.walk(), "walk", { class: "quiet" }) : null;
    this.more = h("div", { class: "turn carried" });
    this.stand(h("div", { class: "frame embed" }, h("slot", { name: "question" }), this.asked, this.hasAttribute("cut") ? this.cutter() : null, this.whose, this.figure.element, h("div", { class: "turn" }, this.told, walk, this.again), this.more));
    this.moves = 0;
    if (this.play === "shuffle") this.frame.insertBefore(this.shuffler = shuffler(this), this.again.parentNode);
    this.ask();
    carry(this);
  }

  // Up to which rank is counted, pulled by the reader; the next figure that has a cut begins where this one was left.
  cutter() {
    const k = Math.min(kept()["book/k"] ?? this.figure.k, this.start.list.length), out = h("output", {}, `k = ${k}`);
    const range = h("input", { type: "range", min: 1, max: this.start.list.length, value: k, "aria-label": "Cut-off k", oninput: () => {
      out.textContent = `k = ${range.value}`;
      this.figure.set({ k: Number(range.value) });
      this.figure.say(`Cut-off ${range.value}.`);
      keepAs("book/k", Number(range.value));
    } });
    this.figure.set({ k });
    return h("div", { class: "ask" }, h("div", { class: "slide" }, range, out));
  }

  worth(list, missed = []) {
    return score(this.pages, list, { ...this.how, missed })[this.measure] ?? 0;
  }

  now() {
    return this.figure.result[this.measure];
  }

  get truth() {
    const asks = this.getAttribute("asks")?.split(" to ").map(Number), { list, missed } = this.start;
    return asks ? this.worth(moved(list, [`p${asks[0]}`, asks[1] - 1]), missed) : this.getAttribute("truth") ?? this.worth(list, missed);
  }

  goalOf(list) {
    const goal = Number(this.getAttribute("goal")) || Infinity;
    return goal < Infinity && this.getAttribute("moves") === "1" ? bestMove(list, (other) => this.worth(other)) : goal;
  }

  get guess() {
    return guessed(this.key);
  }

  // What the guess is about is out of sight until it is made.
  ask(fresh = false) {
    const form = this.getAttribute("guess"), { guess } = this, open = (form || this.play === "curve") && guess === undefined;
    const answered = (value) => {
      keep(this.key, value);
      keep(`${this.key}-list`, gradesOf(this, this.start.list));
      this.ask(true);
      carry(this);
      this.again.focus({ preventScroll: true });
    };
    if (this.play === "curve") {
      if (open) this.figure.beginPulling();
      else this.figure.showPulled(guess, fresh);
      const asked = act({ question: "Pull the edge of the crowd to where you think it is.", button: "That is my curve", guess, answered: () => answered(this.figure.shares) });
      const usual = this.figure.result.terms.map(({ share }) => Math.round(share * 100)).join(", ");
      this.asked.replaceChildren(asked ?? html("p", "kept", `You drew ${guess.map((share) => Math.round(share * 100)).join(", ")} (dashed). The usual curve is <b class="d">${usual}</b>.`));
    } else if (form) {
      this.figure.reveal(open ? this.shows.filter((part) => part === "readers") : this.shows, { frozen: open && this.getAttribute("goal") === null });
      const range = /^(\S+)\sto\s(\S+?)(?:\sby\s(\S+))?$/.exec(form);
      if (range) {
        const [min, max, step = (max - min) / 20] = range.slice(1).map((x) => (x === undefined ? undefined : Number(x)));
        this.asked.replaceChildren(slider({ min, max, step, start: min + Math.round((max - min) / 2 / step) * step, truth: Number(this.truth), digits: Number.isInteger(Number(this.truth)) ? 0 : 3, guess, answered }));
      } else {
        this.asked.replaceChildren(choice({ options: form.split(",").map((word) => [word.trim(), word.trim()]), truth: this.getAttribute("truth"), guess, answered }));
      }
      if (fresh && this.shows.includes("readers")) this.figure.walk();
    }
    this.again.hidden = open || (!form && !this.play);
    this.tell();
  }

  changed({ kind }) {
    if (kind === "pull") return;
    const { list, missed } = this.figure;
    if (!this.play && !missed.length) keepAs("book/order", gradesOf(this, list));
    this.again.hidden = false;
    if (kind !== "move" || !this.figure.element.querySelector(".held")) this.moves += 1; // a drag over several ranks is one move
    this.tell();
  }

  tell() {
    const goal = this.goalOf(this.start.list), most = Number(this.getAttribute("moves")) || Infinity;
    if (goal === Infinity) return;
    const reached = this.now() >= goal - 5e-4 && this.moves <= most, name = this.measure.toUpperCase();
    const asked = `Reach ${name} ${short(goal)}${most < Infinity ? ` in ${most === 1 ? "one move" : `${most} moves`}` : ""}`;
    const missed = this.moves >= most ? ` ${name} is ${fixed(this.now())}: start again.` : "";
    this.told.innerHTML = reached ? `<b class="tick">✓</b> ${asked}: done, ${fixed(this.now())}.` : `${asked}.${missed}`;
  }

  restart() {
    this.moves = 0;
    if (this.play || this.getAttribute("guess")) keep(this.key, undefined);
    this.figure.crowd.set({ guess: null });
    this.figure.set({ ...this.start, shares: null });
    this.ask();
    this.shadowRoot.querySelector("input, .grab").focus({ preventScroll: true });
  }
}

// Shuffles, one by one or a hundred at a time, each of which leaves a dot at its NDCG; or all orders at once, and their mean.
function shuffler(element) {
  const { figure, start } = element, all = start.list.length < 7 ? orders(start.list).map((list) => element.worth(list)) : [];
  const picture = h("div", { class: "heap" }), words = h("p", { class: "told", role: "status" }), seen = [];
  const draw = (values, what) => {
    const { list } = element.start, mine = element.worth(list), mean = values.reduce((sum, x) => sum + x, 0) / values.length;
    const whose = list === element.example.list ? element.getAttribute("whose") : "your order";
    picture.replaceChildren(heap(values, [["mean", mean]]));
    words.textContent = `${what}, ${fixed(mean)} on average. ${whose ? `${values.filter((x) => x > mine + 1e-9).length} of them have more than ${whose}, ${fixed(mine)}.` : ""}`;
  };
  const shuffle = (times) => {
    for (let i = 0; i < times; i++) {
      const list = [...start.list];
      for (let j = list.length - 1; j > 0; j--) {
        const other = Math.floor(Math.random() * (j + 1));
        [list[j], list[other]] = [list[other], list[j]];
      }
      if (i === times - 1) figure.set({ list });
      seen.push(element.worth(list));
    }
    draw(seen, `${seen.length} shuffle${seen.length > 1 ? "s" : ""}`);
  };
  const whole = all.length ? push(`All ${all.length} orders`, () => draw(all, `All ${all.length} orders`), "all", { class: "quiet" }) : null;
  return h("div", { class: "shuffler" }, h("div", { class: "turn" }, push("Shuffle", () => shuffle(1), "shuffle", { class: "go" }), push("A hundred times", () => shuffle(100), "hundred", { class: "quiet" }), whole), picture, words);
}

if (!customElements.get("ndcg-ranking")) customElements.define("ndcg-ranking", RankingElement);
