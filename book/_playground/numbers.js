// How numbers are written. Rounding is Python's (a half goes to the even digit), so that copies equal nd.working(…).

// No number here is negative: signed(…) writes differences.
export function fixed(x, decimals = 3) {
  if (Number.isNaN(x)) return "-";
  if (Math.abs(x) >= 1e21) return `${BigInt(x)}${decimals ? `.${"0".repeat(decimals)}` : ""}`;
  const scaled = x * 2 ** (decimals + 1);
  const isHalf = Number.isInteger(scaled) && scaled % 2 !== 0; // only such a number is halfway exactly
  const text = x.toFixed(decimals);
  if (!isHalf || Number(text.at(-1)) % 2 === 0) return text;
  const other = (x - 10 ** -decimals / 2).toFixed(decimals);
  return Number(other.at(-1)) % 2 === 0 ? other : text;
}

// Without the zeros that say nothing: 3, 1.5, 0.631.
export function short(x, decimals = 3) {
  const text = fixed(x, decimals);
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

// For reading: NDCG with three decimals, or why there is none.
export function value(x, empty) {
  return Number.isNaN(x) ? { skip: "left out", raise: "an error" }[empty] ?? "undefined" : fixed(x);
}

export function signed(x) {
  const text = fixed(Math.abs(x));
  return Number(text) === 0 ? "±0.000" : `${x > 0 ? "+" : "−"}${text}`;
}

export function baseName(base) {
  return base === Math.E ? "e" : String(Number(base.toPrecision(6)));
}
