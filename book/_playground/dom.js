// Small helpers that make and change elements.

import { STYLE } from "./made-at-build-time.js";

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, given] of Object.entries(attributes)) set(element, name, given);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export function set(element, name, given) {
  if (name.startsWith("on")) given && element.addEventListener(name.slice(2), given);
  else if (given === null || given === false) element.removeAttribute(name);
  else element.setAttribute(name, given === true ? "" : given);
}

export function button(label, glyph, act, key) {
  return push(h("span", { "aria-hidden": "true" }, glyph), act, key, { "aria-label": label });
}

// A button with words of its own; by its key it gets the focus back when the page is drawn anew.
export function push(words, act, key, attributes = {}) {
  return h("button", { type: "button", onclick: act, "data-key": key, ...attributes }, words);
}

// For the ends of a list: a button that is disabled would lose the focus of who has just pressed it.
export function enable(element, enabled) {
  set(element, "aria-disabled", enabled ? null : "true");
}

export function text(element, words) {
  if (element.textContent !== words) element.textContent = words;
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Let the rows glide from where they were to where they are.
export function glide(rows, change) {
  const before = new Map(rows().map((row) => [row, row.getBoundingClientRect()]));
  change();
  if (calm()) return;
  for (const row of rows()) {
    const was = before.get(row);
    if (!was) continue;
    const now = row.getBoundingClientRect();
    const x = was.left - now.left, y = was.top - now.top;
    if (x || y) row.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 180, easing: "ease-out" });
  }
}

// The page's theme, or the machine's where the page has none: draws `frame` dark or light, and says so to `changed`.
function followTheme(host, frame, changed = () => {}) {
  const machine = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const named = host.getAttribute("theme") ?? document.documentElement.dataset.theme;
    frame.classList.toggle("dark", named ? named === "dark" : machine.matches);
    changed();
  };
  const watcher = new MutationObserver(apply);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  machine.addEventListener("change", apply);
  apply();
  return () => {
    watcher.disconnect();
    machine.removeEventListener("change", apply);
  };
}

// What stands in the page: it begins once, and follows the theme as long as it stands there.
export class Figure extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) this.begin();
    this.leaveTheme = followTheme(this, this.frame, () => this.themed());
  }

  disconnectedCallback() {
    this.leaveTheme();
  }

  themed() {}

  stand(frame) {
    this.frame = frame;
    this.attachShadow({ mode: "open" }).append(h("style", {}, STYLE), frame);
  }
}

// Follow the pointer until it is let go. The window listens, because an element that moves in the document loses the pointer.
export function whileHeld(follow, letGo = () => {}) {
  const done = () => {
    removeEventListener("pointermove", follow);
    for (const end of ["pointerup", "pointercancel"]) removeEventListener(end, done);
    letGo();
  };
  addEventListener("pointermove", follow);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, done);
}
