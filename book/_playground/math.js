// The definition, line for line that of ndcg_lib/core.py (and of exact.py, where floating point needs care).
// tests/test_playground.py holds both against each other.

export function gains(grades, gain = "linear", table = {}) {
  if (gain === "table") return grades.map((grade) => table[grade] ?? 0);
  if (gain === "linear") return [...grades];
  if (gain === "exponential") return grades.map((grade) => exp2m1(grade)); // 2^grade - 1
  if (gain === "binary") return grades.map((grade) => (grade > 0 ? 1 : 0));
  throw new RangeError(`gain is ${gain}`);
}

export function discounts(n, discount = "modern", base = 2) {
  const i = ranks(n);
  if (discount === "modern") return i.map((rank) => 1 / log(rank + 1, base));
  if (discount === "original") return i.map((rank) => 1 / Math.max(1, log(rank, base)));
  if (discount === "reciprocal") return i.map((rank) => 1 / rank);
  if (discount === "none") return i.map(() => 1);
  throw new RangeError(`discount is ${discount}`);
}

export function dcg(g, d, k) {
  return discounted(g.slice(0, k), d);
}

export function idcg(g, d, k) {
  const best = bestFirst(g); // first everything is sorted, then cut at k
  return discounted(best.slice(0, k), d);
}

export function ratio(dcg, idcg, empty = 0) {
  if (idcg === 0) return typeof empty === "number" ? empty : NaN;
  const value = dcg / idcg;
  return value > 1 && value < 1 + 1e-12 ? 1 : value; // the same documents added in another order
}

function discounted(g, d) {
  return total(g.map((gain, i) => gain * d[i]));
}

export function total(x) {
  return x.reduce((sum, value) => sum + value, 0);
}

export function bestFirst(g) {
  return [...g].sort((a, b) => b - a);
}

export function ranks(n) {
  return Array.from({ length: n }, (_, i) => i + 1);
}

function log(x, base) {
  return base === 2 ? Math.log2(x) : Math.log(x) / Math.log(base);
}

function exp2m1(x) {
  return x < 1 ? Math.expm1(x * Math.LN2) : 2 ** x - 1; // no digits are lost near 0
}

// ---- equal scores ----

// The groups of ranks with equal scores, as [first, last + 1]; tied[i] says that rank i + 1 has the score of rank i.
export function tiedGroups(tied, n) {
  const groups = [];
  for (let i = 0; i < n; i++) {
    if (i && tied[i]) groups.at(-1)[1] = i + 1;
    else groups.push([i, i + 1]);
  }
  return groups;
}

// The order in which the documents count: order[r] is the place, in the list shown, of the document at rank r + 1.
export function countedOrder(names, g, tied, ties) {
  const compare = {
    reverse: (a, b) => b - a,
    best: (a, b) => g[b] - g[a] || a - b,
    worst: (a, b) => g[a] - g[b] || a - b,
    id: (a, b) => (names[a] < names[b] ? -1 : 1),
    "id-descending": (a, b) => (names[a] < names[b] ? 1 : -1),
  }[ties];
  const order = names.map((_, i) => i);
  if (!compare) return order;
  return tiedGroups(tied, names.length).flatMap(([from, to]) => order.slice(from, to).sort(compare));
}

// What rank each document of the list shown gets: the mean of its group with ties "average" (McSherry and Najork, 2008).
export function weights(d, tied, ties, order) {
  const w = new Array(order.length).fill(0);
  if (ties !== "average") {
    order.forEach((place, rank) => (w[place] = d[rank]));
    return w;
  }
  for (const [from, to] of tiedGroups(tied, order.length)) {
    const mean = to - from > 1 ? total(d.slice(from, to)) / (to - from) : d[from];
    w.fill(mean, from, to);
  }
  return w;
}

// ---- everything about one list ----

// list: names, grades, tied (one entry per returned document), missed (grades of documents judged and not returned)
// convention: gain, table, discount, base, ideal, k (null: no cut-off), ties, empty
export function evaluate(list, convention) {
  const { gain, table, discount, base, ideal, k, ties, empty } = convention;
  const g = gains(list.grades, gain, table);
  const pool = ideal === "judged" ? [...list.grades, ...list.missed] : list.grades;
  const poolGains = gains(pool, gain, table);
  const n = Math.max(g.length, poolGains.length);
  const d = discounts(n, discount, base);
  const order = countedOrder(list.names, g, list.tied, ties);

  const upTo = (cutoff) => {
    const counting = d.map((value, i) => (i < cutoff ? value : 0));
    const w = weights(counting, list.tied, ties, order);
    const gained = total(order.map((place) => g[place] * w[place]));
    const best = idcg(poolGains, d, cutoff);
    const random = (g.length ? total(g) / g.length : 0) * total(counting.slice(0, g.length));
    return {
      k: cutoff, weights: w,
      cg: cgUpTo(g, list.tied, ties, order, cutoff),
      dcg: gained,
      idcg: best,
      ndcg: ratio(gained, best, empty),
      random: ratio(random, best, empty),
      best: ratio(dcg(bestFirst(g), d, cutoff), best, empty),
      worst: ratio(dcg(bestFirst(g).reverse(), d, cutoff), best, empty),
    };
  };
  const cut = Math.min(k ?? n, n);
  return {
    ...upTo(cut), k: k ?? n, n, gains: g, discounts: d, order,
    idealGrades: pool.map((grade, i) => [grade, poolGains[i], i]).sort((a, b) => b[1] - a[1] || a[2] - b[2]),
    atEachK: ranks(n).map(upTo),
  };
}

function cgUpTo(g, tied, ties, order, cutoff) {
  const counting = order.map((_, i) => (i < cutoff ? 1 : 0));
  const w = weights(counting, tied, ties, order);
  return total(order.map((place) => g[place] * w[place]));
}

// What NDCG would be after the documents at ranks i + 1 and i + 2 had changed places.
export function afterSwap(list, convention, i) {
  const names = [...list.names], grades = [...list.grades];
  [names[i], names[i + 1]] = [names[i + 1], names[i]];
  [grades[i], grades[i + 1]] = [grades[i + 1], grades[i]];
  return evaluate({ ...list, names, grades }, convention).ndcg;
}

// What the conventions of named libraries give for this list at this cut-off.
export function ofLibraries(list, k, libraries) {
  return libraries.map(({ name, whom, ...choices }) => {
    const cutoff = Math.min(k ?? Infinity, choices.k ?? Infinity); // XGBoost looks at 32 ranks at most
    const convention = { ...choices, k: Number.isFinite(cutoff) ? cutoff : null };
    return { name, whom, convention, ndcg: evaluate(list, convention).ndcg };
  });
}
