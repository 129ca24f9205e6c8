// The page that grades a class: it makes workers, moves lines, keeps what is done on this device, and shows what came of it.
// The clerk and the judge are office.mjs, a student's worker is student.mjs in a frame of frame.mjs.
const here = (name) => new URL(name, import.meta.url);
export const NAME = "ndcg-grade"; // of the lock and of what is kept
const SLOTS = Math.max(1, Math.min(2, navigator.hardwareConcurrency ?? 1));
const PAGES = (640 << 20) / 65536; // of memory that a student's Python may have
const LATE = 90_000; // milliseconds in which a judge answers; one that computes for longer is replaced
const PATIENCE = 120_000;
const TRIES = 2;

// ---- what is kept on this device

const opened = (mode, work) =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      const change = asked.result.transaction("kept", mode);
      const told = work(change.objectStore("kept"));
      change.oncomplete = () => resolve(told?.result, asked.result.close());
      change.onerror = change.onabort = () => reject(change.error, asked.result.close());
    };
  });
export const keep = (name, value) => opened("readwrite", (store) => store.put(value, name)).catch(() => {});
export const kept = (name) => opened("readonly", (store) => store.get(name)).catch(() => undefined);
export const keptLike = (start) => opened("readonly", (store) => store.getAll(IDBKeyRange.bound(start, `${start}\uffff`))).catch(() => []);
export const forget = (start = "") => opened("readwrite", (store) => store.delete(IDBKeyRange.bound(start, `${start}\uffff`))).catch(() => {});

// ---- workers

class Office {
  #waiting = new Map();
  #last = 0;
  constructor(hear = () => {}) {
    this.worker = new Worker(here("office.mjs"), { type: "module" });
    this.worker.onmessage = ({ data }) => {
      const job = this.#waiting.get(data.id);
      if (!job) return hear(data, this);
      this.#waiting.delete(data.id);
      if ("error" in data) job.reject(new Error(data.error));
      else job.resolve(data.result);
    };
    this.worker.onerror = (event) => this.end(event.message);
  }
  call(kind, given = {}, moved = []) {
    return new Promise((resolve, reject) => {
      this.#waiting.set((this.#last += 1), { resolve, reject });
      this.worker.postMessage({ ...given, kind, id: this.#last }, moved);
    });
  }
  end(why = "ended") {
    this.worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(Object.assign(new Error(why), { name: "Gone" }));
    this.#waiting.clear();
  }
}

// A frame has no origin of its own to keep anything under, and its policy, which its workers have too, no way out.
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob:";

export class Frame {
  #waiting = new Map();
  #last = 0;
  constructor(text, begin) {
    this.place = Object.assign(document.createElement("iframe"), { hidden: true, title: "Students' notebooks run here" });
    this.place.setAttribute("sandbox", "allow-scripts");
    this.place.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${POLICY}"><script type="module">${text}</script>`;
    this.hear = ({ data, source, ports }) => {
      if (source !== this.place.contentWindow) return;
      this.#waiting.get(data.id)?.({ ...data, port: ports[0] });
      this.#waiting.delete(data.id);
    };
    addEventListener("message", this.hear);
    this.ready = new Promise((resolve) => this.#waiting.set(0, resolve)).then(() => this.ask("begin", begin, 5 * PATIENCE));
    document.body.append(this.place);
  }
  ask(kind, given, patience = PATIENCE) {
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("a frame does not answer")), patience);
      this.#waiting.set(id, (told) => (clearTimeout(late), told.broken ? reject(new Error(told.broken)) : resolve({ ...told, id })));
      this.place.contentWindow.postMessage({ ...given, kind, id }, "*");
    });
  }
  end() {
    removeEventListener("message", this.hear);
    this.place.remove();
  }
}

async function bytes(name, how) {
  const address = new URL(name, base).href;
  const answer = (await globalThis.caches?.match(address).catch(() => undefined)) ?? (await fetch(address));
  if (!answer.ok) throw new Error(`the site has no ${name}`);
  return answer[how ?? "arrayBuffer"]();
}

const base = new URL("../pyodide/", import.meta.url).href;

export class Class {
  // show({at, done, names}) is called as it goes on.
  constructor(show = () => {}) {
    this.show = show;
    this.frames = [];
    this.stopped = false;
  }

  async open() {
    this.how = await (await fetch(here("runtime.json"))).json();
    this.clerk = new Office();
    [this.files] = await Promise.all([this.clerk.call("start", { base, lock: this.how.lock }), (this.judging = this.#judges())]);
  }

  ask = (name, ...given) => this.clerk.call("clerk", { name, given });

  async #judges() {
    const hear = async (data, office) => {
      if (data.kind === "at") this.at[data.slot] = data.task;
      else if (data.kind === "end") this.frames[data.slot]?.ask("end", { worker: data.worker }).catch(() => {});
      else if (data.kind === "fork") {
        const told = await this.#fork(data).catch(() => ({}));
        office.worker.postMessage({ kind: "answer", id: data.ask, worker: told.id }, told.port ? [told.port] : []);
      }
    };
    const judge = new Office(hear);
    await judge.call("start", { base, lock: this.how.lock });
    return judge;
  }

  async #begin() {
    const [text, source, scripts, packed, stdlib, lock] = await Promise.all([
      fetch(here("frame.mjs")).then((answer) => answer.text()),
      fetch(here("student.mjs")).then((answer) => answer.text()),
      Promise.all([bytes("pyodide.mjs", "text"), bytes("pyodide.asm.mjs", "text")]),
      bytes("pyodide.asm.wasm.packed"),
      bytes("python_stdlib.zip"),
      bytes(this.how.lock, "text"),
    ]);
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const wasm = await new Response(unpacked).arrayBuffer();
    const packages = JSON.parse(lock).packages;
    const numpy = packages.numpy.file_name;
    const held = { "python_stdlib.zip": stdlib, [numpy]: await bytes(numpy) };
    this.text = text;
    this.given = { source, wasm, pages: PAGES, given: { scripts, held, lock, files: this.files } };
  }

  async #frame(slot) {
    this.frames[slot]?.end();
    this.frames[slot] = new Frame(this.text, this.given);
    this.given.snapshot ??= (await this.frames[slot].ready).snapshot; // Python begins once, for all frames
    await this.frames[slot].ready;
  }

  // IPython, for a notebook that has lines for it: the wheels of the site's notebooks.
  async #magics() {
    const own = JSON.parse(this.given.given.lock);
    const how = await fetch(new URL("offline.json", new URL("../../", base))).then((answer) => answer.json()).catch(() => ({}));
    const shelves = (await globalThis.caches?.keys().catch(() => [])) ?? []; // without a network, what is kept says its name
    const held_here = await Promise.all(shelves.map(async (shelf) => (await (await caches.open(shelf)).keys()).map(({ url }) => url)));
    const name = [...Object.keys(how.jupyter?.files ?? {}), ...held_here.flat()].find((file) => /pyodide-lock-lite-/.test(file))?.split("/").pop();
    if (!name) return { lock: this.given.given.lock, held: {} };
    const { packages } = JSON.parse(await bytes(name, "text"));
    const wanted = [], todo = ["ipython"];
    while (todo.length) {
      const one = todo.pop();
      if (wanted.includes(one)) continue;
      wanted.push(one);
      todo.push(...packages[one].depends);
    }
    const held = {};
    for (const one of wanted) {
      own.packages[one] = packages[one];
      held[packages[one].file_name] = await bytes(packages[one].file_name);
    }
    return { lock: JSON.stringify(own), held };
  }

  async #fork({ slot, magics, many }) {
    const begun = async () => {
      const frame = this.frames[slot];
      if (magics && !frame.magics) {
        await frame.ask("more", await (this.magics ??= this.#magics()));
        frame.magics = true;
      }
      return frame.ask("fork", { magics, many });
    };
    return begun().catch(() => this.#frame(slot).then(begun)); // it died with what ran in it
  }

  // Marks what is not marked yet; `known` are results as text. Gives true when all is done, false where it was stopped.
  async mark(given, known, keepResult, begun = () => {}) {
    this.at = [];
    const { jobs, settings } = JSON.parse(await this.ask("begin", JSON.stringify(given)));
    await begun(); // with the seed, from which the inputs are drawn
    const before = new Map(known.map((text) => [JSON.parse(text), text]).map(([one, text]) => [JSON.stringify([one.student, one.file, one.attempt]), text]));
    const todo = [];
    for (const [number, job] of jobs.entries()) {
      const text = before.get(JSON.stringify([job.student, job.file, job.attempt]));
      if (!text || !(await this.ask("keep", text))) todo.push({ number, job, tries: 0, lost: [] });
    }
    const total = jobs.length;
    let done = total - todo.length;
    const names = new Map();
    const tell = () => this.show({ done, total, names: [...names.values()] });
    tell();
    if (!todo.length) return true; // the judge has nothing to do, and ends with the page
    await this.#begin();
    for (let slot = 0; slot < SLOTS; slot += 1) await this.#frame(slot);
    const done_with = async (text, task) => {
      await this.ask("keep", text);
      await keepResult(text, task.number);
      done += 1;
    };
    const alone = []; // whoever was there when a judge ended
    const judged = async (task, number, data) => {
      const judge = await this.judging;
      this.at[number] = "";
      const watch = setInterval(async () => {
        const late = setTimeout(() => judge.end("late"), LATE);
        await judge.call("ping").catch(() => {});
        clearTimeout(late);
      }, 10_000);
      try {
        return await judge.call("judge", { slot: number, job: JSON.stringify(task.job), settings: JSON.stringify(settings), data, lost: JSON.stringify(task.lost) });
      } catch (error) {
        if (this.stopped) return null;
        if ((await this.judging) === judge) this.judging = this.#judges();
        await this.#frame(number);
        task.tries += 1;
        if (this.at[number] && !task.lost.includes(this.at[number]) && task.tries >= TRIES) task.lost.push(this.at[number]);
        if (task.tries > TRIES + task.lost.length) return this.ask("failed", task.number, `the judge ended (${error.message})`);
        alone.push(task);
        return null;
      } finally {
        clearInterval(watch);
      }
    };
    const slot = async (number) => {
      while (todo.length && !this.stopped) {
        const task = todo.shift();
        names.set(number, task.job.student);
        tell();
        const data = await this.ask("notebook", task.number);
        const text = typeof data === "string" ? data : await judged(task, number, data);
        if (text !== null && !this.stopped) await done_with(text, task);
        names.delete(number);
        tell();
      }
    };
    this.halt = () => {
      this.stopped = true;
      this.judging.then((judge) => judge.end("stopped"));
    };
    await Promise.all([...Array(SLOTS).keys()].map(slot));
    for (; alone.length && !this.stopped; await slot(0)) todo.push(...alone.splice(0));
    (await this.judging).end();
    for (const frame of this.frames.splice(0)) frame.end();
    return !this.stopped;
  }

  finish(given) {
    return this.ask("finish", JSON.stringify(given)).then(JSON.parse);
  }

  close() {
    this.judging?.then((judge) => judge.end(), () => {});
    this.clerk?.end();
    for (const frame of this.frames.splice(0)) frame.end();
  }
}
