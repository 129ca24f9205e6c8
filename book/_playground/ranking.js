// One figure: the cards of a ranking, the readers of each rank, the term of each rank, the towers and the formula. Every
// row is one term of the sum: grade x share of readers = what is collected. What is not introduced yet is not shown.

import { Crowd } from "./crowd.js";
import { enable, h, push, text, whileHeld } from "./dom.js";
import { fixed, short } from "./numbers.js";
import { iconOf, marks, score } from "./pages.js";
import { Towers } from "./towers.js";

// What a figure shows, by the measure that it is about.
export const SHOWN = {
  readers: ["readers", "lit"], cg: ["sum"], dcg: ["readers", "lit", "terms", "towers"],
  ndcg: ["readers", "lit", "terms", "towers", "ideal", "ndcg"],
};

export class Ranking {
  // shows, of: sum readers lit terms towers ideal ndcg shelf throw draw blind
  constructor({ pages, list, missed = [], name = "your list", shows = [], k = null, ideal = null, convention = "", frozen = false, changed = () => {} }) {
    Object.assign(this, { pages, name, changed, frozen, k, ideal, convention, list: [...list], missed: [...missed], shows: new Set(shows), shares: null });
    this.most = Math.max(3, ...Object.values(pages).map(({ grade }) => grade));
    this.ranks = h("div", { class: "ranks" });
    this.cards = h("ol", { class: "cards", "aria-label": `Pages of ${name}, best rank first` });
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.stage = h("div", { class: "stage" }, h("div", { class: "street" }), this.ranks, this.canvas, this.cards);
    this.towers = new Towers(pages);
    this.heads = h("div", { class: "heads", "aria-hidden": "true" }, h("span"), h("span", { class: "g" }, "page · grade"), h("span", { class: "d" }), h("span", { class: "c" }, "collected"));
    this.formula = h("div", { class: "formula" });
    this.shelf = h("div", { class: "shelf" });
    this.said = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
    this.element = h("div", { class: "fig" }, h("div", { class: "left" }, this.heads, this.stage, this.shelf), this.towers.element, this.formula, this.said);
    this.crowd = new Crowd(this.canvas, () => [...this.ranks.querySelectorAll(".strip")]);
    this.nodes = new Map();
    this.pullable();
    this.show();
  }

  reveal(shows, change = {}) {
    this.shows = new Set(shows);
    this.set(change);
  }

  set(change) {
    Object.assign(this, change);
    this.show();
  }

  // ---- what the reader does ----

  move(id, to, focus = false) {
    const from = this.list.indexOf(id), last = this.list.length - 1;
    to = Math.max(0, Math.min(last, to));
    if (this.frozen || from < 0) return;
    if (from === to) {
      if (focus) this.said.textContent = `${this.pages[id].title} is already ${to ? "last" : "first"}.`;
      return;
    }
    this.list.splice(from, 1);
    this.list.splice(to, 0, id);
    this.show();
    if (focus) this.focusOn(id);
    this.say(`${this.pages[id].title}: rank ${to + 1} of ${this.list.length}.`);
    this.element.dispatchEvent(new CustomEvent("ndcg-moved", { bubbles: true, composed: true }));
    this.changed({ kind: "move", id });
  }

  take(id) {
    this.list = this.list.filter((other) => other !== id);
    this.missed = [...this.missed, id];
    this.point(null);
    this.show();
    this.shelf.querySelector("button")?.focus({ preventScroll: true });
    this.say(`${this.pages[id].title}: taken out of the list.`);
    this.changed({ kind: "take", id });
  }

  put(id, to = 0) {
    this.missed = this.missed.filter((other) => other !== id);
    this.list.splice(to, 0, id);
    this.show();
    this.say(`${this.pages[id].title}: put at rank ${to + 1}.`);
  }

  focusOn(id) {
    this.nodes.get(id).querySelector(".grab").focus({ preventScroll: true });
  }

  // Said after a short pause, so that quick steps do not talk over each other.
  say(what) {
    const { result, shows } = this;
    const now = shows.has("blind") ? "" : shows.has("ndcg") ? `NDCG ${fixed(result.ndcg)}.` : shows.has("terms") ? `DCG ${fixed(result.dcg)}.` : shows.has("sum") ? `CG ${short(result.cg)}.` : "";
    clearTimeout(this.saying);
    this.saying = setTimeout(() => text(this.said, `${what} ${now}`), 120);
  }

  // ---- what is drawn ----

  show() {
    const { list, shows, pages, k } = this, n = list.length;
    const r = this.result = score(pages, list, this);
    const own = this.shares ?? r.terms.map(({ share }) => share), held = this.element.getRootNode().activeElement;
    this.element.dataset.shows = [...shows].join(" ");
    this.element.style.setProperty("--n", n);
    this.element.classList.toggle("frozen", this.frozen);
    this.element.classList.toggle("blind", shows.has("blind"));
    // The ranks stay, the cards move over them.
    while (this.ranks.children.length > n) this.ranks.lastChild.remove();
    while (this.ranks.children.length < n) this.ranks.append(this.rank(this.ranks.children.length));
    r.terms.forEach((term, i) => this.showRank(this.ranks.children[i], term, own[i]));
    for (const [id, node] of this.nodes) if (!list.includes(id)) { node.remove(); this.nodes.delete(id); }
    list.forEach((id, i) => {
      if (!this.nodes.has(id)) {
        this.nodes.set(id, this.card(id));
        this.cards.append(this.nodes.get(id));
      }
      const node = this.nodes.get(id), { title, grade } = pages[id], counts = r.terms[i].counts;
      node.style.setProperty("--i", i);
      node.classList.toggle("after", !counts);
      const more = [shows.has("readers") && `${Math.round(own[i] * 100)} of 100 readers get here.`, shows.has("terms") && !shows.has("blind") && `Collected: ${fixed(r.terms[i].value)}.`, !this.frozen && "Arrow keys move it."];
      node.querySelector(".grab").setAttribute("aria-label", [`${title}. Grade ${grade}. Rank ${i + 1} of ${n}.`, ...more.filter(Boolean)].join(" "));
      enable(node.querySelector(".up"), i > 0);
      enable(node.querySelector(".down"), i < n - 1);
      node.querySelector(".out").hidden = !shows.has("throw") || this.frozen || n < 2;
    });
    // The order in the document follows the order on the screen, for Tab and for screen readers.
    if (list.some((id, i) => this.cards.children[i] !== this.nodes.get(id))) {
      for (const id of list) this.cards.append(this.nodes.get(id));
      if (held && this.cards.contains(held)) held.focus({ preventScroll: true });
    }
    this.canvas.hidden = !shows.has("readers");
    this.heads.children[2].textContent = shows.has("draw") ? "◂ pull the edge ▸" : "× readers who arrive";
    this.crowd.set({ shares: own, lit: shows.has("lit") ? r.gains : null, cut: k ?? Infinity, handles: shows.has("draw") });
    this.showShelf();
    const tallest = score(pages, [...list, ...this.missed], { ...this, missed: [], k: null }).idcg; // one scale, whatever is in the list
    this.towers.show(r, shows, (tallest || 1) * 1.24);
    this.showFormula(r);
  }

  rank(i) {
    const row = h("div", { class: "rank" }, h("span", { class: "i" }, i + 1), h("span", { class: "strip" }),
      h("span", { class: "readers" }, h("b"), h("span", {}, " of 100")), h("span", { class: "term" }));
    if (i && this.shows.has("draw")) {
      const range = h("input", { type: "range", min: 0, max: 100, "aria-label": `Readers left at rank ${i + 1}, of 100` });
      range.addEventListener("input", () => this.pull(i, range.value / 100));
      range.addEventListener("focus", () => this.crowd.set({ focus: range.matches(":focus-visible") ? i : -1 }));
      range.addEventListener("blur", () => this.crowd.set({ focus: -1 }));
      row.querySelector(".strip").append(range);
    }
    row.addEventListener("pointerenter", () => this.point(this.list[i]));
    row.addEventListener("pointerleave", () => this.point(null));
    return row;
  }

  showRank(row, { gain, share, value, rank, counts }, own) {
    row.classList.toggle("after", !counts);
    row.classList.toggle("first-after", rank - 1 === this.k);
    row.classList.toggle("zero", !value);
    row.querySelector(".readers b").textContent = Math.round(own * 100);
    row.querySelector(".term").innerHTML = counts
      ? `<span class="times"><span class="g">${short(gain)}</span> <span class="op">×</span> <span class="d">${fixed(share)}</span></span><b class="c">${fixed(value)}</b>`
      : "<small>not counted</small>";
    const range = row.querySelector("input");
    if (range && !range.matches(":focus")) range.value = Math.round(own * 100);
  }

  card(id) {
    const { title, grade } = this.pages[id];
    const grab = h("button", { class: "grab", type: "button" });
    grab.innerHTML = `<span class="icon">${iconOf(title)}</span><span class="title"></span>${marks(grade, this.most)}`;
    grab.querySelector(".title").textContent = title;
    const nudge = (by, name, sign) => push(sign, () => this.move(id, this.list.indexOf(id) + by), null, { class: name, tabindex: -1, "aria-label": `${title}: one rank ${name}` });
    const out = push("✕", () => this.take(id), null, { class: "out", "aria-label": `Hide ${title}`, title: "Hide this page" });
    const node = h("li", { class: "card", "data-id": id }, grab, h("span", { class: "nudges" }, nudge(-1, "up", "▲"), nudge(1, "down", "▼")), out);
    grab.addEventListener("keydown", (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1, Home: -99, End: 99 }[event.key];
      if (event.key === "Delete" && this.shows.has("throw") && this.list.length > 1) this.take(id);
      if (!by || this.frozen || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.move(id, this.list.indexOf(id) + by, true);
    });
    grab.addEventListener("focus", () => this.point(id));
    grab.addEventListener("blur", () => this.point(null));
    node.addEventListener("pointerenter", () => this.point(id));
    node.addEventListener("pointerleave", () => this.point(null));
    this.draggable(node, grab, id);
    return node;
  }

  // A card lights its term, its block and its place in the formula.
  point(id) {
    for (const node of this.element.querySelectorAll(".pointed")) node.classList.remove("pointed");
    this.element.classList.toggle("pointing", Boolean(id));
    if (!id) return;
    for (const node of [this.nodes.get(id), this.ranks.children[this.list.indexOf(id)], ...this.element.querySelectorAll(`[data-of="${id}"]`)]) node?.classList.add("pointed");
  }

  draggable(node, grab, id) {
    grab.addEventListener("pointerdown", (event) => {
      for (const other of this.cards.querySelectorAll(".selected")) if (other !== node) other.classList.remove("selected");
      node.classList.add("selected");
      // A finger drags by the picture and scrolls the page by the rest of the card.
      if (this.frozen || event.button || (event.pointerType === "touch" && !event.target.closest(".icon"))) return;
      const height = this.stage.clientHeight / this.list.length, from = event.clientY, start = this.list.indexOf(id) * height;
      let dragging = false;
      const follow = ({ clientY }) => {
        if (!dragging && Math.abs(clientY - from) < 4) return;
        dragging = true;
        node.classList.add("held");
        const y = Math.max(-height * 0.3, Math.min(start + clientY - from, height * (this.list.length - 0.7)));
        node.style.setProperty("--y", `${y}px`);
        this.move(id, Math.round(y / height));
      };
      whileHeld(follow, () => {
        node.classList.remove("held");
        node.style.removeProperty("--y");
        if (dragging) this.changed({ kind: "drop", id });
      });
    });
  }

  showShelf() {
    const { missed, shows } = this;
    this.shelf.hidden = !missed.length || !(shows.has("shelf") || shows.has("throw"));
    if (this.shelf.hidden) return;
    this.shelf.replaceChildren(h("span", { class: "label" }, shows.has("throw") ? "Hidden" : "Judged, not returned"), ...missed.map((id) => {
      const { title, grade } = this.pages[id];
      const made = push("", () => {
        this.put(id);
        this.focusOn(id);
        this.changed({ kind: "put", id });
      }, null, { class: "put", "data-of": id, "aria-label": `${title}, grade ${grade}: put in at rank 1` });
      made.innerHTML = `<span class="icon">${iconOf(title)}</span><span class="title"></span>${marks(grade, this.most)}<span class="p" aria-hidden="true"></span>`;
      made.querySelector(".title").textContent = title;
      made.addEventListener("pointerdown", (event) => event.button || this.dragIn(id));
      return made;
    }));
  }

  // From the shelf into the list: where the pointer is, there the card goes; its place is told once it is dropped.
  dragIn(id) {
    const told = this.changed;
    let entered = false;
    whileHeld(({ clientY }) => {
      const { top, bottom, height } = this.stage.getBoundingClientRect();
      if (!entered && (clientY < top - 10 || clientY > bottom)) return;
      const rows = this.list.length + (entered ? 0 : 1), to = Math.max(0, Math.min(rows - 1, Math.floor(((clientY - top) / height) * rows)));
      this.changed = () => {};
      if (entered) this.move(id, to);
      else this.put(id, to);
      this.changed = told;
      entered = true;
    }, () => entered && this.changed({ kind: "put", id }));
  }

  showFormula(r) {
    const { shows, k } = this, at = k ? `@${k}` : "", plus = '<span class="op">+</span>', lines = [];
    const part = (term, css, words) => `<span class="${css} part" data-of="${term.id}">${words}</span>`;
    const sum = (name, css, terms, words, total) => lines.push(`<div class="line"><span class="what">${name}${at}</span> = ${terms.filter(({ counts }) => counts).map((term) => part(term, css, words(term))).join(plus)} = <b class="${css}">${total}</b></div>`);
    if (shows.has("sum")) sum("CG", "g", r.terms, ({ gain }) => short(gain), short(r.cg));
    if (shows.has("terms")) sum("DCG", "c", r.terms, ({ value }) => fixed(value), fixed(r.dcg));
    if (shows.has("ideal")) sum("IDCG", "p", r.best, ({ value }) => fixed(value), fixed(r.idcg));
    if (shows.has("ndcg")) lines.push(`<div class="line ratio"><span class="what">NDCG${at}</span> = <span class="frac"><span class="c">${fixed(r.dcg)}</span><span class="p">${fixed(r.idcg)}</span></span> = <b class="big">${fixed(r.ndcg)}</b></div>`);
    this.formula.hidden = shows.has("blind") || shows.has("bare") || !lines.length;
    this.formula.innerHTML = this.formula.hidden ? "" : lines.join("");
  }

  // ---- the curve of those who stay ----

  pull(i, share) {
    const shares = [...this.shares];
    shares[i] = Math.max(0, Math.min(1, share));
    for (let j = i + 1; j < shares.length; j++) shares[j] = Math.min(shares[j], shares[i]); // nobody comes back
    for (let j = i - 1; j > 0; j--) shares[j] = Math.max(shares[j], shares[i]);
    this.set({ shares });
    this.changed({ kind: "pull" });
  }

  beginPulling() {
    this.ranks.replaceChildren();
    this.reveal(["readers", "draw"], { shares: this.list.map((_, i) => 1 - i * 0.02) });
  }

  // The reader's curve stays, dashed, while the crowd glides to the usual one.
  showPulled(guess, glide) {
    this.ranks.replaceChildren();
    this.reveal(["readers"], { shares: null });
    this.crowd.set({ guess, handles: false });
    if (glide) this.crowd.glide(this.result.terms.map(({ share }) => share), guess);
  }

  pullable() {
    const stroke = ({ clientX, clientY }) => {
      const geometry = this.crowd.geometry(), box = this.stage.getBoundingClientRect();
      const i = Math.max(0, Math.min(geometry.length - 1, Math.floor(((clientY - box.top) / box.height) * geometry.length)));
      if (i > 0) this.pull(i, Math.round(((clientX - box.left - geometry[i].x) / geometry[i].width) * 100) / 100);
    };
    this.ranks.addEventListener("pointerdown", (event) => {
      if (!this.shows.has("draw") || !event.target.closest(".strip")) return;
      event.preventDefault();
      stroke(event);
      whileHeld(stroke);
    });
  }

  // A hundred readers walk down; the blocks fall onto their tower as they pass.
  walk() {
    const ms = this.crowd.walk();
    if (!ms) return;
    this.towers.fillInTurn(this.result.terms, (i) => this.crowd.arrival(i));
    const late = (node, delay) => node?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 300, delay, fill: "backwards" });
    this.ranks.querySelectorAll(".term").forEach((term, i) => late(term, this.crowd.arrival(i)));
    for (const node of [this.towers.level, ...this.formula.querySelectorAll("b")]) late(node, ms);
  }
}
