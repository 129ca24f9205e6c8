// The one Python of a page: starts on first use, keeps the record of the exercises, can be stopped.
const RECORD = "ndcg:record";
const TOOK = "ndcg:start"; // milliseconds of the last start that fetched nothing
const REFUSED = "ndcg:keep-nothing"; // of offline.mjs
export const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
const state = document.documentElement.dataset;
const here = (name) => new URL(name, import.meta.url);

export const store = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // private windows may refuse
    }
  },
  set(name, value) {
    try {
      if (value === null) localStorage.removeItem(name);
      else localStorage.setItem(name, value);
    } catch {
      // an edit that cannot be kept still runs
    }
  },
};

const PATIENCE = 20_000; // as in worker.mjs
const STOP = 2; // what Python takes for Control+C
const OBEYS = 1_000; // milliseconds; code that has not ended by then does not look, and its Python is ended
const ASKS = 50; // milliseconds; a finalizer may take the question and lose it
const failure = ({ name, text }) => Object.assign(new Error(text), { name: name ?? "Error" });
const broke = (text) => failure({ name: "ConnectionBroke", text });

class Python extends EventTarget {
  age = 0; // how often it was started; what ran in an older one is gone
  #worker = null;
  #ready = null;
  #waiting = new Map();
  #last = 0;
  #cache = "no-cache";
  #again = ""; // a browser holds a second question for a script back while the first has no answer
  // Python can be asked to stop where memory may be shared with it; offline_worker.js sees to that, after the first page.
  // WebKitGTK says that it may, and cannot.
  #interrupt = globalThis.crossOriginIsolated && globalThis.SharedArrayBuffer ? new Uint8Array(new SharedArrayBuffer(1)) : null;

  start() {
    this.#ready ??= this.#boot().catch((error) => {
      if (error.name === "ConnectionBroke") this.#again = `?${this.age}`;
      else if (error.message !== "stopped" && navigator.onLine) this.#cache = "reload"; // a file may have been damaged on the way
      this.#end();
      throw error;
    });
    return this.#ready;
  }

  async #boot() {
    this.#tell("starting");
    state.python = "starting"; // offline.mjs leaves the line to it
    this.age += 1;
    const stopped = new Promise((resolve, reject) => {
      this.#break = () => reject(new Error("stopped"));
    });
    const begun = performance.now();
    const fetched = await Promise.race([stopped, this.#load((this.#worker = new Worker(here(`worker.mjs${this.#again}`), { type: "module" })))]);
    if (!fetched) store.set(TOOK, String(Math.round(performance.now() - begun)));
    this.#cache = "no-cache";
    state.python = "ready";
    this.#tell("ready");
  }

  async #load(worker) {
    const said = new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(broke("The server does not answer. Run again to go on.")), PATIENCE);
      worker.addEventListener("message", () => resolve(clearTimeout(late)), { once: true });
    });
    said.catch(() => {}); // it is listened to below, or something else went wrong first
    const asked = { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE) };
    let answer, how;
    try {
      answer = await fetch(here("runtime.json"), asked);
      how = answer.ok && (await answer.json());
    } catch {
      throw broke("The server does not answer. Run again to go on.");
    }
    if (!answer.ok) throw new Error(`the server has no ${answer.url}`);
    const loaded = new Promise((resolve, reject) => {
      worker.onerror = (event) => reject(event.message ? new Error(event.message) : broke("The connection broke. Run again to go on."));
      worker.onmessage = ({ data }) => {
        if (data.kind === "ready") resolve(data.fetched);
        else if (data.kind === "loading" || data.kind === "doing") this.#tell(data.kind, data);
        else if (data.kind === "broken" && data.id === undefined) reject(failure(data));
        else this.#hear(data);
      };
      const base = new URL("_static/pyodide/", book).href;
      worker.postMessage({ kind: "start", base, book, record: store.get(RECORD), keep: !store.get(REFUSED), cache: this.#cache, interrupt: this.#interrupt, ...how });
    });
    return (await Promise.all([said, loaded]))[1];
  }

  #break = () => {};

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  #hear(data) {
    const job = this.#waiting.get(data.id);
    if (!job) return;
    if (data.kind === "done" || data.kind === "broken") {
      this.#waiting.delete(data.id);
      if (data.record) store.set(RECORD, data.record);
      if (data.kind === "done") job.resolve({ ...data, stopped: data.stopped || (job.asked && !data.well) });
      else job.reject(failure(data));
      if (data.name === "ConnectionBroke") this.#end(); // the next run goes on with what has arrived
    } else job.show(data.kind, data.text);
  }

  // cells: [{code, name, quiet}]; show(kind, text) is called while they run.
  async run(cells, show) {
    await this.start();
    if (this.#interrupt && !this.#waiting.size) this.#interrupt[0] = 0; // a Stop that came too late is forgotten
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, show, asked: false });
      this.#worker.postMessage({ kind: "run", id, cells });
    });
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = this.#ready = null;
    delete state.python;
  }

  // Seconds that the last start took here, without the line.
  get took() {
    return Number(store.get(TOOK)) / 1000;
  }

  stop() {
    if (!this.#interrupt || !this.#waiting.size) return this.#stopForGood();
    const asked = [...this.#waiting.entries()], begun = performance.now();
    for (const [, job] of asked) job.asked = true;
    const ask = () => {
      if (!asked.some(([id]) => this.#waiting.has(id))) return;
      if (performance.now() - begun > OBEYS) return this.#stopForGood();
      this.#interrupt[0] = STOP;
      setTimeout(ask, ASKS);
    };
    ask();
  }

  #stopForGood() {
    this.#break();
    this.#end();
    for (const job of this.#waiting.values()) job.reject(new Error("stopped"));
    this.#waiting.clear();
  }
}

export const python = new Python();
