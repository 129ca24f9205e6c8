// What a reader does on a page: numbers worked by hand, with a tick and what somebody else printed; sheets whose answers
// the page keeps; a paragraph that is looked through for what it says; and all of it on one sheet to print.

import { h, push, text } from "./dom.js";
import { guessed, keep, kept, numberIn } from "./guesses.js";

const CLOSE = 0.0015; // three decimals, of which the last may be off by one
const near = (x, y) => Math.abs(x - y) < CLOSE;
const followed = (show) => { document.addEventListener("ndcg-guess", show); show(); };
const field = (box, name) => `${box.getAttribute("of")}:${name}`;

class Noted extends HTMLElement {
  connectedCallback() {
    this.printed ??= this.textContent;
    this.show(false);
  }

  show(right) {
    if (right === false) return this.replaceChildren(h("span", { class: "covered", role: "img", "aria-label": "covered until yours is right" }, "·"));
    if (this.hasAttribute("sealed") && !this.lifted) {
      return this.replaceChildren(push("lift the seal", () => { this.lifted = true; this.show(right); }, null, { class: "seal" }));
    }
    const decimals = this.printed.split(".")[1]?.length ?? 0, theirs = Number(this.printed);
    const same = Number.isNaN(theirs) ? "" : right.toFixed(decimals) === theirs.toFixed(decimals) ? "same" : "not yours; yours is right";
    return this.replaceChildren(this.printed, same && h("span", { class: "same" }, same));
  }
}

class Blank extends HTMLElement {
  begin(box, index) {
    this.right = Number(this.getAttribute("right"));
    this.name = field(box, index);
    this.row = this.closest("tr");
    this.input = h("input", { inputmode: "decimal", autocomplete: "off", size: 6, "aria-label": this.told() });
    this.mark = h("span", { class: "says" });
    this.replaceChildren(this.input, this.mark);
    this.input.value = guessed(this.name) ?? "";
    this.input.addEventListener("input", () => { keep(this.name, this.input.value || undefined); this.look(); box.look(this); });
    this.look();
  }

  told() {
    const head = this.closest("table").tHead?.rows[0].cells[this.closest("td").cellIndex]?.textContent.trim();
    const first = this.row.cells[0].textContent.trim();
    const side = head || (this.closest("td").cellIndex > 2 ? "the ideal" : "the list");
    return /^[\d–]+$/.test(first) ? `rank ${first}, ${side}` : `${first}, ${side}`;
  }

  get ok() { return near(numberIn(this.input.value), this.right); }

  look() {
    const typed = this.input.value.trim(), ok = this.ok;
    text(this.mark, !typed ? "" : ok ? "✓" : Number.isNaN(numberIn(typed)) ? "a number?" : "…");
    this.mark.classList.toggle("right", ok);
    for (const noted of this.row.querySelectorAll("ndcg-noted")) noted.show(ok && this.right);
  }

  give() {
    this.input.value = this.right.toFixed(3).replace(/\.?0+$/, "") || "0";
    this.input.dispatchEvent(new Event("input"));
    this.input.focus();
  }
}

class ByHand extends HTMLElement {
  connectedCallback() {
    if (this.blanks) return;
    this.blanks = [...this.querySelectorAll("ndcg-blank")];
    this.slips = (this.getAttribute("slips") ?? "").split(" | ").filter(Boolean).map((slip) => slip.split(/ = (.*)/s));
    this.said = h("p", { class: "hint", role: "status" });
    this.done = h("span", { class: "done" });
    this.give = push("Show me the next one", () => this.blanks.find((blank) => !blank.ok)?.give(), null, { class: "live-button" });
    this.querySelector(".answers")?.remove();
    this.append(this.said, h("p", { class: "foot" }, this.done, this.give));
    this.blanks.forEach((blank, i) => blank.begin(this, i));
    this.count();
  }

  look(blank) {
    const slip = !blank.ok && this.slips.find(([number]) => near(numberIn(blank.input.value), Number(number)));
    text(this.said, slip ? slip[1] : "");
    this.count();
  }

  count() {
    const right = this.blanks.filter((blank) => blank.ok).length, all = this.blanks.length;
    text(this.done, right === all ? `All ${all} are right.` : `${right} of ${all} right`);
    this.give.hidden = right === all;
    const name = field(this, "done"), done = right === all || undefined;
    if (guessed(name) !== done) keep(name, done);
  }
}

class Sheet extends HTMLElement {
  connectedCallback() {
    if (this.begun) return;
    this.begun = true;
    for (const item of this.querySelectorAll("li")) {
      const words = item.textContent, name = field(this, words), { form } = item.dataset;
      const range = /^(\S+) to (\S+) by (\S+)$/.exec(form);
      const input = form === "text" ? h("textarea", { rows: 2 })
        : range ? h("input", { type: "number", min: range[1], max: range[2], step: range[3] })
        : h("select", {}, h("option", { value: "" }, "choose"), form.split(", ").map((one) => h("option", {}, one)));
      input.value = guessed(name) ?? "";
      input.addEventListener("input", () => keep(name, input.value || undefined));
      item.replaceChildren(h("label", {}, h("span", {}, words), input));
    }
  }
}

// A table of which the reader sees the row that the sheet names; all of it before that.
class YourRow extends HTMLElement {
  connectedCallback() {
    const [sheet, name] = this.getAttribute("of").split(" ");
    followed(() => {
      const chosen = guessed(`${sheet}:${name}`);
      for (const row of this.querySelectorAll("tbody tr")) row.hidden = Boolean(chosen) && row.cells[0].textContent.trim() !== chosen;
    });
  }
}

class Replies extends HTMLElement {
  connectedCallback() {
    followed(() => {
      for (const reply of this.querySelectorAll("ndcg-reply")) reply.hidden = guessed(this.getAttribute("of")) !== reply.getAttribute("of");
    });
  }
}

const saysIt = (form, words) =>
  form === "two numbers" ? (words.match(/0[.,]\d{2,}/g) ?? []).length > 1
  : form === "+0" ? /[+−-]\s?0[.,]\d/.test(words)
  : form.split(", ").some((word) => words.toLowerCase().includes(word.toLowerCase()));

class Paragraph extends HTMLElement {
  connectedCallback() {
    if (this.begun) return;
    this.begun = true;
    const items = [...this.querySelectorAll("li")], area = h("textarea", { rows: 10, "aria-label": "your results paragraph" });
    area.value = guessed("paragraph") ?? "";
    const look = () => { for (const item of items) item.classList.toggle("found", saysIt(item.dataset.form, area.value)); };
    area.addEventListener("input", () => { keep("paragraph", area.value || undefined); look(); });
    this.prepend(area);
    look();
  }
}

// Boxes of another page that are filled: a line for each, ticked when all of its fields are right.
class Ticked extends HTMLElement {
  connectedCallback() {
    const page = this.getAttribute("of");
    for (const item of this.querySelectorAll("li")) {
      const done = kept()[`${page}/${item.dataset.form}:done`];
      item.classList.toggle("found", Boolean(done));
      item.append(h("span", { class: "visually-hidden" }, done ? ", done" : ", not yet"));
    }
  }
}

class Certificate extends HTMLElement {
  connectedCallback() {
    if (this.begun) return;
    this.begun = true;
    const written = this.innerHTML, sheet = h("div", { class: "printed-sheet" });
    const name = h("input", { "aria-label": "your name", placeholder: "Your name", autocomplete: "name" });
    name.value = guessed("name") ?? "";
    name.addEventListener("input", () => keep("name", name.value || undefined));
    this.replaceChildren(sheet, h("p", { class: "foot" }, name, push("Print, or save as PDF", () => this.print(sheet), null, { class: "live-button" })));
    followed(() => {
      const said = this.said();
      sheet.innerHTML = written.replace(/\{([\w :-]+)\}/g, (_, key) => h("i", {}, said[key] ?? guessed(key) ?? "…").innerHTML);
    });
  }

  said() {
    const lists = Object.entries(kept()).filter(([key, value]) => /^five-notes\/.*:done$/.test(key) && value).length;
    const date = new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
    return { name: guessed("name") ?? "Your name", date, earned: lists ? ` has worked ${lists + 1} of eight lists by hand, and` : "" };
  }

  print(sheet) {
    const copy = sheet.cloneNode(true);
    copy.classList.add("print-sheet");
    document.body.append(copy);
    document.body.classList.add("only-sheet");
    window.print();
    document.body.classList.remove("only-sheet");
    copy.remove();
  }
}

const MADE = { noted: Noted, blank: Blank, "by-hand": ByHand, sheet: Sheet, "your-row": YourRow, replies: Replies, paragraph: Paragraph, ticked: Ticked, certificate: Certificate };
for (const [name, made] of Object.entries(MADE)) customElements.define(`ndcg-${name}`, made);
