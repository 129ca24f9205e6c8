// The ways to bet. A bet is kept and shown beside the truth.

import { h, push, text } from "./dom.js";
import { fixed } from "./numbers.js";

// `words` may hold marks of emphasis; they are ours, never the reader's.
export function html(tag, css, words) {
  const node = h(tag, css ? { class: css } : {});
  node.innerHTML = words;
  return node;
}

export function slider({ question, min, max, step, start, truth, digits, guess, answered }) {
  const decimals = String(step).split(".")[1]?.length ?? 0;
  const shown = (x) => fixed(Number(x), decimals), at = (x) => `${(100 * Math.max(0, Math.min(1, (x - min) / (max - min)))).toFixed(2)}%`;
  const box = h("div", { class: "ask" }, question ? html("p", "question", question) : null);
  if (guess === undefined) {
    const out = h("output", {}, shown(start));
    const range = h("input", { type: "range", min, max, step, value: start, "aria-label": box.textContent || "Your guess", oninput: () => text(out, shown(range.value)) });
    box.append(h("div", { class: "slide" }, range, out, push("That is my guess", () => answered(Number(range.value)), "go", { class: "go" })));
    return box;
  }
  box.classList.add("answered");
  const off = Math.abs(guess - truth) / (max - min), told = fixed(truth, digits ?? decimals);
  const track = h("div", { class: "beside", role: "img", "aria-label": `Your guess ${shown(guess)}, the truth ${told}.` });
  track.innerHTML = `<i class="between" style="left:${at(Math.min(guess, truth))};right:calc(100% - ${at(Math.max(guess, truth))})"></i><i class="mine" style="left:${at(guess)}"></i><i class="true" style="left:${at(truth)}"></i>`;
  box.append(track, html("p", "kept", `You said <b>${shown(guess)}</b>. It is <b>${told}</b>. ${off < 0.005 ? "Exactly." : off < 0.06 ? "Very close." : ""}`));
  return box;
}

export function choice({ question, options, truth, guess, answered }) {
  const open = guess === undefined;
  const buttons = options.map(([key, label]) => push(label, () => open && answered(key), `choose-${key}`, { "aria-pressed": String(guess === key), "aria-disabled": open ? null : "true" }));
  return h("div", { class: "ask" }, question ? html("p", "question", question) : null, h("div", { class: "options", role: "group", "aria-label": "Your choice" }, buttons),
    !open && truth ? html("p", "kept", guess === truth ? "That is right." : `You said <b>${guess}</b>. It is <b>${truth}</b>.`) : null);
}

export function act({ question, button, guess, answered }) {
  const open = guess === undefined;
  return h("div", { class: open ? "ask" : "ask answered" }, html("p", "question", question), open ? push(button, answered, "go", { class: "go" }) : null);
}
