// What the page puts into a frame without an origin: it compiles Python once, and makes workers that are worth nothing.
// The page talks with it by messages, a student's worker talks with the judge by a port; what it posts here is not heard.
let given, module, snapshot, source, spare = null;
const workers = new Map();

function made(more, heard) {
  const worker = new Worker(source);
  worker.onerror = (event) => (event.preventDefault(), heard({ broken: event.message ?? "a worker could not be begun" }));
  worker.onmessage = ({ data }) => heard(data);
  worker.postMessage({ module, ...given, ...more });
  return worker;
}

const warmed = () => {
  let worker;
  const ready = new Promise((resolve, reject) => {
    worker = made({ snapshot }, (told) => (told.broken ? reject(new Error(told.broken)) : resolve()));
  }).finally(() => (worker.onmessage = worker.onerror = null)); // from here on a notebook may speak with its voice
  ready.catch(() => {});
  return { worker, ready };
};

// The most that its memory may grow to stands in the module itself, behind the least: flags 1, least, most, each in LEB128.
function bounded(bytes, pages) {
  const all = new Uint8Array(bytes);
  const number = (at) => { let value = 0, shift = 0, byte; do { byte = all[at++]; value |= (byte & 127) << shift; shift += 7; } while (byte & 128); return [value >>> 0, at]; };
  for (let at = 8; at < all.length; ) {
    const kind = all[at];
    const [size, from] = number(at + 1);
    if (kind === 5) {
      const [, most] = number(from + 2), [, end] = number(most);
      for (let i = most; i < end; i += 1, pages >>>= 7) all[i] = (pages & 127) | (i < end - 1 ? 128 : 0);
      return bytes;
    }
    at = from + size;
  }
  throw new Error("no memory in it");
}

async function heard({ kind, id, ...data }) {
  if (kind === "begin") {
    module = await WebAssembly.compile(bounded(data.wasm, data.pages));
    given = data.given;
    source = URL.createObjectURL(new Blob([data.source], { type: "text/javascript" }));
    const begun = () => new Promise((resolve) => { const worker = made({ make: true }, (one) => resolve(one, worker.terminate())); });
    const told = data.snapshot ? data : await begun();
    if (told.broken) throw new Error(told.broken);
    snapshot = told.snapshot;
    spare = warmed();
    return { snapshot };
  } else if (kind === "more") {
    Object.assign(given, { lock: data.lock, held: { ...given.held, ...data.held } });
    spare?.worker.terminate();
    spare = warmed();
  } else if (kind === "fork") {
    const { worker, ready } = spare ?? warmed();
    workers.set(id, worker);
    spare = null;
    await ready;
    const { port1, port2 } = new MessageChannel();
    worker.postMessage({ magics: data.magics, many: data.many }, [port1]);
    return { port: port2 };
  } else if (kind === "end") {
    workers.get(data.worker)?.terminate();
    workers.delete(data.worker);
    spare ??= warmed();
  }
}

addEventListener("message", async ({ data, source }) => {
  if (source !== parent) return;
  const told = await heard(data).catch((error) => ({ broken: String(error) }));
  parent.postMessage({ ...told, id: data.id }, "*", told?.port ? [told.port] : []);
});
parent.postMessage({ id: 0 }, "*");
