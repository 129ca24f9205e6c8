// The sums with their current numbers, as MathML for the page and as LaTeX for copying. One term is one <math>, so
// that a long sum breaks into lines at its plus signs on a narrow screen.

import { baseName, fixed, short } from "./numbers.js";

const GENERAL_GAIN = {
  linear: "<msub><mi>rel</mi><mi>i</mi></msub>",
  exponential: "<mrow><msup><mn>2</mn><msub><mi>rel</mi><mi>i</mi></msub></msup><mo>−</mo><mn>1</mn></mrow>",
  binary: "<mrow><mo>[</mo><msub><mi>rel</mi><mi>i</mi></msub><mo>&gt;</mo><mn>0</mn><mo>]</mo></mrow>",
  table: "<mrow><mi>w</mi><mo>(</mo><msub><mi>rel</mi><mi>i</mi></msub><mo>)</mo></mrow>",
};

export function generalMathml(convention, k) {
  const gain = `<mrow class="gain">${GENERAL_GAIN[convention.gain]}</mrow>`;
  const log = (x) => `<mrow class="discount">${logMathml(convention.base, x)}</mrow>`;
  const term = {
    modern: fraction(gain, log("<mrow><mo>(</mo><mi>i</mi><mo>+</mo><mn>1</mn><mo>)</mo></mrow>")),
    original: fraction(gain, `<mrow class="discount"><mi>max</mi><mo>(</mo><mn>1</mn><mo>,</mo>${logMathml(convention.base, "<mi>i</mi>")}<mo>)</mo></mrow>`),
    reciprocal: fraction(gain, `<mi class="discount">i</mi>`),
    none: gain,
  }[convention.discount];
  const sum = `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>k</mi></munderover>`;
  const ideal = convention.ideal === "judged" ? "all judged documents, best first" : "the returned documents, best first";
  return [
    math(`<mrow>${named("DCG")}<mo>=</mo>${sum}${term}</mrow>`),
    `${math(`<mrow>${named("IDCG")}<mo>=</mo></mrow>`)} the same sum over ${ideal}`,
    math(`<mrow>${named("NDCG")}<mo>=</mo>${fraction(named("DCG"), named("IDCG"))}<mo>,</mo><mspace width="0.5em"/><mi>k</mi><mo>=</mo><mn>${k}</mn></mrow>`),
  ];
}

// The lines DCG@k = …, IDCG@k = …, NDCG@k = …, each as a list of <math>.
export function linesMathml(state, result) {
  return sums(state, result).map(({ name, terms, total }) => [
    math(named(name, result.k)),
    ...terms.map((term, i) => math(`<mrow><mo form="infix">${i ? "+" : "="}</mo>${termMathml(term, state.convention)}</mrow>`)),
    math(`<mrow><mo form="infix">=</mo>${terms.length ? "" : `<mn>0</mn>`}${terms.length ? number(short(total)) : ""}</mrow>`),
  ]).concat([[
    math(named("NDCG", result.k)),
    math(`<mrow><mo form="infix">=</mo>${fraction(number(short(result.dcg)), number(short(result.idcg)))}</mrow>`),
    math(`<mrow><mo form="infix">=</mo>${Number.isNaN(result.ndcg) ? "<mtext>undefined</mtext>" : number(fixed(result.ndcg))}</mrow>`),
  ]]);
}

export function latex(state, result) {
  const lines = sums(state, result).map(({ name, terms, total }) => {
    const written = terms.map((term) => termLatex(term, state.convention)).join(" + ") || "0";
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

function termMathml({ grade, gain, rank, mean }, { gain: kind, discount, base }) {
  const exponential = kind === "exponential";
  const inside = exponential
    ? `<mrow><msup><mn>2</mn>${number(short(grade))}</msup><mo>−</mo><mn>1</mn></mrow>`
    : number(short(gain));
  const g = `<mrow class="gain">${inside}</mrow>`;
  const bare = exponential ? `<mrow><mo>(</mo>${g}<mo>)</mo></mrow>` : g;
  if (mean !== null) return `<mrow>${bare}<mo>·</mo><mrow class="discount">${number(short(mean))}</mrow></mrow>`;
  const under = (x) => fraction(g, `<mrow class="discount">${x}</mrow>`);
  if (discount === "modern") return under(logMathml(base, number(rank + 2)));
  if (discount === "original") return rank + 1 < base ? bare : under(logMathml(base, number(rank + 1)));
  if (discount === "reciprocal") return under(number(rank + 1));
  return bare;
}

function termLatex({ grade, gain, rank, mean }, { gain: kind, discount, base }) {
  const text = kind === "exponential" ? `2^{${short(grade)}}-1` : short(gain);
  const bare = kind === "exponential" ? `(${text})` : text;
  if (mean !== null) return `${bare} \\cdot ${short(mean)}`;
  const b = baseName(base);
  if (discount === "modern") return `\\frac{${text}}{\\log_{${b}} ${rank + 2}}`;
  if (discount === "original") return rank + 1 < base ? bare : `\\frac{${text}}{\\log_{${b}} ${rank + 1}}`;
  if (discount === "reciprocal") return `\\frac{${text}}{${rank + 1}}`;
  return bare;
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

function logMathml(base, x) {
  return `<mrow><msub><mi>log</mi>${base === Math.E ? "<mi>e</mi>" : number(baseName(base))}</msub><mspace width="0.167em"/>${x}</mrow>`;
}

function number(x) {
  return `<mn>${x}</mn>`;
}
