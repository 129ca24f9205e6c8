// Makes the code cells of a page run: Run and Edit under each, Stop and Reset where they have a meaning.
import { colour } from "./colours.mjs";
import { Editor } from "./editor.mjs";
import { book, python } from "./python.mjs";
import { olderCells, print, Store } from "./store.mjs";

function make(tag, name, text) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
}

class Cell {
  ranIn = 0; // the age of the Python that it ran in
  ranCode = null;

  constructor({ code, asks }, page, element = null) {
    Object.assign(this, { first: code, asks, page, element });
    this.key = `${page.name}${print(code)}${"+".repeat(page.cells.filter((cell) => cell.first === code).length)}`;
    this.hidden = element === null;
    if (!this.hidden) this.dress();
  }

  get code() {
    return this.editor?.text ?? this.first;
  }

  get name() {
    return this.hidden ? `cell 0` : `cell ${this.number}`;
  }

  get fresh() {
    return this.ranIn === python.age && this.ranCode === this.code;
  }

  // One call that shows something leaves nothing behind for the cells below: nothing is checked or hinted at unasked.
  get onlyShows() {
    return this.asks || /^(plots\.\w+|another|check|check_all|figure|hint|missing|own|progress|recall|solution)\(/.test(this.code) && !/\n[^\s)\]}]/.test(this.code);
  }

  dress() {
    this.number = this.page.cells.filter((cell) => !cell.hidden).length + 1;
    this.input = this.element.querySelector(".cell_input");
    this.pre = this.input.querySelector("pre");
    this.bar = make("div", "live-bar");
    this.bar.setAttribute("role", "group");
    this.bar.setAttribute("aria-label", `Cell ${this.number}`);
    this.buttons = {};
    for (const [word, act] of [["Run", this.run], ["Edit", this.edit], ["Stop", this.stop], ["Reset", this.reset]]) {
      const button = make("button", `live-button live-${word.toLowerCase()}`, word);
      button.type = "button";
      button.addEventListener("click", () => act.call(this));
      this.buttons[word] = button;
      this.bar.append(button);
    }
    this.buttons.Run.title = "Run this cell (Shift+Enter)";
    this.buttons.Stop.hidden = this.buttons.Reset.hidden = true;
    this.status = make("span", "live-status");
    this.status.setAttribute("role", "status");
    this.progress = make("progress", "live-progress");
    this.progress.setAttribute("aria-label", "Loading Python");
    this.progress.hidden = true;
    this.bytes = make("span", "live-bytes");
    this.bytes.setAttribute("aria-hidden", "true"); // the bar says the same
    this.cost = make("span", "live-cost");
    this.bar.append(this.status, this.progress, this.bytes, this.cost);
    this.input.after(this.bar);
    this.output = make("div", "cell_output live-output");
    this.output.hidden = true;
    this.given = this.element.querySelector(":scope > .cell_output");
    this.element.append(this.output);
    const { text, rival } = this.head;
    if ((text ?? this.first) !== this.first || this.page.open || this.element.classList.contains("pycell")) this.open(text ?? this.first);
    if (rival) this.ask(rival.text);
  }

  get head() {
    return this.page.store.get(this.key);
  }

  keep() {
    const { store } = this.page;
    if (this.code !== this.first || this.head.text !== null) store.write(this.key, this.code, { form: "source" });
    if (store.unsaved) this.say(`This browser ${store.state === "full" ? "has no room left" : "keeps nothing here"}: what you write is gone when you close the page.`);
    this.mark();
  }

  put(text) {
    if (this.editor) this.editor.text = text;
    else this.open(text);
    this.mark();
  }

  // Another tab wrote: this page follows, and where both wrote, it asks.
  follows() {
    const { text, rival } = this.head;
    this.asked?.remove();
    if (rival) this.ask(rival.text);
    else if (text !== this.code) this.put(text);
  }

  ask(other) {
    this.asked = make("div", "live-bar live-asked");
    this.asked.append(make("span", "", "This cell was changed in another tab as well. Both are kept."));
    const settle = (code) => {
      this.asked.remove();
      this.page.store.write(this.key, code, { form: "source", typed: false });
      this.put(code);
      this.editor.area.focus();
    };
    for (const [words, code] of [["Take the other one", () => other], ["Keep this one", () => this.code]]) {
      const button = make("button", "live-button", words);
      button.type = "button";
      button.addEventListener("click", () => settle(code()));
      this.asked.append(button);
    }
    this.bar.after(this.asked);
  }

  open(text) {
    this.editor = new Editor(this.pre, text, `Code of cell ${this.number}`);
    this.editor.onrun = () => this.run();
    this.editor.area.addEventListener("input", () => this.keep());
    this.editor.area.addEventListener("focus", () => python.start().catch(() => {}), { once: true });
    this.buttons.Edit.hidden = true;
    this.buttons.Reset.after(this.editor.tools);
    this.mark();
  }

  mark() {
    this.buttons.Reset.hidden = this.code === this.first && this.output.hidden;
  }

  edit() {
    this.open(this.first);
    this.editor.area.focus();
  }

  reset() {
    if (this.editor) this.editor.text = this.first;
    this.asked?.remove();
    this.keep();
    this.output.replaceChildren();
    this.output.hidden = true;
    if (this.given) this.given.hidden = false;
    this.say("As it was in the book.");
    this.mark();
    (this.editor?.area ?? this.buttons.Run).focus();
  }

  say(words) {
    this.status.textContent = words;
  }

  stop() {
    python.stop();
  }

  // What this cell builds upon: all above it that has not run yet, or has changed since.
  before() {
    const above = this.asks ? [] : this.page.cells.slice(0, this.page.cells.indexOf(this));
    return above.filter((cell) => !cell.fresh && !cell.onlyShows);
  }

  async run() {
    if (this.running) return;
    this.running = true;
    const { Run, Stop } = this.buttons;
    const hadFocus = document.activeElement === Run;
    Stop.hidden = false;
    Run.setAttribute("aria-disabled", "true");
    let cleared = false;
    const show = (kind, text) => {
      if (!cleared) this.output.replaceChildren();
      cleared = true;
      this.show(kind, text);
    };
    const forget = this.follow();
    try {
      await python.start();
      const todo = [...this.before(), this];
      const codes = todo.map((cell) => cell.code);
      const asked = (code) => `from ndcg_lib.identification.apart import pasted\npasted(${JSON.stringify(code)})`;
      this.say("Running.");
      const began = performance.now();
      const age = python.age;
      const { well, stopped, failed } = await python.run(
        todo.map((cell, i) => ({ code: cell.asks ? asked(codes[i]) : codes[i], name: cell.name, quiet: cell !== this })),
        show,
      );
      const bad = new Set(failed.map((cell) => cell.name));
      todo.forEach((cell, i) => {
        if (!stopped && !bad.has(cell.name)) [cell.ranIn, cell.ranCode] = [age, codes[i]];
      });
      if (!cleared) this.output.replaceChildren();
      for (const { name, error } of well ? [] : failed) {
        this.show("note", `Before it, ${name} did not run to its end: ${error.split("\n").pop()}`);
      }
      if (this.given) this.given.hidden = true;
      this.output.hidden = !this.output.hasChildNodes();
      const after = `after ${((performance.now() - began) / 1000).toFixed(2)} s`;
      this.say(stopped ? `Stopped ${after}. What the cells before it defined is still there.` : `${well ? "Done" : "Ended with an error"} ${after}.`);
    } catch (error) {
      this.say(error.message); // of states.mjs
    }
    forget();
    this.running = false;
    Run.removeAttribute("aria-disabled");
    if (document.activeElement === Stop || hadFocus) Run.focus();
    Stop.hidden = true;
    this.mark();
  }

  // Say what Python is doing, until the returned function is called.
  follow() {
    const hide = () => {
      this.progress.hidden = true;
      this.bytes.textContent = "";
    };
    const hear = {
      starting: () => this.say("Starting Python."),
      loading: ({ detail: { loaded, total } }) => {
        this.progress.hidden = loaded >= total;
        Object.assign(this.progress, { max: total, value: loaded });
        const whole = (bytes) => (bytes / 1e6).toFixed(0);
        const words = loaded >= total ? "Starting Python." : `Loading Python, ${whole(total)} MB, once.`;
        if (this.status.textContent !== words) this.say(words);
        this.progress.setAttribute("aria-valuetext", `${whole(loaded)} of ${whole(total)} MB`);
        this.bytes.textContent = loaded >= total ? "" : `${whole(loaded)} MB are here.`;
      },
      doing: ({ detail }) => this.say(`${detail.words[0].toUpperCase()}${detail.words.slice(1)}.`),
      ready: () => hide(),
    };
    for (const [kind, act] of Object.entries(hear)) python.addEventListener(kind, act);
    return () => {
      hide();
      for (const [kind, act] of Object.entries(hear)) python.removeEventListener(kind, act);
    };
  }

  show(kind, text) {
    this.output.hidden = false;
    if (this.given) this.given.hidden = true;
    if (kind === "html") {
      const box = make("div", "output text_html");
      box.innerHTML = text;
      return this.output.append(box);
    }
    const last = this.output.lastElementChild;
    if (kind === "printed" && last?.dataset.kind === kind) return last.querySelector("pre").append(text);
    const box = make("div", `output highlight live-${kind}`);
    box.dataset.kind = kind;
    const pre = make("pre");
    if (kind === "text") pre.append(colour(text));
    else pre.textContent = text;
    pre.tabIndex = 0;
    box.append(pre);
    this.output.append(box);
  }
}

// What the first run will cost, said before anybody presses Run; and where Python ran on the page before and is kept here,
// it starts by itself, so that this page does not let its reader wait again.
async function foretell(cell, { lock, bytes }) {
  const kept = (name) => // to open the shelf would make it
    globalThis.caches?.match(new URL(`_static/pyodide/${name}`, book), { cacheName: `ndcg-python-${lock}` }).catch(() => null);
  const there = await Promise.all(Object.keys(bytes).map(kept));
  const missing = Object.entries(bytes).filter((file, number) => !there[number]);
  const size = missing.reduce((sum, [, bytes]) => sum + bytes, 0);
  const rate = navigator.connection?.downlink || 20; // megabits in a second
  const took = python.took || 2;
  if (size) cell.cost.textContent = `First run: ${(size / 1e6).toFixed(0)} MB, ≈ ${Math.ceil((size * 8) / rate / 1e6 + took)} s at ${rate} Mbit/s`;
  else cell.cost.textContent = `First run: about ${Math.ceil(took)} s`;
  python.addEventListener("starting", () => (cell.cost.textContent = ""));
  const session = sessionStorage;
  python.addEventListener("ready", () => session.setItem("ndcg:ran", "yes"));
  if (!size && session.getItem("ndcg:ran")) (globalThis.requestIdleCallback ?? setTimeout)(() => python.start().catch(() => {}));
}

// What was kept by the number of a cell comes along; the old keys stay where they are, for another book on this host.
function takeOver({ name, store }, path) {
  let found = [];
  try {
    found = olderCells(path, localStorage).filter(({ of }) => store.get(name + print(of)).text === null);
  } catch { /* this browser gives nothing */ }
  for (const { of, code } of found) store.write(name + print(of), code, { form: "source", typed: false });
}

// An edit belongs to the code that it was made of: when the book changes that code, the edit is shown below.
function showLeft({ name, store, cells }) {
  const left = store.tasks.filter((task) => task.startsWith(name) && !cells.some(({ key }) => key === task)).map((task) => [task, store.get(task).text]);
  const mine = left.filter(([task, text]) => text && task !== name + print(text)).map(([, text]) => Object.assign(make("pre", "", text), { tabIndex: 0 }));
  if (!mine.length) return;
  const fold = make("details", "live-left");
  fold.append(make("summary", "", "Code that you changed on this page, and that the book no longer has"), ...mine);
  document.querySelector(".bd-article section").append(fold);
}

function begin() {
  const told = document.getElementById("live-page");
  if (!told || location.protocol === "file:") return;
  const { cells: sources, open, path, python: needed } = JSON.parse(told.textContent);
  const elements = [...document.querySelectorAll(".bd-article div.cell")].filter((cell) => cell.querySelector(".cell_input pre"));
  if (sources.filter((source) => !source.hidden).length !== elements.length) return;
  const page = { open, cells: [], name: `in ${path} `, store: new Store(new URL(book).pathname, { room: false }).attend() };
  takeOver(page, path);
  for (const source of sources) page.cells.push(new Cell(source, page, source.hidden ? null : elements[page.cells.filter((cell) => !cell.hidden).length]));
  document.documentElement.dataset.live = String(elements.length);
  document.querySelector(".live-absent")?.remove(); // it came late
  page.store.addEventListener("elsewhere", ({ task }) => page.cells.find(({ key }) => key === task)?.follows());
  showLeft(page);
  const seen = page.cells.filter((cell) => !cell.hidden);
  foretell(seen.find((cell) => cell.bar.checkVisibility?.()) ?? seen[0], needed).catch(() => {}); // private windows may refuse
}

begin();
