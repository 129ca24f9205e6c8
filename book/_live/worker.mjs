// Python in a worker of its own, so that the page stays alive and an endless loop can be ended.
let python, runner, lockUrl, fetched = 0; // bytes that came over the line
const send = (message) => postMessage(message);

const PACKED = ".packed"; // see pyodide.packed.mjs
const unpacked = (address) => address.slice(0, -PACKED.length);

// What went wrong is told at once, by a name of ENDS in states.mjs, and the page ends this worker: Pyodide itself waits for
// ever for a file that does not come to its end.
function fail(how, told) {
  send({ kind: "broken", how, told });
  return new Error(how);
}
const ours = new URL("../", import.meta.url).href; // what the reader's own code asks for elsewhere may be refused
self.addEventListener("securitypolicyviolation", ({ blockedURI }) => blockedURI.startsWith(ours) && fail("refused", { what: blockedURI.split("/").pop() }));
const pause = (time) => new Promise((go) => setTimeout(go, time));

let patience; // of states.mjs
function within(promise) {
  let timer;
  const late = new Promise((resolve, reject) => (timer = setTimeout(() => reject(new Error("no answer")), patience)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function whole(parts, sum) {
  if (!sum || !self.crypto?.subtle) return true; // not on https
  const hash = await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer());
  return btoa(String.fromCharCode(...new Uint8Array(hash))) === sum;
}

// The large files are on a shelf of the browser for other pages and for the time without a network, whatever the server
// says of caching (where the page is neither https nor on this machine, or the reader wants nothing kept, there is none).
// What comes through the service worker is faster: with that, the browser keeps what it has compiled. Bytes are told to the
// page as they arrive; what came before a connection broke is on the shelf too, and the next start goes on from there.
function watchLoading({ base, lock, bytes: expected, sums, keep, cache }) {
  const total = Object.values(expected).reduce((sum, size) => sum + size, 0);
  const plain = self.fetch.bind(self);
  const shelf = keep ? openShelf(`ndcg-python-${lock}`, cache === "reload").catch(() => null) : null;
  let loaded = 0;
  const arrived = (size, name) => send({ kind: "bytes", loaded: (loaded += name in expected ? size : 0), total });
  const cut = (name, ruled = false) => {
    const mega = (bytes) => (bytes / 1e6).toFixed(0);
    return fail("cut", { ruled, where: name in expected && loaded < total ? `at ${mega(loaded)} of ${mega(total)} MB` : `while ${name} was loading` });
  };
  // A refusal speaks first. WebKit tells a worker of none, so there it may be one, if this worker came with rules.
  const rules = () => within(plain(self.location.href, { method: "HEAD" })).then(({ headers }) => headers.has("Content-Security-Policy"), () => false);
  const lost = async (name, error) => {
    await pause(50);
    throw cut(name, error instanceof TypeError && (await rules()));
  };
  self.fetch = async (request, options) => {
    const address = new URL(request.url ?? request, self.location).href;
    const name = address.split("/").pop();
    if (!address.startsWith(base) && !(name in sums)) return plain(request, options);
    const large = name in expected || /\.(whl|mjs|wasm)$/.test(name) || name === lock; // with all that starts them
    const place = large ? await shelf : null;
    if (name.endsWith(PACKED) && (await place?.match(unpacked(address)))) return new Response(null, { status: 404 }); // that is taken instead
    const kept = await place?.match(address);
    if (kept) {
      arrived(expected[name] ?? expected[name + PACKED], name in expected ? name : name + PACKED);
      const cached = await plain(address, { cache: "only-if-cached", mode: "same-origin" }).catch(() => null);
      return cached?.ok ? cached : kept;
    }
    const part = await place?.match(`${address}?part`).then((response) => response?.blob());
    const asked = { ...options, cache, ...(self.crypto?.subtle && { integrity: "" }), ...(part && { headers: { Range: `bytes=${part.size}-` } }) };
    const response = await within(plain(address, asked)).catch((error) => lost(name, error));
    if (!response.ok && name.endsWith(PACKED)) return response; // the plain file is taken instead
    if (!response.ok) throw fail("absent", { file: name, status: response.status });
    const before = response.status === 206 ? part : null; // 200: this server begins at the first byte again
    const size = Number(response.headers.get("Content-Length") ?? 0) + (before?.size ?? 0);
    const headers = { "Content-Type": response.headers.get("Content-Type") ?? "application/octet-stream" };
    return new Response(stream(response.body.getReader(), before, size), { headers });

    function stream(reader, before, size) {
      const parts = before ? [before] : [];
      let came = 0;
      return new ReadableStream({
        async start(controller) {
          if (!before) return;
          controller.enqueue(new Uint8Array(await before.arrayBuffer()));
          came = before.size;
          arrived(before.size, name);
        },
        async pull(controller) {
          const next = await within(reader.read()).catch((error) => error);
          const short = next.done && size && came < size && !response.headers.get("Content-Encoding");
          if (next instanceof Error || short) {
            if (came) await place?.put(`${address}?part`, new Response(new Blob(parts))).catch(() => {});
            reader.cancel().catch(() => {});
            return controller.error(cut(name));
          }
          if (next.done && !(await whole(parts, sums[name]))) {
            await place?.delete(`${address}?part`);
            return controller.error(fail("damaged", { file: name }));
          }
          if (next.done) {
            place?.put(address, new Response(new Blob(parts), { headers })).catch(() => {});
            place?.delete(`${address}?part`);
            return controller.close();
          }
          parts.push(next.value);
          fetched += next.value.length;
          came += next.value.length;
          arrived(next.value.length, name);
          controller.enqueue(next.value);
        },
      });
    }
  };
  return { lost, shelf };
}

// Chromium keeps compiled code of a file as it is, of none that was unpacked on the way: the next start finds it unpacked.
async function unpack(shelf) {
  if (!/Chrom(e|ium)\//.test(navigator.userAgent)) return; // others gain nothing, and WebKit may not come to the end of it
  for (const { url } of (await shelf?.keys()) ?? []) {
    if (!url.endsWith(PACKED) || (await shelf.match(unpacked(url)))) continue;
    const { body } = await shelf.match(url);
    const headers = { "Content-Type": "application/wasm" };
    await shelf.put(unpacked(url), new Response(body.pipeThrough(new DecompressionStream("gzip")), { headers }));
  }
}

async function openShelf(name, afresh) {
  for (const old of await caches.keys()) {
    if (!old.startsWith("ndcg-python-") || (old === name && !afresh)) continue;
    const held = await (await caches.open(old)).keys();
    if (held.every(({ url }) => url.startsWith(ours))) await caches.delete(old); // not that of another book on this host
  }
  return caches.open(name);
}

async function start(given) {
  const { base, book, lock, packages, record } = given;
  patience = given.patience;
  try {
    new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0)); // Pyodide would wait for ever
  } catch {
    throw fail("refused", { what: "WebAssembly" });
  }
  const { lost, shelf } = watchLoading(given);
  lockUrl = new URL(lock, base).href;
  // Scripts are read to their end first, because an import that gets no answer cannot be given up.
  const read = async (address) => (await (await fetch(address)).blob()) && undefined;
  await Promise.all(["pyodide.packed.mjs", "pyodide.mjs", "pyodide.asm.mjs"].map((name) => read(new URL(name, base))));
  const [{ loadPyodide }, , source] = await within(
    Promise.all([
      import(new URL("pyodide.packed.mjs", base)),
      import(new URL("pyodide.asm.mjs", base)),
      fetch(new URL("run_cell.py", import.meta.url)).then((response) => response.text()),
    ]),
  ).catch((error) => lost("pyodide.mjs", error));
  python = await loadPyodide({ indexURL: base, lockFileURL: lockUrl, packages });
  python._api.on_fatal = ({ message }) => fail("fatal", { text: String(message).split("\n")[0] });
  const missing = packages.filter((name) => !python.loadedPackages[name]);
  if (missing.length) throw new Error(`${missing.join(" and ")} could not be loaded`);
  python.FS.writeFile("/home/pyodide/ndcg_run_cell.py", source);
  runner = python.pyimport("ndcg_run_cell");
  runner.begin(book);
  interrupt = given.interrupt ?? new Uint8Array(1);
  if (record) runner.load_record(record);
  send({ kind: "ready", fetched });
  shelf?.then(unpack).catch(() => {}); // it may be removed meanwhile, or full
}

// matplotlib is large: it comes with the first cell that draws.
async function fetchWhatIsUsed(code, quiet) {
  if (!python.loadedPackages.matplotlib && runner.drawing(code, quiet)) {
    send({ kind: "doing", event: "fetch", words: "fetching matplotlib" });
    await python.loadPackage(["matplotlib"], { messageCallback() {} });
    send({ kind: "doing", event: "compute", words: "running" });
  }
  if (/^\s*(from|import) examples\b/m.test(code)) await (examples ??= fetchExamples());
  await python.loadPackagesFromImports(code, { messageCallback() {} });
}

// The worked examples of the notes lie beside the pages, not in the library.
let examples;
async function fetchExamples() {
  python.FS.mkdirTree("/home/pyodide/data");
  for (const [name, place] of [["examples.py", ""], ["examples.json", "data/"]]) {
    const answer = await fetch(new URL(name, import.meta.url));
    python.FS.writeFile(`/home/pyodide/${place}${name}`, await answer.text());
  }
}

// Only the reader's code listens to a stop: Python's own loop, and what crosses into it, would take it and lose it.
// Where no memory is shared it asks one of its own: a loop that asks nobody goes on in WebKit after its worker was ended.
let interrupt;
const listen = (on) => python.setInterruptBuffer(on ? interrupt : undefined);

async function run({ id, cells }) {
  let well = true, stopped = false;
  const failed = [];
  try {
    for (const { code, name, quiet } of cells) {
      await fetchWhatIsUsed(code, quiet);
      let error = "";
      const tell = (kind, text) => {
        if (!quiet) send({ kind, id, text });
        if (kind === "error") error = text;
      };
      well = await runner.run(code, name, tell, quiet, listen);
      stopped = error.endsWith("KeyboardInterrupt");
      if (stopped || (!well && !quiet)) break; // an answer that does not run is not checked
      if (!well && quiet) failed.push({ name, error });
    }
  } catch (error) {
    if (error?.type !== "KeyboardInterrupt") throw error; // else it came while a cell waited for something
    [well, stopped] = [false, true];
  }
  listen(false);
  send({ kind: "done", id, well, stopped, failed, record: runner.kept_record() });
}

let queue = Promise.resolve();
onmessage = ({ data }) => {
  const work = data.kind === "start" ? () => start(data) : () => run(data);
  queue = queue.then(work).catch((error) => send({ kind: "broken", id: data.id, how: data.kind === "start" ? "unable" : undefined, told: { text: String(error?.message ?? error) }, text: String(error?.message ?? error) }));
};
send({ kind: "here" });
