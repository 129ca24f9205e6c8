// What a student's worker could do whose code has reached the browser itself: each way is tried with all that a worker
// has, nothing taken away, in the frame that the page makes. A probe that comes to its end has gained something.
const PROBES = BOOK => ({
  "a request": () => fetch(BOOK + "stolen-fetch"),
  "a request to elsewhere": () => fetch("http://127.0.0.1:9/", { mode: "no-cors" }),
  "an old request": () => new Promise((ok, no) => { const x = new XMLHttpRequest(); x.onload = ok; x.onerror = no; x.open("GET", BOOK + "stolen-xhr"); x.send(); }),
  "a socket": () => new Promise((ok, no) => { const s = new WebSocket(BOOK.replace("http", "ws") + "stolen-socket"); s.onopen = ok; s.onerror = no; }),
  "a stream of events": () => new Promise((ok, no) => { const s = new EventSource(BOOK + "stolen-events"); s.onopen = ok; s.onerror = no; }),
  "a transport": () => new WebTransport("https://127.0.0.1:9/").ready,
  "a script": () => importScripts(BOOK + "stolen-script"),
  "a script in its address": () => importScripts("data:text/javascript,1"),
  "a module": () => import(BOOK + "stolen-module"),
  "a worker of the site": () => new Promise((ok, no) => { const w = new Worker(BOOK + "stolen-worker"); w.onmessage = ok; w.onerror = no; setTimeout(no, 3000); }),
  "a worker within, and its request": () => new Promise((ok, no) => {
  const w = new Worker(URL.createObjectURL(new Blob([`fetch(${JSON.stringify(BOOK + "stolen-within")}).then(() => postMessage("got"), () => postMessage("no"))`])));
  w.onmessage = ({ data }) => (data === "got" ? ok() : no()); w.onerror = no; setTimeout(no, 3000); }),
  "a shared worker": () => new SharedWorker(BOOK + "stolen-shared"),
  "a font": () => new FontFace("x", `url(${BOOK}stolen-font)`).load(),
  "a beacon": () => { if (!navigator.sendBeacon(BOOK + "stolen-beacon")) throw 0; },
  "a database": () => new Promise((ok, no) => { const o = indexedDB.open("ndcg-grade"); o.onsuccess = ok; o.onerror = o.onblocked = no; }),
  "a shelf": () => caches.open("x"),
  "a folder": () => navigator.storage.getDirectory(),
  "a cookie": () => cookieStore.set("x", "y"),
  "a service worker": () => navigator.serviceWorker.register(BOOK + "offline.js"),
  "a lock": () => new Promise((ok, no) => { navigator.locks.request("ndcg-grade", ok).catch(no); setTimeout(no, 3000); }),
  "a notice": () => new Promise((ok, no) => { const n = new Notification("x"); n.onshow = ok; n.onerror = no; }),
  "code from text": () => eval("1 + 1"),
  "a function from text": () => new Function("return 1")(),
  "shared memory": () => postMessage(new SharedArrayBuffer(8)),
  "a call": () => new RTCPeerConnection(),
});

onmessage = async ({ data, ports: [port] }) => {
  if (data.make) return postMessage({ snapshot: new Uint8Array(1) });
  if (!port) return postMessage({ kind: "ready" });
  const BOOK = data.many;
  new BroadcastChannel("ndcg").postMessage("heard"); // of another origin: nobody hears it
  postMessage({ id: 1, marks: "student,task,mark" });
  const gained = [];
  const told = {};
  for (const [name, work] of Object.entries(PROBES(BOOK))) {
    const late = new Promise((ok, no) => setTimeout(() => no(new Error("late")), 4000));
    await Promise.race([late, (async () => work())()]).then(() => gained.push(name), (error) => { told[name] = String(error?.name ?? error?.type ?? error); });
  }
  port.postMessage(JSON.stringify({ gained, told, origin: self.origin }));
};
