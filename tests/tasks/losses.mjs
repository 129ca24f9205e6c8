// node losses.mjs FOLDER SEED RUNS: a student writes, the browser fails, the teacher republishes; and not a letter is lost.
//
// FOLDER holds store.mjs and answers.mjs. A model of a browser's storage breaks in each way there is, while one or two tabs write
// with drawn edits, before and after a change of the assignment. Each text that ever stood in a field is remembered here; at the
// end a new page is asked for all that it would show, and each remembered text must be within one of these, letter by letter and in order.
// Where the browser had no room to the end, that must have been said, and the notebook made in the page must hold the last texts.
// Prints a table as JSON: [change, fault, tabs, runs, characters typed, lost, said].
import { pathToFileURL } from "node:url";

const [folder, seed = "1", runs = "1", whole = ""] = process.argv.slice(2);
const { Store } = await import(pathToFileURL(`${folder}/store.mjs`));
const { fromSource, inField, notebookOf, readNotebook, toSource } = await import(pathToFileURL(`${folder}/answers.mjs`));

let state = 1;
const random = () => ((state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0) / 2 ** 32);
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const inOrder = (long, short) => {
  let at = 0;
  for (let i = 0; i < short.length; i += 1) if ((at = long.indexOf(short[i], at) + 1) === 0) return false; // half a 😀 is a letter, too
  return true;
};

// ---- a browser's storage, as it can be ----

class Browser {
  data = new Map();
  tabs = new Set(); // stores that are open, with what they have not heard yet
  quota = Infinity;
  refused = false;

  storage(of) {
    if (this.refused) throw Object.assign(new Error("The operation is insecure."), { name: "SecurityError" });
    const { data } = this, told = (key, value) => this.tabs.forEach((tab) => tab !== of && tab.news.push([key, value]));
    return {
      get length() { return data.size; },
      key: (i) => [...data.keys()][i] ?? null,
      getItem: (key) => data.get(key) ?? null,
      removeItem: (key) => data.delete(key) && told(key, null),
      setItem: (key, value) => {
        const size = [...data].reduce((sum, [k, v]) => sum + k.length + v.length, 0) - (data.has(key) ? key.length + data.get(key).length : 0);
        if (size + key.length + value.length > this.quota) throw Object.assign(new Error("exceeded the quota"), { name: "QuotaExceededError" });
        data.set(key, value);
        told(key, value);
      },
    };
  }

  open(book, assignment) {
    const tab = { news: [], assignment, said: false };
    tab.store = new Store(book, { storage: () => this.storage(tab), clock: () => (this.time = (this.time ?? 0) + 1), tab: `t${(this.count = (this.count ?? 0) + 1)}` });
    tab.store.addEventListener("state", () => { tab.said ||= tab.store.state !== "kept"; });
    tab.said = tab.store.state !== "kept";
    this.tabs.add(tab);
    return tab;
  }

  hear(tab) {
    for (const [key, value] of tab.news.splice(0)) tab.store.heard(key, value);
  }
}

// ---- an assignment, and what a teacher may do to it ----

const published = (changed = "nothing") => {
  const tasks = [
    { id: "by_hand", widget: "number", given: "", starter: "by_hand = ...", beside: "the term of rank 2", term: 2 },
    { id: "by_steps", widget: "number", given: "", starter: "by_steps = ...", beside: "the sum", term: 0 },
    { id: "ndcg_at", widget: "code", given: "from math import log2", starter: "def ndcg_at(grades, k=None):\n    # your code here\n    return ..." },
    { id: "cg_at", widget: "code", given: "", starter: "def cg_at(grades, k=None):\n    # your code here\n    return ..." },
    { id: "bet", widget: "choice", given: "", starter: "bet = ...", options: ["rises", "falls", "stays"] },
    { id: "cards", widget: "cards", given: "", starter: "cards = ..." },
    { id: "why", widget: "words", given: "", starter: 'why = r"""\n...\n"""' },
  ].map((task) => ({ was: [], of: `of ${task.id}`, cell: `answer-${task.id.replaceAll("_", "-")}`, options: [], ...task }));
  const made = { tasks, cells: [] };
  CHANGES[changed](made);
  const cells = [{ cell_type: "markdown", id: "text", metadata: {}, source: "# Title" }, { cell_type: "code", id: "start", metadata: {}, source: 'from x import check\nstudent_id = "demo"' }];
  for (const task of tasks) {
    cells.push({ cell_type: "markdown", id: `text-${task.id}`, metadata: {}, source: `## ${task.id}` });
    cells.push({ cell_type: "code", id: task.cell, metadata: { nbgrader: { grade_id: `answer_${task.id}` } }, source: toSource(task, { text: null }) });
  }
  cells.splice(2, 0, ...made.cells);
  return { tasks, notebook: { cells, metadata: {}, nbformat: 4, nbformat_minor: 5 } };
};

const change = (id, news) => (a) => Object.assign(a.tasks.find((task) => task.id === id), { of: `${id} ${Object.keys(news)} changed` }, news);
const renamed = (from, to, alias) => (a) => change(from, { id: to, cell: `answer-${to}`, was: alias ? [from] : [] })(a);
const CHANGES = {
  "nothing": () => {},
  "a comment in a cell": change("ndcg_at", { starter: "def ndcg_at(grades, k=None):\n    # your code goes here\n    return ..." }),
  "a comment in a cell with dots": change("by_hand", { starter: "# three decimals\nby_hand = ..." }),
  "a docstring": change("cg_at", { starter: 'def cg_at(grades, k=None):\n    """New."""\n    # your code here\n    return ...' }),
  "given code": change("ndcg_at", { given: "from math import log2 as log" }),
  "given code comes": change("cg_at", { given: "import math" }),
  "given code goes": change("ndcg_at", { given: "" }),
  "the question": change("why", { question: "Why not?" }),
  "the points": change("by_hand", { points: 9 }),
  "the data": change("by_hand", { data: [1, 2] }),
  "the hints": change("bet", { hints: ["a", "b", "c"] }),
  "a task inserted first": (a) => a.tasks.unshift({ ...a.tasks[0], id: "new_one", of: "new", cell: "answer-new-one" }),
  "a cell inserted": (a) => a.cells.push({ cell_type: "code", id: "more", metadata: {}, source: "1 + 1" }),
  "a task removed": (a) => a.tasks.splice(1, 1),
  "all tasks removed but one": (a) => a.tasks.splice(1),
  "tasks in another order": (a) => a.tasks.reverse(),
  "a task moved to the end": (a) => a.tasks.push(...a.tasks.splice(0, 1)),
  "a task renamed with an alias": renamed("cg_at", "cg", true),
  "a task renamed, no alias": renamed("cg_at", "cg", false),
  "two tasks exchange their names": (a) => { renamed("cg_at", "x", true)(a); renamed("ndcg_at", "cg_at", true)(a); a.tasks.find(({ id }) => id === "x").id = "ndcg_at"; },
  "renamed to an old name": renamed("why", "by_hand_words", true),
  "a number becomes a choice": change("by_hand", { widget: "choice", options: ["1", "2"] }),
  "a choice becomes words": change("bet", { widget: "words", starter: 'bet = r"""\n...\n"""' }),
  "words become code": change("why", { widget: "code", starter: "def why():\n    return ..." }),
  "code becomes a number": change("cg_at", { widget: "number", starter: "cg_at = ..." }),
  "cards become code": change("cards", { widget: "code", starter: "cards = [...]" }),
  "an option goes": change("bet", { options: ["falls", "stays"] }),
  "options are renamed": change("bet", { options: ["up", "down", "same"] }),
};

const full = (at) => (browser) => { browser.quota = [...browser.data].reduce((sum, [k, v]) => sum + k.length + v.length, 0) + at; };
const FAULTS = {
  "fine": () => {},
  "full": (browser) => full(pick([0, 0, 1, 17, 200, 1000]))(browser),
  "full, then room": (browser, step) => (step % 2 ? (browser.quota = Infinity) : full(below(300))(browser)),
  "refused": (browser) => { browser.refused = true; },
  "refused now and then": (browser, step) => { browser.refused = step % 2 === 0; },
  "cleared by another tab": (browser) => { browser.data.clear(); browser.tabs.forEach((tab) => tab.news.push([null, null])); },
  "some keys gone, unheard": (browser) => [...browser.data.keys()].filter(() => random() < 0.5).forEach((key) => browser.tabs.size && browser.data.delete(key)),
};

// ---- a student ----

const WORDS = ["0.7", "grades[:k]", " return", "\n    ", "sum(", "no", "ü", "😀", "\\", '"', "'''", '"""', "1", "x = 5"];
function edited(text) {
  const at = below(text.length + 1), to = Math.min(text.length, at + below(4));
  return pick([() => text.slice(0, at) + pick(WORDS) + text.slice(at), () => text + pick(WORDS), () => text.slice(0, at) + text.slice(to), () => text.slice(0, -1), () => text.slice(0, at) + pick(WORDS) + text.slice(to), () => (random() < 0.2 ? "" : text), () => (random() < 0.2 ? pick(WORDS) : text)])();
}

const PAIRS = ["1 · 1.9 → 4.25", " · 2,5 → 4,25", "1.9 → 4.25", "x · y → 3", " → 3", "1.9 → ", "[1.9, 4.25]", "1.9  # 2 → 4.25"];
const shown = (tab, task) => inField(task, tab.store.get(task.id, task.was)).text;
function write(tab, seen, typed) {
  const task = pick(tab.assignment.tasks), before = shown(tab, task), { form } = inField(task, tab.store.get(task.id, task.was));
  const ways = { choice: () => pick(task.options), cards: () => JSON.stringify(Array.from({ length: below(6) }, () => below(4))), number: () => (random() < 0.5 ? pick(PAIRS) : edited(before).replaceAll("\n", "")) };
  const text = (ways[form] ?? (() => edited(before)))();
  if (text === before) return;
  typed.count += Math.max(1, text.length - before.length);
  tab.store.write(task.id, text, { of: task.of, form, was: task.was, typed: random() < 0.9 });
  seen.push([task.id, text]);
  tab.last = new Map([...(tab.last ?? []), [task.id, text]]);
}

// All that a page shows: the answer and the versions of each task, and of tasks that are no longer there.
function kept(tab) {
  const names = new Set([...tab.assignment.tasks.map(({ id }) => id), ...tab.store.tasks]);
  return [...names].flatMap((id) => {
    const was = tab.assignment.tasks.find((task) => task.id === id)?.was ?? [];
    return [tab.store.get(id, was).text ?? "", tab.store.get(id, was).rival?.text ?? "", ...tab.store.versions(id, was).map(({ text }) => text)];
  });
}

function run(changed, fault, tabs) {
  const browser = new Browser(), seen = [], typed = { count: 0 }, other = new Browser();
  browser.open("https://host/other/", published()).store.write("by_hand", "of another book"); // on the same host
  browser.tabs.clear();
  let open = Array.from({ length: tabs }, () => browser.open("https://host/book/", published()));
  let said = 0, republished = false;
  for (let step = 0; step < 12; step += 1) {
    for (let i = below(8); i >= 0; i -= 1) write(pick(open), seen, typed);
    if (random() < 0.7) open.forEach((tab) => browser.hear(tab));
    if (step >= 3 && step !== 11) FAULTS[fault](browser, step);
    if (random() < 0.3) open.forEach((tab) => { browser.hear(tab); tab.store.again(); }); // as its clock and its leaving make it
    const at = below(open.length), [tab] = open.slice(at);
    if (step === 6 || random() < 0.2) { // the page is closed or dies, a new one opens; at last with the republished assignment
      republished ||= step >= 6;
      if (!tab.store.unsaved && fault.startsWith("some")) tab.store.again();
      if (fault.startsWith("cleared")) open.forEach((one) => browser.hear(one));
      if (tab.store.unsaved) said += tellsAndSaves(tab, seen, other);
      browser.tabs.delete(tab);
      open[at] = browser.open("https://host/book/", published(republished ? changed : "nothing"));
    }
  }
  for (const tab of open) {
    browser.hear(tab);
    tab.store.again();
    if (tab.store.unsaved) said += tellsAndSaves(tab, seen, other);
  }
  browser.tabs.clear();
  browser.quota = Infinity;
  browser.refused = false;
  const last = browser.open("https://host/book/", published(changed));
  const there = [...kept(last), ...(other.texts ?? [])];
  if (there.includes("of another book")) throw new Error("two books on one host have met");
  const lost = seen.filter(([, text]) => !there.some((long) => inOrder(long, text)));
  return { typed: typed.count, lost: lost.reduce((sum, [, text]) => sum + text.length, 0), said };
}

// A page that cannot keep what it has must have said so; its notebook holds the answers, here and on another machine.
function tellsAndSaves(tab, seen, other) {
  if (!tab.said || tab.store.state === "kept") throw new Error("what cannot be kept is not said");
  const answers = (task) => tab.store.get(task.id, task.was), saved = notebookOf(tab.assignment, answers, "demo");
  const found = readNotebook(saved, tab.assignment).answers;
  for (const task of tab.assignment.tasks) {
    const mine = inField(task, answers(task)), theirs = inField(task, { text: null, ...found.get(task) });
    const there = !mine.text || answers(task).form !== mine.form || theirs.text === mine.text || (theirs.form === "source" && theirs.text.includes(mine.text));
    if (!there) throw new Error(`${task.id} is not in the notebook: ${JSON.stringify([mine, theirs])}`);
  }
  (other.texts ??= []).push(...kept(tab)); // earlier versions of a page that nothing can keep go with it, as it says
  return 1;
}

const table = [];
for (const changed of Object.keys(CHANGES)) for (const fault of Object.keys(FAULTS)) for (const tabs of [1, 2]) {
  const sum = { typed: 0, lost: 0, said: 0 };
  for (let i = 0; i < Number(runs); i += 1) {
    state = (Number(seed) * 7919 + i * 104729 + table.length * 31) >>> 0;
    const { typed, lost, said } = run(changed, fault, tabs);
    Object.assign(sum, { typed: sum.typed + typed, lost: sum.lost + lost, said: sum.said + said });
  }
  table.push([changed, fault, tabs, Number(runs), sum.typed, sum.lost, sum.said]);
}

// ---- what is asked, and what is left alone ----

const must = (is, what) => { if (!is) throw new Error(what); };
const CASES = {
  "a term stands beside the answer in the notebook, and comes back": () => {
    const [sum, steps] = published().tasks, at = (task, text) => toSource(task, { text, form: "number" }).split("  #")[0].split(" = ")[1];
    must(at(sum, "1 · 1.9 → 4.25") === "[1.9, 4.25]" && at(sum, "1 ·  → 4.25") === "4.25" && at(sum, "4,25") === "4.25", "the term of rank 2");
    must(toSource(steps, { text: "1.9 → 4.25", form: "number" }) === "by_steps = [1.9, 4.25]" && at(steps, " → 4.25") === "4.25" && at(steps, "1.9 → ") === "...", "the step");
    for (const task of [sum, steps]) for (const text of PAIRS) {
      const back = fromSource(task, toSource(task, { text, form: "number" }));
      must(back.form === "number" && back.text === text, `${text} came back as ${back.text}`);
    }
  },
  "two that wrote at once are asked about, until one is chosen": (browser) => {
    const [one, two] = [browser.open("b", published()), browser.open("b", published())];
    one.store.write("why", "mine");
    two.store.write("why", "yours");
    [one, two].forEach((tab) => browser.hear(tab));
    const seen = one.store.get("why");
    must([seen.text, seen.rival?.text].sort().join() === "mine,yours", "nobody is asked");
    one.store.write("why", "mine", { typed: false });
    browser.hear(two);
    must(!one.store.get("why").rival && two.store.get("why").text === "mine" && !two.store.get("why").rival, "it is asked again");
    must(two.store.versions("why").some(({ text }) => text === "yours"), "the other one is gone");
  },
  "who has seen what the other wrote is not asked": (browser) => {
    const [one, two] = [browser.open("b", published()), browser.open("b", published())];
    one.store.write("why", "mine");
    browser.hear(two);
    two.store.write("why", "other");
    browser.hear(one);
    must(one.store.get("why").text === "other" && !one.store.get("why").rival && !two.store.get("why").rival, "asked");
    must(!browser.open("b", published()).store.get("why").rival, "asked at the next start");
  },
  "another tab's words come as an event": (browser) => {
    const [one, two] = [browser.open("b", published()), browser.open("b", published())], heard = [];
    two.store.addEventListener("elsewhere", ({ task }) => heard.push(task));
    one.store.write("why", "mine");
    browser.hear(two);
    must(heard.join() === "why" && two.store.get("why").text === "mine", "not heard");
  },
  "what a newer book has written stays as it is": (browser) => {
    browser.open("b", published()).store.write("why", "mine");
    const [key] = [...browser.data.keys()].filter((name) => name.includes("why")), newer = browser.data.get(key).replace('"format":1', '"format":2,"more":[]');
    browser.data.set(key, newer);
    const tab = browser.open("b", published());
    must(tab.store.get("why").text === null, "read as if it were ours");
    tab.store.write("why", "older");
    tab.store.again();
    must(browser.data.get(key) === newer, "written over");
  },
  "others fill the rest: the held room takes the last words": (browser) => {
    const tab = browser.open("b", published());
    full(0)(browser);
    tab.store.write("why", "x".repeat(9000));
    must(!tab.store.unsaved && tab.store.state === "kept", "not kept");
    tab.store.write("why", "x".repeat(90000));
    must(tab.store.unsaved && tab.store.state === "full" && tab.said, "not said");
    browser.quota = Infinity;
    tab.store.again();
    must(!tab.store.unsaved && tab.store.state === "kept", "that there is room again is not seen");
  },
  "a browser that refuses says so before the first key": (browser) => {
    browser.refused = true;
    const tab = browser.open("b", published());
    tab.store.again();
    must(tab.store.state === "refused" && tab.said && !tab.store.unsaved, "not said");
  },
  "cleared, and one more key: all that the page knew is there": (browser) => {
    browser.open("b", published()).store.write("by_hand", "0.5");
    const tab = browser.open("b", published());
    tab.store.write("why", "mine");
    browser.data.clear();
    tab.store.write("why", "mine too");
    must(browser.open("b", published()).store.get("by_hand").text === "0.5", "gone");
  },
  "a version is sealed when the task has changed or code took the place of a field": (browser) => {
    const { store } = browser.open("b", published());
    store.write("why", "old", { of: "1", form: "words" });
    store.write("why", "older", { of: "2", form: "words" });
    store.write("why", "older!", { of: "2", form: "source" });
    store.write("why", "older!!", { of: "2", form: "source", typed: false });
    must(store.versions("why").map(({ text }) => text).join() === "older!,older,old", "not sealed");
  },
  "the clock goes back, and the newest is still the newest": (browser) => {
    browser.open("b", published()).store.write("why", "yesterday");
    browser.time = -1000;
    browser.open("b", published()).store.write("why", "today");
    must(browser.open("b", published()).store.get("why").text === "today", "the older one is shown");
  },
  "the last tries and the most points of all tabs, the first answer": (browser) => {
    const [one, two] = [browser.open("b", published()), browser.open("b", published())];
    one.store.note("bet", { noted: { wrong: ["a"], right: false }, points: 0, first: "rises", status: "wrong" });
    browser.hear(two);
    two.store.note("bet", { noted: { wrong: ["a", "b"], right: true }, points: 2, first: "falls", status: "right" });
    one.store.note("bet", { noted: { wrong: ["a"], right: true }, points: 1, status: "right" });
    const { noted, points, first, status } = browser.open("b", published()).store.get("bet"), seen = [noted.wrong.length, points, first, status].join();
    must(seen === "1,2,rises,right", seen);
  },
};
for (const act of Object.values(CASES)) act(new Browser());

// Full at any byte: one student, one text, each quota from nothing to more than enough.
let bytes = 0;
if (whole) {
  for (let quota = 0; quota < 2600; quota += 1) {
    const browser = new Browser(), text = "def ndcg_at(grades):\n    return 0.5";
    browser.quota = quota;
    const tab = browser.open("b", published());
    for (let i = 1; i <= text.length; i += 1) tab.store.write("ndcg_at", text.slice(0, i), { of: "of", form: "code" });
    tab.store.write("ndcg_at", "other", { of: "of", form: "code", typed: false });
    const { unsaved } = tab.store, room = browser.open("b", published());
    if (unsaved !== (tab.store.state !== "kept")) throw new Error(`at ${quota} bytes: ${tab.store.state}, unsaved ${unsaved}`);
    if (!unsaved && !(kept(room).includes(text) && kept(room).includes("other"))) throw new Error(`at ${quota} bytes a text is lost`);
    bytes += 1;
  }
}
console.log(JSON.stringify({ table, bytes }));
