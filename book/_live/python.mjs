// The one Python of a page: starts on first use, keeps the record of the exercises, can be stopped. states.mjs says what it
// goes through; here is what is done on the way.
import { ENDS, next, PATIENCE, STATES } from "./states.mjs";

const RECORD = "ndcg:record";
const TOOK = "ndcg:start"; // milliseconds of the last start that fetched nothing
const REFUSED = "ndcg:keep-nothing"; // of offline.mjs
export const book = new URL(document.documentElement.dataset.content_root ?? "./", location.href).href;
const page = document.documentElement.dataset;
const here = (name) => new URL(name, import.meta.url);

// What is kept for all pages of this book; until November 2026 the books of a host shared it.
const own = (name) => `${name} ${new URL(book).pathname}`;
export const store = {
  get(name) {
    try {
      return localStorage.getItem(own(name)) ?? localStorage.getItem(name);
    } catch {
      return null; // private windows may refuse
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(own(name), value);
    } catch {
      // what cannot be kept lasts as long as the page
    }
  },
};

const STOP = 2; // what Python takes for Control+C
const ASKS = 50; // milliseconds; a finalizer may take the question and lose it
const failure = (how, told = {}) => Object.assign(new Error(how), { how, told });
const pause = (time) => new Promise((go) => setTimeout(go, time));
const REASON = 50; // milliseconds; what the rules of a site refuse is told a moment after it has failed

class Python extends EventTarget {
  age = 0; // how often it was started; what ran in an older one is gone
  state = "off";
  #limit = 0;
  #worker = null;
  #ready = null;
  #given = null; // settles #ready
  #waiting = new Map();
  #last = 0;
  #again = ""; // a browser holds a second question for a script back while the first has no answer, or keeps what came damaged
  #cache = "no-cache";
  // Python can be asked to stop where memory may be shared with it; offline_worker.js sees to that, after the first page.
  // WebKitGTK says that it may, and cannot.
  #interrupt = globalThis.crossOriginIsolated && globalThis.SharedArrayBuffer ? new Uint8Array(new SharedArrayBuffer(1)) : null;

  // The one place in which the state changes.
  #happen(event, told = {}) {
    if (!navigator.onLine && (event === "silent" || event === "cut")) event = "away";
    const to = next(this.state, event);
    if (!to) return;
    clearTimeout(this.#limit);
    const { limit, late } = STATES[to];
    if (limit) this.#limit = setTimeout(() => this.#happen(late), limit);
    if (this.state === to) return;
    this.state = to;
    page.python = { off: "", ready: "ready", asking: "starting" }[to] ?? page.python; // offline.mjs leaves the line to a start
    if (to === "asking") this.#tell("starting");
    if (to === "ready" && event === "ready") {
      this.#cache = "no-cache";
      this.#given.resolve();
      this.#tell("ready");
    }
    if (to === "off") this.#end(event, Object.assign(failure(event, told), { message: ENDS[event](told) }));
  }

  #end(event, error) {
    this.#worker?.terminate();
    this.#given?.reject(error);
    this.#worker = this.#ready = this.#given = null;
    if (event === "damaged" || event === "unable") this.#cache = "reload"; // a file may have been damaged on the way
    this.#again = `?${this.age}`;
    for (const job of this.#waiting.values()) job.reject(error);
    this.#waiting.clear();
  }

  start() {
    if (!this.#ready) {
      this.#ready = new Promise((resolve, reject) => (this.#given = { resolve, reject }));
      this.#ready.catch(() => {});
      this.age += 1;
      this.#happen("begin");
      const age = this.age;
      this.#boot().catch(({ how, told, message, name }) => {
        if (age !== this.age) return;
        if (name === "SecurityError") this.#happen("refused", { what: "worker.mjs" }); // WebKit throws it at new Worker
        else this.#happen(how ?? "unable", told ?? { text: message });
      });
    }
    return this.#ready;
  }

  async #boot() {
    const begun = performance.now();
    const worker = (this.#worker = new Worker(here(`worker.mjs${this.#again}`), { type: "module" }));
    const mine = (act) => (told) => worker === this.#worker && act(told);
    const answers = new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
    worker.onerror = mine(async ({ message }) => {
      await pause(REASON);
      if (worker !== this.#worker) return; // a Run has begun anew meanwhile
      if (this.state === "asking") this.#happen(message ? "damaged" : "cut", { file: "worker.mjs", where: "while worker.mjs was loading" });
      else if (this.state === "loading" || this.state === "starting") this.#happen("unable", { text: message });
      else if (!message) this.#happen("fatal", { text: "its worker ended" }); // else it was code of the reader's that nobody waits for
    });
    worker.onmessage = mine(({ data }) => this.#hear(data, begun));
    const lost = () => pause(REASON).then(() => Promise.reject(failure("silent")));
    const answer = await fetch(here("runtime.json"), { cache: this.#cache, signal: AbortSignal.timeout(PATIENCE) }).catch(lost);
    if (!answer.ok) throw failure("absent", { file: "runtime.json", status: answer.status });
    const text = await answer.text().catch(lost);
    let how;
    try {
      how = JSON.parse(text);
    } catch {
      throw failure("damaged", { file: "runtime.json" });
    }
    await answers;
    const base = new URL("_static/pyodide/", book).href;
    worker.postMessage({ kind: "start", base, book, patience: PATIENCE, record: store.get(RECORD), keep: !store.get(REFUSED), cache: this.#cache, interrupt: this.#interrupt, ...how });
    if (worker === this.#worker) this.#happen("here");
  }

  // The rules of the site have refused a file of Python's.
  refused(address) {
    if (address.startsWith(here("./").href)) this.#happen("refused", { what: address.split("/").pop() });
  }

  #tell(kind, detail) {
    this.dispatchEvent(new CustomEvent(kind, { detail }));
  }

  #hear(data, begun) {
    const { kind, id } = data, job = this.#waiting.get(id);
    if (kind === "bytes") {
      this.#happen(this.state === "loading" && data.loaded >= data.total ? "whole" : "bytes");
      if (this.state === "loading" || this.state === "starting") this.#tell("loading", data);
    } else if (kind === "doing") {
      this.#happen(data.event);
      this.#tell(kind, data);
    } else if (kind === "ready") {
      if (!data.fetched) store.set(TOOK, String(Math.round(performance.now() - begun)));
      this.#happen("ready");
    } else if (data.how) this.#happen(data.how, data.told);
    else if (job && (kind === "done" || kind === "broken")) {
      this.#waiting.delete(id);
      if (data.record) store.set(RECORD, data.record);
      if (kind === "done") job.resolve({ ...data, stopped: data.stopped || (job.asked && !data.well) });
      else job.reject(new Error(`Python did not go on: ${data.text}`));
      const left = [...this.#waiting.values()];
      if (!left.some(({ asked }) => asked || this.state !== "stopping")) this.#happen("done");
      if (left.length) this.#happen("work");
    } else job?.show(kind, data.text);
  }

  // cells: [{code, name, quiet}]; show(kind, text) is called while they run.
  async run(cells, show) {
    await this.start();
    if (this.#interrupt && !this.#waiting.size) this.#interrupt[0] = 0; // a Stop that came too late is forgotten
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, show, asked: false });
      this.#worker.postMessage({ kind: "run", id, cells });
      this.#happen("work");
    });
  }

  // Seconds that the last start took here, without the line.
  get took() {
    return Number(store.get(TOOK)) / 1000;
  }

  stop() {
    if (!this.#interrupt || !this.#waiting.size) return this.#happen("stopped");
    for (const job of this.#waiting.values()) job.asked = true;
    this.#happen("stop");
    const ask = () => {
      if (this.state !== "stopping") return;
      this.#interrupt[0] = STOP;
      setTimeout(ask, ASKS);
    };
    ask();
  }
}

export const python = new Python();
document.addEventListener("securitypolicyviolation", ({ blockedURI }) => python.refused(blockedURI));
