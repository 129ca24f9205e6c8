// NDCG in ten minutes: one idea and one question in each step. A step asks; once the reader has answered, it tells.
//
// A step has `text`, `ask` (a bet, or an act on the figure), and `after`, which is told once the bet is kept. `enter` sets
// the figure, `reveal` changes it at the moment of the answer. s: what ten.js keeps for the steps.

import { act, choice, html, slider } from "./bets.js";
import { byHand, challenges } from "./challenges.js";
import { h } from "./dom.js";
import { best, board, closing, ended, ending, ofA, ofB, usual } from "./ending.js";
import { fixed } from "./numbers.js";
import { A, B, KETTLE, score } from "./pages.js";
import { Ranking } from "./ranking.js";

export const LIT = ["readers", "lit", "terms", "towers"];
export const ALL = [...LIT, "ideal", "ndcg"];
const a = fixed(ofA.ndcg), b = fixed(ofB.ndcg);
const percent = (shares) => shares.map((share) => Math.round(share * 100)).join(", ");

export const STEPS = [
  {
    id: "choose", name: "Choose", title: "Same five pages, two orders",
    text: `<p>You ask two engines <q>how do I descale a kettle?</q> Both find the same five pages. The <span class="g">blue marks</span> are a judge’s grade. <b>Move a card and watch its number:</b> it is called NDCG, <i>normalised discounted cumulative gain</i>.<span class="wide"> The dots are a hundred readers on their way down.</span> The green bar adds up what readers find, above the best that there is.</p>`,
    view: engines,
    ask: (s) => choice({ question: "Which engine would you rather use?", options: [["A", "Engine A"], ["B", "Engine B"]], ...s.bet }),
    after: (s) => (s.bet.guess === "A"
      ? `<p>NDCG agrees with you: it gave A <b>${a}</b> and B <b>${b}</b>, because A shows the best page at once. In ten minutes you can work out both numbers with a pencil.</p>`
      : `<p>You have a point, because the first three pages of B hold 5 marks, and those of A only 4. Yet NDCG gave A <b>${a}</b> and B <b>${b}</b>. You will see why as soon as we ask how far people read.</p>`),
  },
  {
    id: "add", name: "Add", title: "First try: add up the grades",
    text: `<p>The simplest score adds the grades of all pages. It is called <b>cumulative gain</b>, CG, and engine A has 3 + 0 + 1 + 0 + 2 = ${ofA.cg}.</p>`,
    enter: (s) => s.fig.reveal(s.known ? ["sum"] : [], { list: [...A], frozen: !s.known }),
    ask: (s) => slider({ question: "You may put the five cards into any order. What is the highest CG that you can reach?", min: 0, max: 15, step: 1, start: ofA.cg, truth: ofA.cg, ...s.bet }),
    reveal: (s) => s.fig.reveal(["sum"], { frozen: false }),
    after: () => `<p>Try to beat it: <b>drag a card</b>, or choose one and press <kbd>↑</kbd> or <kbd>↓</kbd>. All 120 orders have ${ofA.cg}, because a sum forgets where each page stood. A score that is to judge the order needs one thing more.</p>`,
  },
  {
    id: "leave", name: "Leave", title: "Readers leave",
    text: `<p>The order matters because people stop reading. Picture 100 readers who all look at rank 1. Some of them have seen enough and leave, the others go on to rank 2, and so on down.</p>`,
    enter: (s) => {
      s.fig.set({ list: [...A], frozen: true });
      if (s.known) s.fig.showPulled(s.bet.guess);
      else s.fig.beginPulling();
    },
    leave: (s) => {
      s.fig.ranks.replaceChildren();
      s.fig.crowd.set({ guess: null, handles: false });
      s.fig.set({ shares: null });
    },
    ask: (s) => act({ question: "How many of the 100 get to ranks 2, 3, 4 and 5? <b>Pull the orange edge</b> to where you think it is.", button: "That is my curve", guess: s.bet.guess, answered: () => s.bet.answered(s.fig.shares) }),
    reveal: (s) => s.fig.showPulled(s.bet.guess, true),
    after: (s) => `<p class="kept">You drew ${percent(s.bet.guess)} (dashed). The usual curve is <b class="d">${percent(usual)}</b>.</p>
      <p>The orange edge is called the <span class="d">discount</span>, and at each rank it is <span class="d nowrap">1 / log₂(rank + 1)</span>. Nobody counted these readers. The curve is an agreement, and it falls quickly at first and slowly later. Yours may fit your readers better, but people use this one, so that their numbers can be compared.</p>`,
  },
  {
    id: "walk", name: "Walk", title: "Let them walk",
    text: `<p>A reader who gets to a page takes home its <span class="g">grade</span>, and <span class="c">lights up</span> if there is one. On a page that does not help, a reader stays dark.</p>`,
    enter: (s) => s.fig.reveal(s.known ? LIT : ["readers"], { list: [...A], frozen: !s.known }),
    ask: (s) => slider({ question: `The grades of A add up to ${ofA.cg}. How much does a reader take home <b>on average</b>?`, min: 0, max: 6, step: 0.1, start: 3, truth: ofA.dcg, digits: 3, ...s.bet }),
    reveal: (s) => {
      s.fig.reveal(LIT, { frozen: false });
      s.fig.walk();
    },
    after: () => `<p>Read each row from left to right: <span class="g">grade</span> × <span class="d">share of the readers</span> = <span class="c">collected</span>. Added up, this is the <b>discounted</b> cumulative gain, <span class="c">DCG = ${fixed(ofA.dcg)}</span>. (Whole readers are drawn; the shares have more decimals.)</p>
      <p><b>Move <i>Vinegar</i> up</b> and watch the tower: its two marks count for more where more readers get to see them.</p>`,
    again: (s) => s.fig.walk(),
  },
  {
    id: "divide", name: "Divide", title: `Is ${fixed(ofA.dcg)} a lot?`,
    text: "<p>You cannot tell before you know what these five pages could have given. So find out.</p>",
    enter: (s) => s.fig.reveal(s.known ? ALL : LIT, { list: [...A], frozen: false }),
    ask: (s) => act({ question: "Put the cards into <b>the best order</b> that you can find.", button: "This is my best", guess: s.bet.guess, answered: () => s.bet.answered(s.fig.result.dcg) }),
    reveal: (s) => s.fig.reveal(ALL),
    after: (s) => `<p class="kept">Your order collects <b>${fixed(s.bet.guess)}</b>. ${s.bet.guess > best - 1e-9 ? "Nothing collects more" : `The most is ${fixed(best)}`}: the highest grades first, 3, 2, 1, 0, 0.</p>
      <p>The sum of the best order is the <span class="p">ideal DCG</span>, <span class="p">IDCG = ${fixed(best)}</span>. Set your tower against it: <b>NDCG = <span class="c">DCG</span> / <span class="p">IDCG</span></b>. The best order always has 1, so you can compare one question with the next. Engine A has ${fixed(ofA.dcg)} / ${fixed(best)} = <b>${a}</b>.</p>`,
  },
  { id: "play", name: "Play", title: "Your turn: three challenges", text: "", ask: challenges, always: true },
  {
    id: "hand", name: "By hand", title: "Now with a pencil",
    text: "<p>Make a list that you like by moving the cards. Then work out its number: three decimals are enough.</p>",
    enter: (s) => s.fig.reveal(["readers", "lit", "towers", "ideal", "ndcg", "blind"], { list: [...(s.own ?? B)], missed: [], ideal: null, frozen: false }),
    ask: byHand, always: true,
  },
  { id: "end", name: "The end", title: ended, text: closing, view: ending, ask: board, always: true },
];

// The two engines, side by side, each with its number; both can be played with at once.
function engines(s) {
  const one = (name, list) => {
    const value = h("b", {}, fixed(score(KETTLE, list).ndcg));
    const fig = new Ranking({ pages: KETTLE, list, name: `engine ${name}`, shows: ["readers", "lit", "towers", "ideal", "ndcg", "bare"], changed: () => { value.textContent = fixed(fig.result.ndcg); s.moved(); } });
    setTimeout(() => fig.walk(), 400);
    return h("div", { class: `one ${s.bet.guess === name ? "chosen" : ""}` }, h("h3", {}, `Engine ${name}`, h("span", { class: "ndcg" }, "NDCG ", value)), fig.element);
  };
  return h("div", { class: "engines" }, one("A", A), one("B", B));
}
