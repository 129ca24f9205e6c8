// A list of grades as cards: dragged, moved with the arrow keys or the two buttons, each with its grade in a field.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const MOST = 12;

export class Cards {
  constructor(name, grades, titles, changed) {
    Object.assign(this, { name, titles, changed, grades: [...grades] });
    this.rows = h("ol", { class: "place-cards" });
    this.said = h("p", { class: "unseen", role: "status" });
    this.more = h("button", { type: "button", class: "live-button", onclick: () => this.put(this.grades.length) }, "One page more");
    this.element = h("div", { role: "group", "aria-label": name || "Your list, best rank first" }, name && h("p", { class: "place-list" }, name), this.rows, this.more, this.said);
    this.show();
  }

  title(at) {
    const same = this.grades.slice(0, at).filter((grade) => grade === this.grades[at]).length;
    return this.titles[this.grades[at]]?.[same] ?? `Page ${at + 1}`;
  }

  says(at) {
    return `${this.title(at)}, grade ${this.grades[at]}, rank ${at + 1} of ${this.grades.length}. The arrow keys move it.`;
  }

  show(focus = null) {
    this.rows.replaceChildren(...this.grades.map((grade, at) => this.row(grade, at)));
    this.more.hidden = this.grades.length >= MOST;
    if (focus !== null) this.rows.children[focus]?.querySelector(".place-card").focus({ preventScroll: true });
  }

  row(grade, at) {
    const title = h("span", { class: "place-title" }, this.title(at));
    const field = h("input", { type: "number", step: "any", value: grade, "aria-label": `Grade at rank ${at + 1}`, oninput: () => this.grade(at, field, title) });
    const tool = (sign, words, act) => h("button", { type: "button", class: "place-tool", "aria-label": `${words}: rank ${at + 1}`, title: words, onclick: act }, sign);
    const card = h("button", { type: "button", class: "place-card", "aria-label": this.says(at), onkeydown: (event) => this.key(event, at) },
      h("span", { class: "place-grip" }), title);
    card.addEventListener("pointerdown", (event) => this.drag(event, at));
    return h("li", {}, card, field, tool("▲", "One rank up", () => this.move(at, at - 1)), tool("▼", "One rank down", () => this.move(at, at + 1)), tool("×", "Take it out", () => this.out(at)));
  }

  grade(at, field, title) {
    if (field.value === "" || !Number.isFinite(field.valueAsNumber)) return; // half typed, as a minus is
    this.grades[at] = field.valueAsNumber;
    title.textContent = this.title(at);
    title.parentElement.setAttribute("aria-label", this.says(at));
    this.changed();
  }

  put(at) {
    this.grades.splice(at, 0, 0);
    this.show(at);
    this.said.textContent = `Rank ${at + 1}: a page of grade 0.`;
    this.changed();
  }

  out(at) {
    this.grades.splice(at, 1);
    this.show(Math.min(at, this.grades.length - 1));
    if (!this.grades.length) this.more.focus();
    this.changed();
  }

  move(from, to) {
    to = Math.max(0, Math.min(this.grades.length - 1, to));
    if (from === to) return;
    this.grades.splice(to, 0, ...this.grades.splice(from, 1));
    this.show(to);
    this.said.textContent = `${this.title(to)}: rank ${to + 1} of ${this.grades.length}.`;
    this.changed();
  }

  key(event, at) {
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: MOST }[event.key];
    if (event.altKey || event.ctrlKey || event.metaKey || (to === undefined && event.key !== "Delete")) return;
    event.preventDefault();
    if (to === undefined) this.out(at);
    else this.move(at, to);
  }

  // A finger drags by the grip, and scrolls the page by the rest of the card.
  drag(event, at) {
    if (event.button || (event.pointerType === "touch" && !event.target.closest(".place-grip"))) return;
    let now = at;
    const follow = ({ clientY }) => {
      const tops = [...this.rows.children].map((row) => row.getBoundingClientRect());
      const to = tops.findIndex(({ bottom }) => clientY < bottom), there = to < 0 ? tops.length - 1 : to;
      if (there === now) return;
      this.move(now, there);
      now = there;
    };
    const end = () => ["pointermove", "pointerup", "pointercancel"].forEach((kind, i) => removeEventListener(kind, i ? end : follow));
    addEventListener("pointermove", follow);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }
}
