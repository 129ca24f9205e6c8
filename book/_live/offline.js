// A service worker: what was read or run here can be read and run again without a network.
// With one, everything is asked of the server first, so that nothing old is shown after a new publication.
const SHELF = "ndcg-pages";
const LARGE = /\/_static\/pyodide\/.*\.(wasm|whl|zip)$/; // worker.mjs keeps these itself

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || LARGE.test(pathname)) return;
  event.respondWith(answer(event, request));
});

async function answer(event, request) {
  try {
    const response = await fetch(request.mode === "navigate" ? afresh(request) : request);
    if (response.status === 200) event.waitUntil(keep(request, response.clone()));
    return response;
  } catch (error) {
    const kept = await caches.match(request, { cacheName: SHELF, ignoreSearch: true });
    if (kept) return kept;
    if (request.mode !== "navigate") throw error;
    const words = "<!doctype html><title>No network</title><p>There is no network, and this page was not read here before.";
    return new Response(words, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
  }
}

// A page is never taken from the browser's own cache unasked; its styles and scripts have other addresses when they change.
function afresh({ url }) {
  return new Request(url, { cache: "no-cache", redirect: "manual" });
}

async function keep(request, response) {
  const shelf = await caches.open(SHELF);
  await shelf.delete(request, { ignoreSearch: true }); // the same file of an earlier publication
  await shelf.put(request, response);
}
