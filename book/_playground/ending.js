// The end of the story: the bets against the truth, what the reader can do now, three doors, and a picture of the reader's
// own list with an address, which opens that list for somebody else.

import { html } from "./bets.js";
import { CHOICES } from "./choices.js";
import { h, push, text } from "./dom.js";
import { fixed } from "./numbers.js";
import { A, B, KETTLE, orders, score } from "./pages.js";
import { Ranking } from "./ranking.js";

export const ofA = score(KETTLE, A), ofB = score(KETTLE, B), best = ofA.idcg, usual = ofA.terms.map(({ share }) => share);
export const every = orders(A).map((list) => score(KETTLE, list).ndcg);
export const shuffle = every.reduce((sum, x) => sum + x, 0) / every.length;
const hidden = score(KETTLE, A.slice(0, 4), { ideal: "returned" }).ndcg;
const HIT = 0.1; // of the scale of a guess
const BESIDE = "How do I descale a kettle?", BOOK = "The NDCG book";
const left = (globalThis.document?.querySelector("meta[name=ndcg-left-out]")?.content ?? "").split(" "); // by the course
const DOORS = [
  ["chapters/two-rankings.html", "Teach me properly", "One story, page by page. On the way you compute the lists of five other authors, and you say what a value is worth."],
  ["playground.html", "Check my own number", "Put in your list and the ideal behind it, switch through the tools, and see which of them gives your number."],
  ["assignments.html", "Give me something to solve", "Exercises that tell you at once what went wrong, here in the page, with numbers of your own."],
];

// Each guess: what was asked, what was said, what is true, and how far off it is on its scale.
function guesses(s) {
  const rows = [];
  const row = (asked, said, shown, truth, off) => said !== undefined && rows.push({ asked, shown: shown(said), truth, hit: off ? off(said) < HIT : undefined });
  row("Which engine would you rather use?", s.said("choose"), String, `A has ${fixed(ofA.ndcg)}, B ${fixed(ofB.ndcg)}`);
  row("The highest sum of the grades", s.said("add"), String, `${ofA.cg}, in any order`, (x) => Math.abs(x - ofA.cg) / 15);
  row("Readers at rank 5, of a hundred", s.said("leave")?.[4], (x) => Math.round(100 * x), `${Math.round(100 * usual[4])} by the usual curve`, (x) => Math.abs(x - usual[4]));
  row("What a reader takes home from A", s.said("walk"), (x) => fixed(x, 1), fixed(ofA.dcg), (x) => Math.abs(x - ofA.dcg) / 6);
  row("Your best order", s.said("divide"), (x) => fixed(x), `${fixed(best)}, the most there is`, (x) => (best - x) / best);
  row("What a shuffle gets", s.said("shuffle"), (x) => fixed(x, 2), fixed(shuffle), (x) => Math.abs(x - shuffle) / 0.6);
  return rows;
}

export function board(s) {
  const rows = guesses(s), played = rows.filter(({ hit }) => hit !== undefined), hits = played.filter(({ hit }) => hit).length;
  if (!rows.length) return null;
  const table = rows.map(({ asked, shown, truth }) => `<tr><th scope="row">${asked}</th><td>${shown}</td><td><b>${truth}</b></td></tr>`).join("");
  const said = hits > 3 ? "You have a feeling for this number. Use it, and keep checking it." : hits > 1 ? `${hits} of your ${played.length} guesses were close.` : "Wrong guesses are what you will remember of this page.";
  const bar = s.said("shuffle") === undefined ? "" : ` The one to keep is the last, because it is the bar that every engine has to clear: a shuffle of the five cards gets ${fixed(shuffle)} on average, and engine B gets less.`;
  return h("div", {}, html("div", "board", `<table><caption class="unseen">Your bets against the truth</caption><thead><tr><td>you were asked</td><th scope="col">you said</th><th scope="col">it is</th></tr></thead><tbody>${table}</tbody></table>`), html("p", "", played.length ? said + bar : ""));
}

const own = (s) => s.said("own") ?? s.own ?? B;
const titles = (list) => list.map((id) => KETTLE[id].title);
const pictured = (list) => `My order of five pages about a kettle: ${titles(list).join(", ")}. Its NDCG is ${fixed(score(KETTLE, list).ndcg)}, and a shuffle gets ${fixed(shuffle)}.`;

export const ended = (s) => (s.said("hand") ? "That number is yours now" : s.said("half") ? "One division away" : "This is where it ends");

export function closing(s) {
  const r = score(KETTLE, own(s));
  if (s.said("hand")) return `<p>You typed <b>${fixed(r.dcg)} / ${fixed(best)} = ${fixed(r.ndcg)}</b> for a list that you made yourself, and it is right.</p>`;
  if (s.said("half")) return `<p>You have the first sum. Divide it by the other one, and you are done. <a href="#hand">Back to the pencil</a></p>`;
  return `<p>You have seen how the number is made. Work one out with a pencil, and it is yours. <a href="#hand">To the pencil</a></p>`;
}

export function ending(s) {
  const list = own(s), doubt = s.said("hide")
    ? `If somebody hides a good page and the number <i>rises</i>, as it rose for you from ${fixed(ofA.ndcg)} to ${fixed(hidden)}, you know what the ideal was made of.`
    : "If somebody hides a good page and the number <i>rises</i>, the list was compared with itself.";
  const can = html("div", "can", `<h3>What you can do now</h3><ul><li><b>Compute it.</b> Grade × share of the readers, added up, divided by the best that was possible. Nothing else is in an NDCG.</li><li><b>Doubt it.</b> ${doubt}</li><li><b>Ask for the bar.</b> Before you call ${fixed(ofB.ndcg)} a good value, ask what a shuffle gets.</li></ul>`);
  const doors = h("ul", { class: "doors" }, DOORS.filter(([to]) => !left.includes(to.replace(".html", ""))).map(([to, name, words]) => h("li", {}, h("a", { href: to }, h("b", {}, name), h("span", {}, words)))));
  const drawing = html("div", "picture", picture(list));
  drawing.firstChild.setAttribute("aria-label", pictured(list));
  return h("div", { class: "ending" }, drawing, share(list, drawing), can, doors);
}

// The address holds the list as five grades and nothing about the reader.
function share(list, drawing) {
  const address = `${location.href.split("#")[0]}#beat=${list.map((id) => KETTLE[id].grade).join("")}`;
  const field = h("input", { readonly: true, value: address, "aria-label": "The address of your list" }), said = h("span", { class: "told", role: "status" });
  const copy = async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(address);
      text(said, "Copied. It holds your list and nothing about you.");
    } catch {
      text(said, "Copy the address from the field.");
    }
  };
  const save = () => {
    const file = new Blob([drawing.innerHTML], { type: "image/svg+xml" }), link = h("a", { href: URL.createObjectURL(file), download: "my-ranking.svg" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return h("div", { class: "turn share" }, push("Copy the address", copy, "copy", { class: "quiet" }), push("Save the picture", save, "save", { class: "quiet" }), field, said);
}

export function picture(list) {
  const ink = "#f3f1ea", dim = "#3b4048", gain = "#56b4e9", lit = "#3ecf9f", edge = "#ff9d5c", r = score(KETTLE, list), out = [];
  const words = (x, y, size, said, more = "") => out.push(`<text x="${x}" y="${y}" font-size="${size}" ${more}>${said}</text>`);
  words(48, 66, 34, BESIDE, 'font-style="italic"');
  for (const [i, { id, grade, share: part }] of r.terms.entries()) {
    const y = 96 + i * 76, arrive = Math.round(100 * part);
    out.push(`<rect x="48" y="${y}" width="330" height="60" rx="8" fill="#22262d"/>`);
    words(64, y + 27, 19, KETTLE[id].title);
    for (let mark = 0; mark < 3; mark++) out.push(`<circle cx="${70 + 22 * mark}" cy="${y + 45}" r="6" fill="${mark < grade ? gain : "none"}" stroke="${gain}" stroke-opacity=".6"/>`);
    for (let n = 0; n < 100; n++) {
      const here = n < arrive;
      out.push(`<circle cx="${(404 + 17.4 * Math.floor(n / 4)).toFixed(1)}" cy="${y + 10 + 14 * (n % 4)}" r="${here && grade ? 3.2 + grade * 0.7 : 2.4}" fill="${here ? (grade ? lit : "#9aa1ab") : dim}"/>`);
    }
    out.push(`<path d="M${(398 + 17.4 * (arrive / 4)).toFixed(0)} ${y - 6}v72" stroke="${edge}" stroke-width="2.5"/>`);
  }
  for (const [x, terms, sum, colour, name] of [[905, r.terms, r.dcg, lit, "mine"], [1045, r.best, r.idcg, "#e39bd8", "the best"]]) {
    let y = 476;
    for (const { value } of terms.filter((term) => term.value)) {
      out.push(`<rect x="${x}" y="${(y - 76 * value).toFixed(1)}" width="96" height="${(76 * value - 3).toFixed(1)}" rx="3" fill="${colour}"/>`);
      y -= 76 * value;
    }
    words(x + 48, y - 12, 24, fixed(sum), 'text-anchor="middle"');
    words(x + 48, 504, 20, name, 'text-anchor="middle"');
  }
  words(48, 556, 40, `My ranking scores ${fixed(r.ndcg)}. A shuffle gets ${fixed(shuffle)}.`, 'font-weight="bold"');
  words(48, 602, 30, challenge(r.ndcg), `fill="${edge}"`);
  words(1152, 602, 22, BOOK, 'text-anchor="end" fill-opacity=".7"');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 630" role="img" font-family="Georgia, serif" fill="${ink}"><rect width="1200" height="630" rx="12" fill="#15181d"/>${out.join("")}</svg>`;
}

const challenge = (value, shuffled = shuffle) => (value > 1 - 1e-9 ? "Nothing beats it. Which other order gets as much?" : value > shuffled ? "Can you beat it in one move?" : "Can you beat both in one move?");

// The list of somebody else, from the address: its grades, and what differs from the textbook, as in #beat=03201@3;d=reciprocal;g=exponential.
export function listIn(hash) {
  const [, digits, k, chosen] = /^#beat=(\d{2,8})(?:@([1-8]))?((?:;[dg]=[a-z]+)*)$/.exec(hash) ?? [];
  if (!digits || !Number(digits)) return null;
  const convention = {};
  for (const [letter, value] of chosen.split(";").slice(1).map((part) => part.split("="))) {
    const choice = letter === "d" ? "discount" : "gain";
    if (!CHOICES[choice].options[value]?.of) return null;
    convention[choice] = value;
  }
  const grades = [...digits].map(Number), how = { k: Number(k) || null, convention };
  if ([...grades].sort().join("") !== "00123") return { ...how, pages: Object.fromEntries(grades.map((grade, i) => [`p${i}`, { grade, title: `Page ${"ABCDEFGH"[i]}` }])), list: grades.map((_, i) => `p${i}`) };
  const left = [...B];
  return { ...how, pages: KETTLE, list: grades.map((grade) => left.splice(left.findIndex((id) => KETTLE[id].grade === grade), 1)[0]) };
}

function bestMove({ list, pages, ...how }) {
  const moves = list.flatMap((id, from) => list.map((_, to) => {
    const rest = list.filter((other) => other !== id);
    return { id, from, to, value: score(pages, [...rest.slice(0, to), id, ...rest.slice(to)], how).ndcg };
  }));
  return moves.filter(({ from, to }) => from !== to).reduce((one, other) => (other.value > one.value + 1e-9 ? other : one));
}

export const FRIEND = {
  id: "friend", name: "", title: "Somebody’s list", always: true,
  text: ({ theirs: { pages, k, convention: { discount, gain } } }) => {
    const rules = [k && `only the first ${k} count`, discount && `the discount is “${discount}”`, gain && `the gain is “${gain}”`].filter(Boolean).join(", ");
    return `<p>Somebody put ${Object.keys(pages).length} pages${pages === KETTLE ? " about a kettle" : ""} into this order and sends you its number${rules ? `; ${rules}` : ""}. The <span class="g">blue marks</span> are a judge’s grades. Which single card would you move?</p>`;
  },
  view: (s) => {
    s.sent = new Ranking({ ...s.theirs, name: "somebody’s list", shows: ["readers", "lit", "terms", "towers", "ideal", "ndcg"], changed: (change) => s.changed?.(change) });
    return s.sent.element;
  },
  ask: (s) => {
    const { pages, list, ...how } = s.theirs, was = s.sent.result.ndcg, few = list.length < 7 ? orders(list).map((other) => score(pages, other, how).ndcg) : [];
    const shuffled = few.length ? few.reduce((sum, x) => sum + x, 0) / few.length : 0;
    const said = html("p", "told", `It has ${fixed(was)}${few.length ? `, and a shuffle gets ${fixed(shuffled)}` : ""}. ${challenge(was, shuffled)}`);
    said.setAttribute("role", "status");
    s.changed = ({ kind }) => {
      if (kind === "pull" || s.sent.element.querySelector(".held")) return;
      const value = s.sent.result.ndcg, top = bestMove(s.theirs);
      s.changed = null;
      s.sent.set({ frozen: true });
      const way = value > top.value - 1e-9 ? "No other move does better." : `The best move brings ${fixed(top.value)}: ${pages[top.id].title} to rank ${top.to + 1}.`;
      text(said, `${fixed(was)} → ${fixed(value)}. ${value > was + 1e-9 ? "You beat it." : "That did not beat it."} ${was > 1 - 1e-9 ? "" : way}`);
    };
    return h("div", {}, said, h("p", {}, h("a", { class: "go", href: "#choose" }, "Now learn why →")));
  },
};
