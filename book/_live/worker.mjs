// Python in a worker of its own, so that the page stays alive and an endless loop can be ended.
let python, runner, lockUrl;
const send = (message) => postMessage(message);

// The large files are on a shelf of the browser for other pages and for the time without a network, whatever the server
// says of caching (where the page is neither https nor on this machine, there is no such shelf). Where the browser's own
// cache still has one, that is faster: it has compiled it. Bytes are told to the page as they arrive.
function watchLoading(base, lock, expected) {
  const total = Object.values(expected).reduce((sum, size) => sum + size, 0);
  const plain = self.fetch.bind(self);
  const shelf = openShelf(`ndcg-python-${lock}`).catch(() => null);
  let loaded = 0;
  const arrived = (size) => send({ kind: "loading", loaded: (loaded += size), total });
  self.fetch = async (request, options) => {
    const address = new URL(request.url ?? request, self.location).href;
    const name = address.split("/").pop();
    if (!address.startsWith(base) || !(name in expected || name.endsWith(".whl"))) return plain(request, options);
    const place = await shelf;
    const kept = await place?.match(address);
    if (kept) {
      if (name in expected) arrived(expected[name]);
      const cached = await plain(address, { cache: "only-if-cached", mode: "same-origin" }).catch(() => null);
      return cached?.ok ? cached : kept;
    }
    const response = await plain(request, { ...options, cache: "no-cache" });
    if (response.ok) {
      place?.put(address, response.clone()).catch(() => {});
      if (name in expected) count(response.clone());
    }
    return response;
  };
  async function count(response) {
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) arrived(part.value.length);
  }
}

async function openShelf(name) {
  for (const old of await caches.keys()) if (old.startsWith("ndcg-python-") && old !== name) await caches.delete(old);
  return caches.open(name);
}

async function start({ base, book, lock, packages, bytes, record }) {
  watchLoading(base, lock, bytes);
  const [{ loadPyodide }, source] = await Promise.all([
    import(new URL("pyodide.mjs", base)),
    fetch(new URL("run_cell.py", import.meta.url)).then((response) => response.text()),
  ]);
  lockUrl = new URL(lock, base).href;
  python = await loadPyodide({ indexURL: base, lockFileURL: lockUrl, packages });
  const missing = packages.filter((name) => !python.loadedPackages[name]);
  if (missing.length) throw new Error(`${missing.join(" and ")} could not be loaded`);
  python.FS.writeFile("/home/pyodide/ndcg_run_cell.py", source);
  runner = python.pyimport("ndcg_run_cell");
  runner.begin(book);
  if (record) runner.load_record(record);
  send({ kind: "ready" });
}

// matplotlib is large: it comes with the first cell that draws.
async function fetchWhatIsUsed(code) {
  const wanted = /\bplots\s*\.|\bmatplotlib\b/.test(code) ? ["matplotlib"] : [];
  if (wanted.length && !python.loadedPackages.matplotlib) {
    send({ kind: "doing", words: "fetching matplotlib" });
    await python.loadPackage(wanted, { messageCallback() {} });
    send({ kind: "doing", words: "running" });
  }
  await python.loadPackagesFromImports(code, { messageCallback() {} });
}

async function run({ id, cells }) {
  let well = true;
  const failed = [];
  for (const { code, name, quiet } of cells) {
    await fetchWhatIsUsed(code);
    let error = "";
    const tell = (kind, text) => {
      if (!quiet) send({ kind, id, text });
      else if (kind === "error") error = text;
    };
    well = await runner.run(code, name, tell, quiet);
    if (!well && quiet) failed.push({ name, error });
  }
  send({ kind: "done", id, well, failed, record: runner.kept_record() });
}

let queue = Promise.resolve();
onmessage = ({ data }) => {
  const work = data.kind === "start" ? () => start(data) : () => run(data);
  queue = queue.then(work).catch((error) => send({ kind: "broken", id: data.id, text: String(error?.message ?? error) }));
};
