// The sums with their current numbers, as MathML for the page and as LaTeX for copying. One term is one <math>, so
// that a long sum breaks into lines at its plus signs on a narrow screen.

import { CHOICES } from "./choices.js";
import { fixed, short } from "./numbers.js";
import { blanks } from "./words.js";

export function generalMathml(convention, k) {
  const rank = { g: "rel_i", i: "i", next: "(i+1)", before: "i-1" };
  const gain = convention.gain === "table" ? "w(rel_i)" : CHOICES.gain.options[convention.gain].latex(blanks(convention, rank));
  const text = marked("gain", gain);
  const sum = `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>k</mi></munderover>`;
  const ideal = convention.ideal === "judged" ? "all judged documents, best first" : "the returned documents, best first";
  return [
    math(`<mrow>${named("DCG")}<mo>=</mo>${sum}${mathml(discountedTerm(convention, text, text, rank, marked))}</mrow>`),
    `${math(`<mrow>${named("IDCG")}<mo>=</mo></mrow>`)} the same sum over ${ideal}`,
    math(`<mrow>${named("NDCG")}<mo>=</mo>${fraction(named("DCG"), named("IDCG"))}<mo>,</mo><mspace width="0.5em"/><mi>k</mi><mo>=</mo><mn>${k}</mn></mrow>`),
  ];
}

// The lines DCG@k = …, IDCG@k = …, NDCG@k = …, each as a list of <math>.
export function linesMathml(state, result) {
  return sums(state, result).map(({ name, terms, total }) => [
    math(named(name, result.k)),
    ...terms.map((one, i) => math(`<mrow><mo form="infix">${i ? "+" : "="}</mo>${mathml(term(one, state.convention, marked))}</mrow>`)),
    math(`<mrow><mo form="infix">=</mo>${terms.length ? "" : `<mn>0</mn>`}${terms.length ? number(short(total)) : ""}</mrow>`),
  ]).concat([[
    math(named("NDCG", result.k)),
    math(`<mrow><mo form="infix">=</mo>${fraction(number(short(result.dcg)), number(short(result.idcg)))}</mrow>`),
    math(`<mrow><mo form="infix">=</mo>${Number.isNaN(result.ndcg) ? "<mtext>undefined</mtext>" : number(fixed(result.ndcg))}</mrow>`),
  ]]);
}

export function latex(state, result) {
  const lines = sums(state, result).map(({ name, terms, total }) => {
    const written = terms.map((one) => term(one, state.convention, plain)).join(" + ") || "0";
    return `\\mathrm{${name}@${result.k}} &= ${written} = ${short(total)}`;
  });
  const value = Number.isNaN(result.ndcg) ? "\\text{undefined}" : fixed(result.ndcg);
  const quotient = `\\frac{${short(result.dcg)}}{${short(result.idcg)}}`;
  lines.push(`\\mathrm{NDCG@${result.k}} &= ${quotient} = ${value}`);
  return `\\begin{aligned}\n${lines.join(" \\\\\n")}\n\\end{aligned}`;
}

// The terms of both sums: grade, gain, rank (0-based), and the mean discount where equal scores share their ranks.
function sums(state, result) {
  const { returned, tied, convention } = state;
  const shared = (place) => convention.ties === "average" && (tied[place] || tied[place + 1]);
  const counted = result.order.map((place, rank) => ({
    grade: returned[place].grade, gain: result.gains[place], rank,
    mean: shared(place) ? result.weights[place] : null, discount: result.discounts[rank],
  }));
  const ideal = result.idealGrades.map(([grade, gain], rank) => ({
    grade, gain, rank, mean: null, discount: result.discounts[rank],
  }));
  const counts = (term) => (term.mean === null ? term.rank < result.k : term.mean > 0);
  return [
    { name: "DCG", terms: counted.filter(counts), total: result.dcg },
    { name: "IDCG", terms: ideal.filter(counts), total: result.idcg },
  ];
}

// A term as the table of choices writes it: the gain, and what the discount does to it at this rank.
function term({ grade, gain, rank, mean }, convention, mark) {
  const option = CHOICES.gain.options[convention.gain];
  const text = mark("gain", option?.spelled ? option.latex(blanks(convention, { g: short(grade) })) : short(gain));
  const bare = option?.spelled ? `(${text})` : text;
  if (mean !== null) return `${bare} \\cdot ${mark("discount", short(mean))}`;
  return discountedTerm(convention, text, bare, { i: rank + 1, next: rank + 2, before: rank }, mark);
}

function discountedTerm(convention, text, bare, rank, mark) {
  const { under, times, starts } = CHOICES.discount.options[convention.discount];
  const values = blanks(convention, rank), general = rank.i === "i";
  if (starts && rank.i < convention[starts]) return bare;
  if (under) return `\\frac{${text}}{${mark("discount", general && starts ? `\\max(1, ${under(values)})` : under(values))}}`;
  return times ? `${bare} \\cdot ${mark("discount", times(values))}` : bare;
}

const plain = (kind, text) => text;
const marked = (kind, text) => `\\${kind}{${text}}`;

// The little LaTeX that the table of choices needs, as MathML.
function mathml(latex) {
  const tokens = latex.match(/\\[a-z]+|\d+(?:\.\d+)?|[a-z]+|\S/gi);
  const row = () => {
    const made = [];
    while (tokens.length && tokens[0] !== "}") {
      const token = tokens.shift();
      if (token !== "_" && token !== "^") made.push(atom(token));
      else {
        const tag = token === "_" ? "msub" : "msup", base = made.pop();
        made.push(`<${tag}>${base}${atom(tokens.shift())}</${tag}>`);
        if (base === "<mi>log</mi>") made.push(`<mspace width="0.167em"/>`);
      }
    }
    return made.length === 1 ? made[0] : `<mrow>${made.join("")}</mrow>`;
  };
  const atom = (token) => {
    if (token === "{") {
      const inside = row();
      tokens.shift();
      return inside;
    }
    if (token === "\\frac") return fraction(atom(tokens.shift()), atom(tokens.shift()));
    if (token === "\\gain" || token === "\\discount") return `<mrow class="${token.slice(1)}">${atom(tokens.shift())}</mrow>`;
    if (token === "\\cdot") return "<mo>·</mo>";
    if (/^\d/.test(token)) return number(token);
    if (/^\\?[a-z]/i.test(token)) return `<mi>${token.replace("\\", "")}</mi>`;
    return `<mo>${{ "-": "−", ">": "&gt;" }[token] ?? token}</mo>`;
  };
  return row();
}

function math(inside) {
  return `<math displaystyle="true">${inside}</math>`;
}

function named(name, k = "k") {
  return `<mrow><mi>${name}</mi><mo lspace="0" rspace="0">@</mo>${k === "k" ? "<mi>k</mi>" : number(k)}</mrow>`;
}

function fraction(above, below) {
  return `<mfrac>${above}${below}</mfrac>`;
}

function number(x) {
  return `<mn>${x}</mn>`;
}
