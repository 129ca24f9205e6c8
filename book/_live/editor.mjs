// A text area over coloured code: the browser's own editing, undo and screen-reader support, with colours below.
import { colour } from "./colours.mjs";

const STEP = "    ";

export class Editor {
  constructor(pre, text, label) {
    this.pre = pre;
    this.area = document.createElement("textarea");
    Object.assign(this.area, { className: "live-area", value: text, spellcheck: false, autocapitalize: "off", rows: 1 });
    this.area.setAttribute("autocomplete", "off");
    this.area.setAttribute("aria-label", label);
    this.area.setAttribute("aria-description", "Shift and Enter runs the code. Tab leaves it; Control and ] indents, Control and [ takes it back.");
    this.area.setAttribute("wrap", "off"); // a line that went on below would begin at a column that Python does not see
    this.tools = document.createElement("span");
    this.tools.className = "live-tools";
    for (const [sign, name, back] of [["⇤", "Indent less", true], ["⇥", "Indent more", false]]) {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "live-button", textContent: sign, title: name });
      button.setAttribute("aria-label", name);
      button.addEventListener("click", () => this.area.focus() ?? this.shift(back));
      this.tools.append(button);
    }
    pre.parentElement.classList.add("live-editing");
    pre.setAttribute("aria-hidden", "true");
    pre.inert = true; // the theme makes whatever is wide a stop of the Tab key
    pre.after(this.area);
    this.area.addEventListener("input", () => this.draw());
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.draw();
  }

  get text() {
    return this.area.value;
  }

  set text(value) {
    this.area.value = value;
    this.draw();
  }

  draw() {
    this.pre.replaceChildren(colour(this.area.value));
  }

  key(event) {
    if (event.isComposing || event.altKey) return;
    const held = event.ctrlKey || event.metaKey;
    if (event.key === "Enter" && (event.shiftKey || held)) {
      event.preventDefault();
      this.onrun?.();
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.put("\n" + this.indentation());
    } else if (held && (event.key === "]" || event.key === "[")) {
      event.preventDefault();
      this.shift(event.key === "[");
    } else if (event.key === "Backspace" && !held && this.lineBefore().length % 4 === 0 && /^ +$/.test(this.lineBefore()) && this.empty()) {
      event.preventDefault();
      this.area.selectionStart -= 4;
      this.put("");
    }
  }

  empty() {
    return this.area.selectionStart === this.area.selectionEnd;
  }

  lineBefore() {
    const before = this.area.value.slice(0, this.area.selectionStart);
    return before.slice(before.lastIndexOf("\n") + 1);
  }

  indentation() {
    const line = this.lineBefore();
    const now = line.match(/^ */)[0];
    if (/:\s*(#.*)?$/.test(line)) return now + STEP;
    return /^\s*(return|pass|break|continue|raise)\b/.test(line) ? now.slice(STEP.length) : now;
  }

  // Indent what is selected, or put spaces up to the next stop.
  shift(back) {
    const { value, selectionStart: from, selectionEnd: to } = this.area;
    if (!back && from === to) return this.put(" ".repeat(4 - (this.lineBefore().length % 4)));
    const first = value.lastIndexOf("\n", from - 1) + 1;
    const old = value.slice(first, to);
    const fresh = back ? old.replace(/^ {1,4}/gm, "") : old.replace(/^(?=.)/gm, STEP);
    this.area.setSelectionRange(first, to);
    this.put(fresh);
    this.area.setSelectionRange(from === to ? Math.max(first, from - (old.length - fresh.length)) : first, first + fresh.length);
    if (from === to) this.area.selectionEnd = this.area.selectionStart;
  }

  // As if typed, so that undo takes it back.
  put(text) {
    this.area.focus();
    const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
    if (!done) {
      this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
      this.area.dispatchEvent(new Event("input"));
    }
  }
}
