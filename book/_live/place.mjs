// An assignment as a place to work: one task at a time, one place to write, one Check. The page itself is the notebook as text,
// for print, search and whoever has no script; here its sections become cards.
import { BETWEEN, TOTAL, inField, notebookOf, older, readNotebook, source, toSource } from "./answers.mjs";
import { Cards, h } from "./cards.mjs";
import { Editor } from "./editor.mjs";
import { book, python, store as kept } from "./python.mjs";
import { print, Store, tried } from "./store.mjs";

const MARK = "ndcg-verdict ";
const RECORD = "ndcg:record";
const ID = "student-id";
const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const clock = (at) => new Intl.DateTimeFormat("en-GB", { ...(Date.now() - at > 72e6 && { day: "numeric", month: "short" }), hour: "2-digit", minute: "2-digit" }).format(at);
const button = (words, act, css = "live-button") => h("button", { type: "button", class: css, onclick: act }, words);
const codeOf = (cell) => cell.querySelector(".cell_input pre")?.textContent.trim() ?? "";

class Task {
  constructor(task, number, place) {
    Object.assign(this, { task, number, place });
    this.section = document.getElementById(`task-${task.id.replaceAll("_", "-")}`)?.closest("section");
    this.anchor = `task-${task.id.replaceAll("_", "-")}`;
  }

  get head() {
    return this.place.store.get(this.task.id, this.task.was);
  }

  get state() {
    const { points, status, checked, text } = this.head, changed = checked !== undefined && checked !== print(text ?? "");
    return changed ? "changed" : ["collected", "right"].includes(status) || points >= this.task.points ? "done" : points ? "part" : status ? "tried" : text ? "begun" : "";
  }

  // ---- the card ----

  build() {
    const { task, section } = this;
    this.heading = section.querySelector("h2");
    this.title = [...this.heading.childNodes].map((part) => (part.className === "headerlink" ? "" : part.textContent)).join("");
    this.heading.tabIndex = -1;
    this.shown = [...section.querySelectorAll(".place-yours > div.cell")];
    this.codes = this.shown.map(codeOf);
    this.points = section.querySelector(".place-points");
    this.notes = h("div", {});
    this.sheet = h("div", { class: "place-sheet" });
    this.said = h("p", { class: "place-kept", role: "status" });
    this.before = h("details", { class: "place-before", hidden: true });
    this.message = h("div", { class: "place-message", role: "status" });
    this.tips = h("div", { class: "place-tips", role: "status" });
    this.checking = button("Check", () => this.check(), "place-go");
    this.stopping = button("Stop", () => python.stop());
    this.stopping.hidden = true;
    this.hinting = button("", () => this.hint());
    this.tries = h("span", { class: "place-tries" });
    this.next = h("a", { class: "place-go", href: "" });
    this.work = h("div", { class: "place-work" }, this.notes, this.sheet, this.said,
      h("div", { class: "place-acts" }, this.checking, this.stopping, this.hinting, this.tries, this.next), this.message, this.tips, this.before);
    section.append(this.work);
    this.fill();
  }

  // ---- the one place to write ----

  fill() {
    const { text, form } = inField(this.task, this.head);
    if (this.form !== form || form === "cards") this.field((this.form = form), text);
    this.set(text);
    this.showNotes();
    this.show();
  }

  field(form, text) {
    const { task } = this, code = form === "code" || form === "source", data = this.place.data[task.id] ?? task.data ?? {};
    const label = { code: task.starter.startsWith("def") ? "Your function" : "Your answer", source: "Your answer, as code", number: "Your answer", choice: task.bet ? "Your bet" : "Your answer", line: "Click the wrong line", cards: "Your list: drag the cards", words: "Your answer" }[form];
    const named = h("p", { class: "place-name" }, h("span", { "aria-hidden": "true" }, "✎ "), label);
    const type = (now) => this.write(now), list = h("fieldset", {}, h("legend", { class: "unseen" }, label)), parts = [named];
    const radio = (value, ...inside) => h("label", {}, h("input", { type: "radio", name: task.id, value, onchange: () => type(value) }), ...inside);
    this.set = (now) => list.querySelectorAll("input[type=radio]").forEach((one) => (one.checked = one.value === now));
    this.marks = () => {};
    if (code) {
      const pre = h("pre"), given = form === "code" && task.given ? h("pre", { class: "place-given", tabindex: 0, "aria-label": "Given code" }, task.given) : null;
      parts.push(given, h("div", { class: "place-code highlight" }, h("div", {}, pre)), h("p", { class: "place-keys" }, "Tab leaves the field, Ctrl ] or ⇥ indents, Ctrl Enter checks."));
      const editor = new Editor(pre, text, label);
      editor.onrun = () => this.check();
      editor.area.addEventListener("input", () => type(editor.text));
      named.append(editor.tools);
      this.set = (now) => editor.text !== now && (editor.text = now);
    } else if (form === "number") {
      const rows = task.sum ? (data[task.sum] ?? []).slice(0, data.k) : [];
      const field = (name, css) => h("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": name, class: css, oninput: gather, onkeydown: ({ key }) => key === "Enter" && this.check() });
      const gather = () => type(terms.some(({ value }) => value) ? terms.map(({ value }) => value).join(BETWEEN) + TOTAL + sum.value : sum.value);
      const beside = task.beside.replace(/^./, (letter) => letter.toUpperCase()), names = rows.length ? rows.map((grade, i) => `Term of rank ${i + 1}, grade ${grade}`) : [beside].filter(Boolean), terms = names.map((name) => field(name, "place-term")), sum = field(rows.length ? "The sum, your answer" : "Your answer", "place-number"), mark = () => h("span", { class: "place-mark" });
      if (terms.length) parts.push(!rows.length ? h("p", { class: "place-line" }, h("b", {}, `${beside} `), terms[0], mark()) : h("table", { class: "place-terms" }, h("thead", {}, h("tr", {}, ...["rank", "grade", "its term"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, ...terms.map((term, i) => h("tr", {}, h("td", {}, String(i + 1)), h("td", {}, String(rows[i])), h("td", {}, term, mark()))))));
      parts.push(h("p", { class: "place-line" }, terms.length ? h("b", {}, rows.length ? "The sum " : "The answer ") : null, sum));
      this.set = (now) => {
        const [before, total] = now.includes(TOTAL) ? now.split(TOTAL) : ["", now], each = before.split(BETWEEN);
        terms.forEach((term, i) => term.value === (each[i] ?? "") || (term.value = each[i] ?? ""));
        if (sum.value !== total) sum.value = total;
      };
      this.marks = (right) => terms.forEach((term, i) => {
        term.nextSibling.textContent = right?.[i] === undefined || right[i] === null ? "" : right[i] ? " ✓ right" : " ✗ look here";
      });
    } else if (form === "choice") {
      list.append(...task.options.map((option) => radio(option, h("span", {}, option))));
      parts.push(list);
    } else if (form === "line") {
      const { terms = [], returned = [] } = data;
      list.append(...terms.map((term, i) => radio(String(i + 1), h("span", {}, `rank ${i + 1}, grade ${returned[i]}`), h("b", {}, term.toFixed(3)))));
      parts.push(list);
    } else if (form === "cards") {
      const there = this.built(text), tell = () => type(this.spelt(lists));
      const lists = Object.entries(task.lists).map(([name, kind]) => {
        if (kind === "list") return [name, new Cards(name, there[name] ?? [], this.place.titles, tell)];
        const number = h("input", { type: "number", value: there[name] ?? "", "aria-label": name, oninput: tell });
        return [name, { number, element: h("p", { class: "place-line" }, h("b", {}, `${name} = `), number) }];
      });
      parts.push(...lists.map(([, { element }]) => element));
      this.set = () => {};
    } else {
      const area = h("textarea", { rows: 6, "aria-label": label, oninput: () => type(area.value) });
      parts.push(area);
      this.set = (now) => area.value === now || (area.value = now);
    }
    this.sheet.replaceChildren(...parts.filter(Boolean));
  }

  // Cards are the text of a list, or of a dictionary of lists, as Python spells it.
  built(text) {
    try {
      const value = JSON.parse(text);
      return Array.isArray(value) ? { "": value } : value;
    } catch {
      return {};
    }
  }

  spelt(lists) {
    const made = lists.map(([name, { grades, number }]) => [name, number ? number.valueAsNumber || 0 : grades]);
    const value = made[0][0] === "" ? made[0][1] : Object.fromEntries(made);
    return JSON.stringify(value).replace(/([,:])/g, "$1 ");
  }

  write(text) {
    const { task, place } = this;
    place.store.write(task.id, text, { of: task.of, form: this.form, was: task.was });
    this.marks(null);
    this.showNotes();
    this.show();
    place.show();
  }

  // ---- what is said ----

  show() {
    const { task, head, place, state } = this, far = state === "done";
    this.points.textContent = `${"●".repeat(head.points)}${head.points % 1 ? "◐" : ""}${"○".repeat(Math.max(0, task.points - head.points))} ${head.points} of ${count(task.points, "point")}${state === "changed" ? ", changed since the last check" : head.status === "collected" ? ", read by a person" : ""}`;
    this.checking.textContent = task.bet && head.first === undefined ? "Place the bet" : "Check";
    this.checking.className = far ? "live-button" : "place-go";
    this.hinting.textContent = head.hints < task.hints.length ? `Hint ${head.hints + 1} of ${task.hints.length}` : "";
    this.hinting.hidden = far || !this.hinting.textContent;
    this.tries.textContent = tried(head.noted) ? count(tried(head.noted), "try", "tries") : "";
    const next = place.tasks[this.number];
    this.next.textContent = next ? "Next task →" : "To the end →";
    this.next.href = `#${next ? next.anchor : "hand-in"}`;
    this.next.className = far ? "place-go place-next" : "live-button place-next";
    this.said.textContent = head.text === null ? "" : place.store.state === "kept" ? `Kept in this browser, ${clock(head.at)}.` : "Not kept.";
    this.section.classList.toggle("place-right", far);
    if (this.tips.childElementCount !== head.hints) this.tips.replaceChildren(...task.hints.slice(0, head.hints).map((words, i) => h("p", {}, h("b", {}, `Hint ${i + 1}. `), ...words.split("`").map((part, j) => (j % 2 ? h("code", {}, part) : part)))));
  }

  // The task has changed, or another tab wrote, or the answer is code: said here, and nothing is taken away.
  showNotes() {
    const { task, head, place } = this, notes = [], settle = (text, form = task.widget) => () => place.store.write(task.id, text, { of: task.of, form, typed: false, was: task.was });
    const empty = task.widget === "code" ? task.starter : "", shown = inField(task, head);
    if (head.text !== null && shown.form !== head.form && shown.form !== "source" && head.text) notes.push([[`This task asks for something else now. Your earlier answer is here: `, h("pre", {}, head.text)]]);
    else if (head.text && head.of !== task.of) notes.push([["This task has changed; your earlier answer is here, as you left it. Read the question again, and check."], ["Keep it", settle(head.text, head.form)], ["Begin anew", settle(empty)]]);
    if (shown.form === "source") notes.push([["This answer was written as code, and counts as it is."], ["Use the field instead", settle(empty)]]);
    if (head.rival) notes.push([[`Something else was written in another tab, at ${clock(head.rival.at)}. Both are kept.`, h("pre", {}, head.rival.text)], ["Take that one", settle(head.rival.text, head.rival.form)], ["Keep this one", settle(head.text, head.form)]]);
    const versions = place.store.versions(task.id, task.was), key = JSON.stringify([head.of, head.form, head.rival?.text, versions.length, notes.length]);
    if (key === this.noted) return;
    this.noted = key;
    const bring = (name, act) => button(name, () => {
      act();
      this.form = null;
      this.fill();
      place.show();
      this.heading.focus();
    });
    this.notes.replaceChildren(...notes.map(([words, ...ways]) => h("div", { class: "place-note", role: "status" }, h("div", {}, ...words), ...ways.map(([name, act]) => bring(name, act)))));
    this.before.hidden = !versions.length;
    this.before.replaceChildren(h("summary", {}, count(versions.length, "earlier version")), ...versions.slice(0, 40).map(({ text, at, form }) => h("div", {}, h("span", {}, clock(at)), h("pre", { tabindex: 0, "aria-label": `Version of ${clock(at)}` }, text), bring("Bring back", settle(text, form)))));
  }

  // ---- Check ----

  async check() {
    const { task, head, place } = this;
    if (this.busy) return;
    this.busy = true;
    this.checking.setAttribute("aria-disabled", "true");
    this.stopping.hidden = false;
    const say = (words) => this.message.replaceChildren(h("p", {}, words)), quiet = (code, i) => ({ code, name: `cell 0.${i}`, quiet: true });
    const forget = telling(say), code = toSource(task, head), above = place.tasks.slice(0, this.number - 1).filter((one) => one.task.widget === "code");
    const terms = head.form === "number" && head.text?.includes(TOTAL) ? head.text.split(TOTAL)[0].split(BETWEEN) : [];
    try {
      say("Checking.");
      const trace = [];
      let printed = "", drawn = "";
      await python.run([place.start(), ...above.map((one) => toSource(one.task, one.head))].map(quiet).concat({ code, name: "cell 1" },
        { code: `from ndcg_course.explain.page import as_data\nprint(as_data(check("${task.id}")${task.sum ? `, own("${task.id}"), ${JSON.stringify(terms)}` : ""}))`, name: "cell 2" }), (kind, text) => {
        if (kind === "printed") printed += text;
        if (kind === "html") drawn += text; // what the last line of the answer shows
        if (kind === "error") trace.push(text);
      });
      const [mine, line] = printed.split(MARK), told = line ? JSON.parse(line) : null;
      this.tell(told, mine.trim(), trace[0], drawn);
      if ((this.codes.length || task.data) && told && told.draw !== (place.draws[task.id] ?? 0)) await place.drawn([this]);
    } catch (error) {
      say(error.message === "stopped" ? "Stopped." : error.message);
    }
    forget();
    this.busy = false;
    this.stopping.hidden = true;
    this.checking.removeAttribute("aria-disabled");
  }

  tell(told, printed, trace, drawn) {
    const { task, place, head } = this, counts = told && !trace && ["right", "wrong", "collected"].includes(told.status);
    const shift = task.given && this.form === "code" ? task.given.split("\n").length + 2 : 0;
    this.message.replaceChildren();
    if (trace) this.message.append(h("p", {}, h("b", {}, "Your code did not run to its end.")), h("pre", {}, trace.replace(/^Cell 1, line (\d+)/gm, (all, line) => `Line ${line - shift}`)));
    else if (told) {
      this.message.innerHTML = told.html;
      for (const part of this.message.querySelectorAll("p")) {
        if (/^For new numbers/.test(part.textContent)) part.replaceWith(button("New numbers, which count", () => this.anew()));
        else if (/^For a hint:/.test(part.textContent)) part.remove();
      }
      if (told.said) this.message.firstChild.append(h("p", {}, told.said));
      this.marks(told.terms);
    }
    if (printed) this.message.append(h("pre", { "aria-label": "Printed" }, printed));
    if (drawn) this.message.append(Object.assign(h("div", {}), { innerHTML: drawn }));
    if (counts) place.store.note(task.id, { points: told.points, status: told.status, checked: print(head.text ?? ""), noted: told.noted, ...(task.bet && { first: head.text }) });
    this.show();
    place.show();
    this.message.scrollIntoView({ block: "nearest" });
  }

  // Other numbers for the same task, after some wrong tries; what was written stays until it is written over.
  async anew() {
    const { place, task } = this;
    await python.run([{ code: place.start(), name: "cell 0", quiet: true }, { code: `another("${task.id}")`, name: "cell 1" }], () => {}).catch(() => {});
    await place.drawn([this]);
    this.message.replaceChildren(h("p", {}, "These are your new numbers."));
    this.heading.focus();
  }

  hint() {
    this.place.store.note(this.task.id, { hints: this.head.hints + 1 });
    this.show();
    if (this.hinting.hidden) this.checking.focus();
  }
}

// What Python is doing while it starts, until the returned function is called.
function telling(say) {
  const words = { starting: () => "Starting Python.", loading: ({ loaded, total }) => (loaded < total ? `Loading Python, ${(total / 1e6).toFixed(0)} MB, once.` : "Starting Python."), doing: (detail) => `${detail.words[0].toUpperCase()}${detail.words.slice(1)}.`, ready: () => "Checking." };
  let last = "";
  const hears = Object.entries(words).map(([kind, of]) => [kind, ({ detail }) => of(detail) !== last && say((last = of(detail)))]);
  for (const [kind, act] of hears) python.addEventListener(kind, act);
  return () => hears.forEach(([kind, act]) => python.removeEventListener(kind, act));
}

class Place {
  data = {}; // of the student's id, where it is not that of the page
  draws = {};
  constructor(told) {
    Object.assign(this, told);
    this.titles = told.titles ?? {};
    this.tasks = told.tasks.map((task, i) => new Task(task, i + 1, this));
  }

  get assignment() {
    return { notebook: this.notebook, tasks: this.tasks.map(({ task }) => task) };
  }

  get student() {
    return this.store.get(ID).text || "demo";
  }

  get extras() {
    return JSON.parse(this.store.get(`extras-${this.name}`).text ?? "[]");
  }

  cell(task) {
    return this.notebook.cells.find(({ id }) => id === task.cell);
  }

  start() {
    return source(this.notebook.cells.find((cell) => /^student_id = /m.test(source(cell)))).replace(/^student_id = .*$/m, () => `student_id = ${JSON.stringify(this.student)}`);
  }

  begin() {
    this.store = new Store(new URL(book).pathname).attend();
    this.takeOver();
    this.article = document.querySelector(".bd-article section");
    const first = this.tasks[0].section, intro = [], part = (css) => this.article.querySelector(`.place-${css}`); // as _ext/place.py laid it out
    [this.bar, this.sum, this.aloud, this.drawing, this.id, this.end] = ["steps", "sum", "aloud", "drawing", "head input", "end"].map(part);
    for (let one = this.drawing.nextElementSibling; one && one !== first; one = one.nextElementSibling) intro.push(one);
    for (let one = this.end.nextElementSibling; one; one = one.nextElementSibling) one.hidden = true;
    intro.filter((one) => one.matches(".cell") || one.nextElementSibling?.matches(".cell")).forEach((one) => one.matches("p, .cell") && !one.querySelector("a.download") && (one.hidden = true));
    this.can = [...(intro.find((one) => one.matches("ul"))?.children ?? [])].map((item) => item.textContent.trim());
    this.id.value = this.student;
    this.id.oninput = () => this.store.write(ID, this.id.value.trim());
    this.id.onchange = () => this.drawn(this.tasks);
    part("head details").append(...intro);
    for (const task of this.tasks) task.build();
    addEventListener("hashchange", () => this.go(true));
    this.store.addEventListener("state", () => this.say());
    this.store.addEventListener("elsewhere", ({ task }) => this.elsewhere(task));
    navigator.storage?.persist?.().catch(() => {});
    this.say();
    this.go(false);
    document.documentElement.dataset.place = "yes";
    this.remembered();
  }

  // What was kept by the number of a cell comes along, once; the old keys stay where they are, for another book on this host.
  takeOver() {
    if (this.store.get(`taken-${this.name}`).text) return;
    let found = [];
    try {
      found = older(this.path, this.assignment);
    } catch { /* this browser gives nothing */ }
    for (const { task, same, code, text, form } of found) {
      const named = code.match(/^student_id = (["'])(.+)\1/m);
      if (task && text) this.store.write(task.id, text, { of: same ? task.of : "older", form, typed: false });
      else if (named) this.store.write(ID, named[2], { typed: false });
      else if (!task) this.store.write(`cell ${print(code)}`, code, { form: "source", typed: false });
    }
    if (found.length) this.store.write(`taken-${this.name}`, "yes", { typed: false });
  }

  // ---- one task at a time, with an address ----

  go(focus) {
    const { hash } = location, found = this.tasks.find(({ anchor, section }) => hash === `#${anchor}` || hash === `#${section.id}`);
    this.now = found ?? (hash === "#hand-in" ? null : this.tasks[0]);
    for (const task of this.tasks) task.section.hidden = task !== this.now;
    this.end.hidden = this.now !== null;
    this.show();
    if (!focus) return;
    scrollTo({ top: 0, behavior: "instant" });
    (this.now?.heading ?? this.end.querySelector("h2")).focus({ preventScroll: true });
  }

  show() {
    const words = { done: "done", part: "in part", tried: "not yet", begun: "begun", changed: "changed since the last check", "": "" };
    const step = (anchor, sign, title, state, here) => h("li", {}, h("a", { href: `#${anchor}`, class: `is-${state}`, title, "aria-current": here ? "step" : null }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "unseen" }, `${title}${words[state] ? `, ${words[state]}` : ""}`)));
    this.bar.replaceChildren(...this.tasks.map((task) => step(task.anchor, task.state === "done" ? "✓" : String(task.number), task.title, task.state, task === this.now)), step("hand-in", "⚑", "Hand in", "", !this.now));
    const got = this.tasks.reduce((sum, { head }) => sum + head.points, 0), most = this.tasks.reduce((sum, { task }) => sum + task.points, 0);
    this.sum.replaceChildren(h("b", {}, String(got)), ` of ${most} points`);
    if (!this.now) this.showEnd(got, most);
  }

  // What the browser cannot keep is said where it begins, with the way out beside it.
  say() {
    const { state } = this.store;
    const words = { kept: this.told ? "There is room again: everything on this page is kept." : "", full: "This browser has no room left, so what you write now is gone when you close this page. Save the notebook before you leave.", refused: "This browser keeps nothing for this page, so what you write is gone when you close it. Save the notebook before you leave." }[state];
    this.told = state !== "kept";
    this.aloud.replaceChildren(...(words ? [h("p", {}, words), state === "kept" ? button("Good", () => this.aloud.replaceChildren()) : button("Save the notebook", () => this.save())] : []));
    for (const task of this.tasks) if (task.work) task.show();
  }

  // Another tab wrote: this page follows, and where both wrote, it asks.
  elsewhere(name) {
    if (name === ID) this.id.value = this.student;
    const task = this.tasks.find(({ task: { id, was } }) => id === name || was.includes(name));
    if (task && !task.head.rival) task.fill();
    else task?.showNotes();
    this.show();
  }

  // ---- own data, where they are not those of the page ----

  remembered() {
    const all = JSON.parse(kept.get(`ndcg:own ${this.path}`) ?? "null");
    if (all && all.student === this.student && all.of === this.tasks.map(({ task }) => task.of).join()) return this.put(all);
    if (this.student !== "demo") this.drawn(this.tasks);
    return undefined;
  }

  async drawn(tasks) {
    const say = (words) => (this.drawing.textContent = words), forget = telling(say), found = { data: {}, html: {}, draws: {} };
    try {
      say("Your own numbers are drawn.");
      for (const { codes, task } of tasks.filter((one) => one.codes.length || one.task.data)) {
        found.html[task.id] = [];
        const asked = `import json\nfrom ndcg_course.explain.record import record\nfrom ndcg_course.tasks.draw import tidy_id\nprint(json.dumps([own("${task.id}"), record.tries_at(tidy_id(student_id), "${task.id}")["draw"]]))`;
        for (const code of [...codes, asked]) {
          const show = (kind, text) => {
            if (kind === "html") found.html[task.id].push(text);
            if (kind === "error") throw new Error(text.split("\n").at(-1));
            if (kind === "printed" && code === asked) [found.data[task.id], found.draws[task.id]] = JSON.parse(text);
          };
          await python.run([{ code: this.start(), name: "cell 0", quiet: true }, { code, name: "cell 1" }], show);
        }
      }
      say("");
      this.put(found);
      kept.set(`ndcg:own ${this.path}`, JSON.stringify({ student: this.student, of: this.tasks.map(({ task }) => task.of).join(), data: this.data, draws: this.draws, html: Object.fromEntries(this.tasks.filter((one) => one.shown.length).map((one) => [one.task.id, one.shown.map((cell) => cell.querySelector(".output")?.innerHTML ?? "")])) }));
    } catch (error) {
      say(`Your own numbers are not here: ${error.message}`);
    }
    forget();
  }

  put({ data, html, draws }) {
    Object.assign(this.data, data);
    Object.assign(this.draws, draws);
    for (const task of this.tasks) {
      (html[task.task.id] ?? []).forEach((one, i) => {
        const output = task.shown[i]?.querySelector(".cell_output");
        if (output) output.replaceChildren(Object.assign(h("div", { class: "output text_html" }), { innerHTML: one }));
      });
      if (data[task.task.id] && task.task.data) {
        task.form = null;
        task.fill();
      }
    }
  }

  // ---- the end, and the notebook ----

  showEnd(got, most) {
    const open = this.tasks.filter(({ state }) => state !== "done"), person = this.tasks.filter(({ task }) => task.byHand).reduce((sum, { task }) => sum + task.points, 0);
    const then = document.querySelector(".prev-next-area a.right-next"), known = new Set([ID, ...this.all]);
    const others = this.store.tasks.filter((name) => !known.has(name) && !/^(extras-|taken-|in )/.test(name)).map((name) => [name, this.store.get(name).text]).filter(([, text]) => text);
    const file = h("input", { type: "file", accept: ".ipynb", hidden: true, "aria-label": "A saved notebook", onchange: () => this.opened(file) });
    this.saved = h("p", { class: "place-kept", role: "status" });
    const waits = open.length ? `${open.length === 1 ? "One task is" : `${open.length} tasks are`} open. You may hand in what is there; the rest counts 0.` : `Save the notebook and hand it in.${person ? ` ${count(person, "point")} may come from a person, who reads your words.` : ""}`;
    this.end.replaceChildren(h("h2", { tabindex: -1 }, open.length ? `${got} of ${most} so far` : `${got} of ${most}: hand it in`), h("p", {}, waits),
      h("p", { class: "place-acts" }, button(`Save ${this.name}.ipynb`, () => this.save(), "place-go"), button("Open a saved notebook", () => file.click()), file), this.saved,
      h("ul", { class: "place-results" }, ...this.tasks.map((task) => h("li", {}, h("a", { href: `#${task.anchor}` }, task.title), h("b", {}, task.head.status === "collected" ? "a person reads it" : `${task.head.points} of ${task.task.points}`)))),
      ...(open.length ? [] : [h("p", {}, h("b", {}, "You can now")), h("ul", {}, ...this.can.map((words) => h("li", {}, words))), then ? h("p", {}, "Then: ", h("a", { href: then.href }, then.querySelector(".prev-next-title")?.textContent ?? "the next page")) : ""]),
      this.student === "demo" ? h("p", { class: "place-keys" }, "The id is “demo”: this is practice. Put your own id at the top before you hand in.") : "",
      ...(others.length ? [h("h3", {}, "Answers to tasks that are not in the book any more"), ...others.map(([name, text]) => h("details", {}, h("summary", {}, h("code", {}, name)), h("pre", { tabindex: 0, "aria-label": name }, text)))] : []));
  }

  save() {
    const made = JSON.parse(notebookOf(this.assignment, (task) => this.store.get(task.id, task.was), this.student, this.extras));
    const { students = {}, tries = [] } = JSON.parse(kept.get(RECORD) ?? "{}"), record = Object.values(students).flatMap((tasks) => Object.values(tasks).map((entry) => entry.noted));
    const told = [...tries, ...record, ...this.tasks.map(({ head }) => head.noted)].filter(Boolean), noted = [...new Map(told.map((entry) => [entry.seal, entry])).values()]; // as explain/tries.py says
    if (noted.length) made.metadata.ndcg = { ...made.metadata.ndcg, tries: noted };
    const link = h("a", { href: URL.createObjectURL(new Blob([`${JSON.stringify(made, null, 1)}\n`], { type: "application/x-ipynb+json" })), download: `${this.name}.ipynb` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    if (this.saved) this.saved.textContent = `Saved as ${this.name}.ipynb: this is the file to hand in.`;
  }

  async opened(file) {
    const [chosen] = file.files, { saved } = this;
    if (!chosen) return;
    try {
      const text = await chosen.text(), { answers, extras, student } = readNotebook(text, this.assignment), came = [...answers].filter(([, { text: one }]) => one);
      for (const [task, { text: one, form }] of came) this.store.write(task.id, one, { of: task.of, form, typed: false, was: task.was }); // an empty cell takes nothing away
      if (extras.length) this.store.write(`extras-${this.name}`, JSON.stringify(extras), { typed: false });
      if (student) this.store.write(ID, (this.id.value = student), { typed: false });
      this.triesOf(JSON.parse(text));
      for (const task of this.tasks) task.fill();
      this.show();
      this.saved.textContent = `${count(came.length, "answer")} came from ${chosen.name}. What stood here before is among the earlier versions.`;
      if (student && student !== "demo") this.drawn(this.tasks);
    } catch (error) {
      saved.textContent = error.message;
    }
  }

  // The tries that a notebook holds go back into the record, which Python reads when it starts.
  triesOf({ metadata, cells }) {
    const found = [metadata, ...cells.flatMap((cell) => [cell.metadata, ...(cell.outputs ?? []).map((output) => output.metadata)])].flatMap((one) => one?.ndcg?.tries ?? []);
    const record = JSON.parse(kept.get(RECORD) ?? '{"version": 1, "students": {}}');
    for (const one of this.tasks) for (const noted of found) if (noted.task === one.task.id && tried(noted) > tried(one.head.noted)) this.store.note(noted.task, { noted });
    if (found.length) kept.set(RECORD, JSON.stringify({ ...record, tries: [...(record.tries ?? []), ...found] }));
  }
}

const told = document.getElementById("workplace");
if (told && location.protocol !== "file:") {
  const place = new Place(JSON.parse(told.textContent));
  if (place.tasks.length && place.tasks.every(({ section }) => section)) {
    place.begin();
    document.documentElement.dataset.live = String(place.tasks.length);
    document.querySelector(".live-absent")?.remove(); // it came late
  }
}
