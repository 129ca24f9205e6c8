// In each page of JupyterLite: a way back to the book, and a word where Interrupt cannot reach Python.
{
  const file = (new URLSearchParams(location.search).get("path") ?? "").replace(/\.ipynb$/, "");
  const assignment = file.match(/^\d+-(.*)/)?.[1];
  const page = assignment ? `assignments/${assignment}` : /^(chapters|notes)\//.test(file) ? file : "index";
  const back = document.createElement("a");
  Object.assign(back, { id: "to-the-book", href: new URL(`../../${page}.html`, location.href).href, textContent: "Back to the book" });
  back.style = "position:fixed;top:12px;right:110px;z-index:20;font:13px sans-serif;color:var(--jp-content-link-color,#0b6e99)";
  document.body.append(back);

  // JupyterLite takes any worker in charge of the page for its own, and would do without one where the book has one.
  const workers = navigator.serviceWorker, charge = Object.getOwnPropertyDescriptor(globalThis.ServiceWorkerContainer?.prototype ?? {}, "controller");
  const own = () => [charge.get.call(workers)].find((worker) => worker?.scriptURL.includes("/lite/")) ?? null;
  if (workers) Object.defineProperty(workers, "controller", { get: own });

  const message = "Interrupt does not reach Python in a browser. Restart stops it: your cells stay as they are, and you run them again.";
  const actions = [{ label: "Restart", commandId: "kernelmenu:restart", displayType: "warn" }];
  const told = { message, type: "info", options: { autoClose: false, actions } };
  const listen = (app) => app.commands.commandExecuted.connect((commands, { id }) => {
    if (/interrupt/.test(id)) commands.execute("apputils:notify", told);
  });
  let app; // JupyterLite puts itself here, as its settings ask
  Object.defineProperty(globalThis, "jupyterapp", { get: () => app, set: (started) => listen((app = started)), configurable: true });
}
