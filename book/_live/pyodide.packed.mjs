// Pyodide as it is, but for its largest file, which comes packed: a third of the bytes, also from a host that compresses
// nothing. The pages and JupyterLite start Python from here. A browser that cannot unpack takes the plain file.
export * from "./pyodide.mjs";

const PACKED = "pyodide.asm.wasm";
const fetchPlain = self.fetch.bind(self);

async function fetchPacked(request, options) {
  const address = String(request.url ?? request);
  if (!address.endsWith(`/${PACKED}`)) return fetchPlain(request, options);
  const packed = await fetchPlain(`${address}.packed`, options);
  if (!packed.ok) return fetchPlain(request, options);
  const { readable, writable } = new DecompressionStream("gzip");
  packed.body.pipeTo(writable).catch((error) => error.name === "ConnectionBroke" || reportError(error)); // else Pyodide waits for ever
  return new Response(readable, { headers: { "Content-Type": "application/wasm" } });
}

if (globalThis.DecompressionStream) self.fetch = fetchPacked;
