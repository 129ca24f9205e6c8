// The one Python of a page: starts on first use, keeps the record of the exercises, can be stopped.
const RECORD = "ndcg:record";
export const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
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
const failure = ({ name, text }) => Object.assign(new Error(text), { name: name ?? "Error" });
const broke = (text) => failure({ name: "ConnectionBroke", text });

class Python extends EventTarget {
  age = 0; // how often it was started; what ran in an older one is gone
  #worker = null;
  #ready = null;
  #waiting = new Map();
  #last = 0;

  start() {
    this.#ready ??= this.#boot().catch((error) => {
      this.#end();
      throw error;
    });
    return this.#ready;
  }

  async #boot() {
    this.#tell("starting");
    this.age += 1;
    const stopped = new Promise((resolve, reject) => {
      this.#break = () => reject(new Error("stopped"));
    });
    await Promise.race([stopped, this.#load((this.#worker = new Worker(here("worker.mjs"), { type: "module" })))]);
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
      worker.onerror = (event) => reject(new Error(event.message || "the worker did not start"));
      worker.onmessage = ({ data }) => {
        if (data.kind === "ready") resolve();
        else if (data.kind === "loading" || data.kind === "doing") this.#tell(data.kind, data);
        else if (data.kind === "broken" && data.id === undefined) reject(failure(data));
        else this.#hear(data);
      };
      const base = new URL("_static/pyodide/", book).href;
      worker.postMessage({ kind: "start", base, book, record: store.get(RECORD), ...how });
    });
    await Promise.all([said, loaded]);
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
      if (data.kind === "done") job.resolve(data);
      else job.reject(failure(data));
      if (data.name === "ConnectionBroke") this.#end(); // the next run goes on with what has arrived
    } else job.show(data.kind, data.text);
  }

  // cells: [{code, name, quiet}]; show(kind, text) is called while they run.
  async run(cells, show) {
    await this.start();
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, show });
      this.#worker.postMessage({ kind: "run", id, cells });
    });
  }

  #end() {
    this.#worker?.terminate();
    this.#worker = this.#ready = null;
  }

  stop() {
    this.#break();
    this.#end();
    for (const job of this.#waiting.values()) job.reject(new Error("stopped"));
    this.#waiting.clear();
  }
}

export const python = new Python();
