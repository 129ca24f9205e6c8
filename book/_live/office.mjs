// The clerk and the judge of a class, each in a worker of its own with the whole course: what they are called with is
// ndcg_course/grade/inbrowser.py. The judge talks with the students' workers by ports that the page hands to it.
const LONGEST = 70_000, MOST = 20_000; // letters of a line, and lines that wait; what is more is no answer
const PATIENCE = 120_000; // milliseconds in which a student's worker is there, on a busy machine

const plain = self.fetch.bind(self);
self.fetch = async (asked, how) => {
  const kept = await self.caches?.match(new URL(asked.url ?? asked, location).href).catch(() => undefined);
  return kept ?? plain(asked, how);
};

let python, ours, last = 0;
const asked = new Map();
const ask = (message) =>
  new Promise((resolve) => {
    asked.set((last += 1), resolve);
    postMessage({ ...message, ask: last });
  });

class Line {
  told = [];
  wake = () => {};
  constructor(port, end) {
    Object.assign(this, { port, end });
    port.onmessage = ({ data }) => {
      const fits = typeof data === "string" && data.length <= LONGEST && this.told.length < MOST;
      if (!fits) port.close();
      this.told = fits ? [...this.told, data] : ["refused"];
      this.wake();
    };
  }
  send(text) {
    this.port.postMessage(text);
  }
  take() {
    return this.told.shift();
  }
  wait(time) {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, time);
      this.wake = () => (clearTimeout(late), resolve());
      if (this.told.length) this.wake();
    });
  }
}

async function fork(slot, magics, many) {
  const { port, worker } = await ask({ kind: "fork", slot, magics, many });
  if (!port) return null;
  const line = new Line(port, () => (port.close(), postMessage({ kind: "end", slot, worker })));
  await line.wait(PATIENCE);
  const told = line.take();
  if (told === "ready") return line;
  console.warn(`a student's worker: ${told ?? "no answer"}`);
  line.end();
  return null;
}

let clerk;
const CALLS = {
  async start({ base, lock }) {
    const { loadPyodide } = await import(new URL("pyodide.packed.mjs", base));
    python = await loadPyodide({ indexURL: base, lockFileURL: new URL(lock, base).href, packages: ["numpy", "ndcg-lib", "ndcg-course"] });
    ours = python.pyimport("ndcg_course.grade.inbrowser");
    return ours.inside();
  },
  judge({ slot, job, settings, data, lost }) {
    const at = (task) => postMessage({ kind: "at", slot, task });
    return ours.judge((magics, many) => fork(slot, magics, many), at, job, settings, data, lost);
  },
  clerk({ name, given }) {
    clerk ??= ours.Clerk();
    const told = clerk[name](...given);
    return told?.toJs ? told.toJs() : told;
  },
  ping: () => "here",
};

onmessage = async ({ data: { id, kind, ...given }, ports }) => {
  if (kind === "answer") {
    asked.get(id)?.({ ...given, port: ports[0] });
    return asked.delete(id);
  }
  try {
    postMessage({ id, result: await CALLS[kind](given) });
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    postMessage({ id, error: lines.findLast((line) => /^[\w.]+(Error|Asked)\b/.test(line)) ? lines.slice(lines.findLastIndex((line) => /^[\w.]+(Error|Asked)\b/.test(line))).join("\n") : lines.join("\n") });
  }
};
