// What a student wrote, kept in this browser: no letter of it is lost without a word.
//
// Each page that writes keeps a log of its own for each task, in localStorage and with each key, before the next key can come. A page writes
// no log but its own, so that no tab can write over another; and a log is put whole or not at all, so that none is half there. The
// answer is the newest text of all logs of a task; two that did not know of each other are both kept, and the page asks.
//
// Where there is no room, or none is given, `state` says so, and `unsaved` whether a letter is in danger; what could not be put is
// tried again with whatever comes next. The rule that is tested (tests/tasks/losses.mjs): each text that ever stood in a field is,
// letter by letter, within a kept version.

const FORMAT = 1;
const EVERY = 10_000; // ms until what could not be kept is tried again
const ROOM = "x".repeat(1 << 15); // held for the day when others on this host have filled the rest
const GROWS = ["points", "hints"];

// Whether `long` is `short` with one piece put in: then `short` is kept with it.
function holds(long, short) {
  let head = 0, tail = 0;
  while (head < short.length && long[head] === short[head]) head += 1;
  while (tail < short.length - head && long.at(-1 - tail) === short.at(-1 - tail)) tail += 1;
  return head + tail >= short.length && long.length >= short.length;
}

// An older text, as what differs from the one that came after it.
function less(text, next) {
  let head = 0, tail = 0;
  const most = Math.min(text.length, next.length);
  while (head < most && text[head] === next[head]) head += 1;
  while (tail < most - head && text.at(-1 - tail) === next.at(-1 - tail)) tail += 1;
  return [head, tail, text.slice(head, text.length - tail)];
}

const whole = ([head, tail, middle], next) => next.slice(0, head) + middle + next.slice(next.length - tail);

// All texts of a log, the newest first.
function texts({ now, old }) {
  const found = now ? [now] : [];
  for (const { part, ...known } of [...old].reverse()) found.push({ ...known, text: whole(part, found.at(-1).text) });
  return found;
}

// The tries at a task are those that Python noted last (explain/tries.py).
export const tried = (noted) => (noted ? noted.wrong.length + noted.right : 0);

// A short name of a text, by which one sees that it has changed.
export const print = (text) => [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.codePointAt(0)) >>> 0, 7).toString(36);

// What the pages of this book kept until November 2026: by the number of a cell, of whatever book stood on this host.
export function olderCells(page, storage) {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((key) => key?.startsWith(`ndcg:cell:${page}:`));
  return keys.flatMap((key) => {
    try {
      const { of, now, other } = JSON.parse(storage.getItem(key));
      return [other, now].filter((code) => code && code !== of).map((code) => ({ of, code }));
    } catch {
      return []; // not ours
    }
  });
}

export class Store extends EventTarget {
  state = "kept"; // or "full", "refused": what the browser does with what is written now
  #logs = new Map(); // by key: { task, tab, rev, saw, now, old, notes }
  #put = new Map(); // by key, what the browser has of it
  #lost = new Set(); // the keys of what it could not take

  // `book` is the address of the book: two of them on one host never meet.
  // On a page where little is written no room is held for it.
  constructor(book, { room = true, storage = () => localStorage, clock = Date.now, tab = Math.random().toString(36).slice(2, 12) } = {}) {
    super();
    Object.assign(this, { room, storage, clock, tab, name: `ndcg:work ${encodeURIComponent(book)} ` });
    this.#read();
    this.#ask();
  }

  // Lives with its page: hears the other tabs, asks before a letter is left behind, and tries again.
  attend() {
    document.addEventListener("ndcg-forget", () => [this.#logs, this.#put, this.#lost].forEach((known) => known.clear()));
    addEventListener("storage", ({ key, newValue }) => this.heard(key, newValue));
    addEventListener("beforeunload", (event) => this.unsaved && event.preventDefault());
    for (const kind of ["pagehide", "pageshow"]) addEventListener(kind, () => this.again());
    setInterval(() => this.unsaved && this.again(), EVERY);
    return this;
  }

  get unsaved() {
    return this.#lost.size > 0;
  }

  get tasks() {
    return [...new Set([...this.#logs.values()].filter(({ now }) => now).map(({ task }) => task))];
  }

  // The answer to a task, or to one of the names that it had before.
  get(task, was = []) {
    const name = [task, ...was].find((one) => this.#of(one).some(({ now }) => now)) ?? task;
    const logs = this.#of(name), [first, rival] = this.#leaves(logs), noted = this.#of(task, was).map(({ notes }) => notes).sort((a, b) => a.at - b.at);
    const head = { text: null, form: "", of: "", at: 0, ...first?.now, rival: rival?.now, noted: null, hints: 0, points: 0 };
    for (const notes of noted) {
      const grown = Object.fromEntries(GROWS.map((one) => [one, Math.max(head[one], notes[one] ?? 0)]));
      Object.assign(head, notes, grown, { first: head.first ?? notes.first, at: head.at });
    }
    return head;
  }

  // Everything that ever stood there and is not the answer now, the newest first.
  versions(task, was = []) {
    const { text } = this.get(task, was), seen = new Set([text, ""]);
    const all = this.#of(task, was).flatMap(texts).sort((a, b) => b.at - a.at);
    return all.filter((version) => !seen.has(version.text) && seen.add(version.text));
  }

  // The text of a task now. `form` says what kind of field it stood in, `of` which state of the task it answers.
  write(task, text, { of = "", form = "", typed = true, was = [] } = {}) {
    const before = this.get(task, was), log = this.#mine(task), last = log.now;
    if (before.text === text && before.of === of && before.form === form && !before.rival) return;
    const sealed = log.old.length ? { ...log.old.at(-1), text: whole(log.old.at(-1).part, last.text) } : null;
    const goesOn = typed && last && last.of === of && last.form === form && (holds(text, last.text) || (sealed?.form === form && holds(sealed.text, last.text)));
    const version = { text, form, of, at: this.clock() };
    if (goesOn && log.old.length) log.old.push({ ...log.old.pop(), part: less(sealed.text, text) });
    else if (last && !goesOn) log.old.push({ form: last.form, of: last.of, at: last.at, part: less(last.text, text) });
    const revs = this.#of(task, was).map(({ rev }) => rev);
    Object.assign(log, { now: version, saw: Math.max(0, ...revs), rev: Math.max(0, ...revs) + 1 });
    this.#keep(task);
  }

  // News of a task that are no text. Points and hints only grow; the first answer stays.
  note(task, news) {
    const { notes } = this.#mine(task), grown = GROWS.filter((one) => one in news).map((one) => [one, Math.max(notes[one] ?? 0, news[one])]);
    const first = this.get(task).first ?? news.first;
    Object.assign(notes, news, Object.fromEntries(grown), { at: this.clock() }, first !== undefined && { first });
    this.#keep(task);
  }

  // What could not be put is tried again; what somebody has cleared is put back, as long as this page knows it: what another page
  // wrote under a name of its own, since that page may be writing.
  again() {
    this.#read();
    for (const [key, log] of [...this.#logs]) {
      if (!this.#lost.has(key) && this.#there(key) !== null) continue;
      if (log.tab.endsWith(this.tab)) this.#write(key);
      else this.#logs.delete(key) && this.#write(this.#add({ ...log, tab: `${log.tab}~${this.tab}` }));
    }
    return this.#lost.size ? this.#say() : this.#ask();
  }

  // Another page of this browser has written, or cleared, a key.
  heard(key, value) {
    if (key === null || (value === null && this.#put.has(key))) return this.again();
    const log = key.startsWith(this.name) && value ? this.#parsed(key, value) : null;
    if (!log || log.tab === this.tab) return undefined;
    this.#logs.set(key, log);
    return this.#tell("elsewhere", log.task);
  }

  #of(...names) {
    const wanted = names.flat();
    return [...this.#logs.values()].filter(({ task }) => wanted.includes(task));
  }

  // The newest text first; then one that was written without knowledge of it.
  #leaves(logs) {
    const written = logs.filter(({ now }) => now).sort((a, b) => b.rev - a.rev || b.now.at - a.now.at || (a.tab < b.tab ? 1 : -1));
    const [first] = written;
    return [first, written.find(({ now, ...log }) => !holds(first.now.text, now.text) && !written.some(({ tab, saw }) => tab !== log.tab && saw >= log.rev))];
  }

  #mine(task) {
    const key = this.#key({ task, tab: this.tab });
    if (!this.#logs.has(key)) this.#add({ format: FORMAT, task, tab: this.tab, rev: 0, saw: 0, now: null, old: [], notes: { at: 0 } });
    return this.#logs.get(key);
  }

  #key({ task, tab }) {
    return `${this.name}${encodeURIComponent(task)} ${tab}`;
  }

  #add(log) {
    this.#logs.set(this.#key(log), log);
    return this.#key(log);
  }

  #keep(task) {
    const key = this.#key({ task, tab: this.tab });
    const cleared = this.#put.has(key) && this.#there(key) === null;
    this.#write(key);
    if (cleared || (this.#lost.size && !this.#lost.has(key))) this.again();
    this.#say();
  }

  #write(key) {
    const text = JSON.stringify(this.#logs.get(key));
    for (const room of [false, true]) {
      try {
        if (room) this.storage().removeItem(`${this.name}room`);
        this.storage().setItem(key, text);
        this.#put.set(key, text);
        return this.#lost.delete(key);
      } catch (error) {
        this.why = error;
      }
    }
    return this.#lost.add(key);
  }

  #there(key) {
    try {
      return this.storage().getItem(key);
    } catch {
      return null;
    }
  }

  #read() {
    let keys = [];
    try {
      const storage = this.storage();
      keys = Array.from({ length: storage.length }, (_, i) => storage.key(i)).filter((key) => key?.startsWith(this.name));
    } catch (error) {
      this.why = error;
    }
    for (const key of keys) {
      const text = this.#there(key), log = text && this.#parsed(key, text);
      if (!log || log.tab === this.tab) continue; // what a newer book has written is left as it is
      this.#logs.set(key, log);
      this.#put.set(key, text);
    }
  }

  #parsed(key, text) {
    try {
      const log = JSON.parse(text);
      return log.format === FORMAT && texts(log).every((one) => typeof one.text === "string") ? log : null;
    } catch {
      return null;
    }
  }

  // Whether this browser keeps anything at all is known before the first key.
  #ask() {
    if (!this.room) return this.#say();
    try {
      this.storage().setItem(`${this.name}room`, ROOM);
    } catch (error) {
      this.why = error;
      try {
        this.storage().setItem(`${this.name}room`, "");
      } catch {
        return this.#say(true);
      }
    }
    return this.#say();
  }

  #say(nothing = false) {
    const state = !this.#lost.size && !nothing ? "kept" : /quota/i.test(`${this.why?.name} ${this.why?.message}`) ? "full" : "refused";
    if (state === this.state) return;
    this.state = state;
    this.#tell("state");
  }

  #tell(kind, task = null) {
    this.dispatchEvent(Object.assign(new Event(kind), { task }));
  }
}
