// A student's worker: Python for one notebook, ended with it. The page runs this text in a frame without an origin, whose
// policy lets no request, script or storage through; what is taken away here besides is for tidiness, and no wall.
const OUT = [
  "fetch", "XMLHttpRequest", "WebSocket", "WebSocketStream", "WebTransport", "EventSource", "importScripts", "Worker", "SharedWorker",
  "BroadcastChannel", "MessageChannel", "indexedDB", "caches", "CacheStorage", "Cache", "cookieStore", "navigator", "WorkerNavigator",
  "postMessage", "close", "name", "location", "origin", "crossOriginIsolated", "SharedArrayBuffer", "Notification", "RTCPeerConnection",
  "createImageBitmap", "OffscreenCanvas", "FontFace", "fonts", "FileReader", "FileReaderSync", "Request", "Response", "Headers", "scheduler",
  "queueMicrotask", "requestAnimationFrame", "reportError", "onmessage", "onmessageerror", "onerror", "URL", "Blob", "File", "addEventListener",
  "dispatchEvent", "CompressionStream", "DecompressionStream", "ReadableStream", "trustedTypes", "structuredClone",
];
const post = self.postMessage.bind(self);
const RING = 20; // milliseconds between two looks of the student's own clock

function takeAway() {
  for (const name of OUT)
    for (let holder = self; holder; holder = Object.getPrototypeOf(holder))
      if (Object.hasOwn(holder, name)) {
        try { delete holder[name]; } catch {}
        if (Object.hasOwn(holder, name)) try { Object.defineProperty(holder, name, { value: undefined }); } catch {}
      }
}

// WebKit keeps a cache for an origin that is none: nothing of another notebook is in it.
async function emptied() {
  for (const name of await caches.keys()) await caches.delete(name);
}

async function start({ module, scripts, held, lock, files, snapshot, make }) {
  const asText = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  self.fetch = async (asked) => new Response(held[String(asked.url ?? asked).split("/").pop()] ?? new ArrayBuffer(8));
  WebAssembly.instantiateStreaming = async (_, imports) => ({ module, instance: await WebAssembly.instantiate(module, imports) });
  const [{ loadPyodide }, { default: createPyodideModule }] = await Promise.all(scripts.map((text) => import(asText(text))));
  const nowhere = "https://nowhere.invalid/";
  const how = make ? { _makeSnapshot: true } : { _loadSnapshot: snapshot };
  const python = await loadPyodide({ indexURL: nowhere, packageBaseUrl: nowhere, lockFileContents: JSON.parse(lock), createPyodideModule, ...how });
  if (make) {
    python.runPython(PREPARE.replace("FILES", () => JSON.stringify(files)));
    return post({ snapshot: python.makeMemorySnapshot() });
  }
  post({ kind: "ready" });
  onmessage = async ({ data, ports: [port] }) => {
    try {
      await emptied().catch(() => {}); // which Firefox refuses there with an error of its own
      const packages = [...(data.many ? ["numpy"] : []), ...(data.magics ? ["ipython"] : [])];
      if (packages.length) await python.loadPackage(packages, { messageCallback() {} });
      let next = 0; // Python asks for a signal between two lines: every so often it is told that the clock rings
      const ring = { get 0() { const now = performance.now(); return now < next ? 0 : ((next = now + RING), 14); }, set 0(taken) {} };
      const send = port.postMessage.bind(port);
      const begin = python.globals.get("worker").begin;
      takeAway();
      const take = begin(send, data.magics, data.many);
      python.setInterruptBuffer(ring);
      port.onmessage = ({ data: line }) => {
        try { take(line); } catch { send("ended"); }
      };
      send("ready");
    } catch (error) {
      port.postMessage(`broken ${error}`);
    }
  };
}

const PREPARE = `
import json, sys, types
files = json.loads(FILES)
modules = {name: types.ModuleType(name) for name in files}
for name, text in files.items():
    modules[name].__file__ = name + ".py"
    exec(compile(text, "<" + name + ">", "exec"), modules[name].__dict__)
worker = modules["worker"]
worker.prepare(modules)
`;

onmessage = ({ data }) => start(data).catch((error) => post({ broken: `${error} ${error?.stack ?? ""}` }));
