// Python in the colours of the theme: the class names are those of Pygments.
const WORDS = {
  k: "and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield",
  kc: "True False None",
  nb: "abs all any bool dict display divmod enumerate filter float format frozenset getattr hasattr hash input int isinstance iter len list map max min next object open pow print range repr reversed round set slice sorted str sum super tuple type zip",
};
const CLASS_OF = new Map(Object.entries(WORDS).flatMap(([name, words]) => words.split(" ").map((word) => [word, name])));
const PART = new RegExp(
  [
    /(?<c1>#.*)/,
    /(?<s1>(?:[rbfu]{0,2})(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
    /(?<mi>\b(?:0[xob][\da-f_]+|\d[\d_]*(?:\.[\d_]*)?(?:e[+-]?\d+)?j?)\b|\B\.\d+\b)/,
    /(?<word>[\p{L}_][\p{L}\p{N}_]*)/,
    /(?<o>[-+*/%@&|^~<>=!:]+)/,
  ].map((part) => part.source).join("|"),
  "giu",
);

export function colour(code) {
  const made = document.createDocumentFragment();
  let at = 0;
  let before = "";
  for (const match of code.matchAll(PART)) {
    const text = match[0];
    let [name] = Object.entries(match.groups).find(([, found]) => found !== undefined);
    if (name === "word") {
      name = code[match.index - 1] === "." ? "n" : CLASS_OF.get(text) ?? (before === "def" ? "nf" : before === "class" ? "nc" : "n");
      before = text;
    }
    made.append(code.slice(at, match.index));
    const span = document.createElement("span");
    span.className = name;
    span.textContent = text;
    made.append(span);
    at = match.index + text.length;
  }
  made.append(code.slice(at), "\n");
  return made;
}
