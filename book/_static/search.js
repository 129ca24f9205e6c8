// The search box: sections of the book, best first, as one types. The index is made by book/search.py,
// whose ranker won on the book's own questions (chapters/a-search-engine-of-our-own); both give the same order.
(() => {
  const here = document.currentScript?.src ?? "";
  const root = here.slice(0, here.lastIndexOf("_static/"));
  const most = 8, around = 130, coming = {};

  // A script and not a fetch, so that a book opened from the disk can be searched too.
  const file = (name, made) => (coming[name] ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = here.replace("search.js", `search-${name}.js`);
    script.onload = () => resolve(made());
    script.onerror = () => { delete coming[name]; reject(new Error(`no ${name}`)); };
    document.head.append(script);
  }));
  const load = () => file("index", () => ready(window.NDCG_SEARCH));

  function ready(index) {
    const stop = new Set(index.stop);
    const endings = index.endings.map(([pattern, rest]) => [new RegExp(pattern), rest]);
    let before = "";
    const places = new Map(index.words.split("|").map((entry) => {
      const [word, found] = entry.split(" ");
      before = before.slice(0, parseInt(word[0], 36)) + word.slice(1);
      return [before, found];
    }));
    const vocabulary = [...places.keys()];
    const split = (text) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !stop.has(word));
    const stem = (word) => endings.reduce((so, [pattern, rest]) => so.replace(pattern, rest), word);
    const listed = (word) => {
      let at = -1;
      return [...places.get(word).matchAll(/([0-9a-z]+)(?:([A-Z])|:(.+?);)/g)].map(([, step, letter, count]) => {
        at += parseInt(step, 36);
        return [at, letter ? letter.charCodeAt() - 64 : Number(count)];
      });
    };
    const lengths = index.sections.map(() => 0);
    for (const word of vocabulary) for (const [at, count] of listed(word)) lengths[at] += count;
    const usual = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;

    // The names of the sections that answer a question, best first. While a word is being typed, its beginning is enough.
    return Object.assign(index, { stem, meant: (question) => new Set(split(question).map(stem).flatMap((word) => [word, ...(index.synonyms[word] ?? [])])), find(question, typing = false) {
      const words = split(question).map(stem);
      const last = words.at(-1);
      const meant = new Map(words.map((word) => [word, 1]));
      for (const word of words) for (const other of index.synonyms[word] ?? []) if (!meant.has(other)) meant.set(other, index.others);
      if (typing && last && !/\s$/.test(question) && !places.has(last)) { // a word that the book has is finished
        const raw = split(question).at(-1);
        for (const word of vocabulary.filter((one) => raw.length > 1 && one.startsWith(raw)).slice(0, 12)) if (!meant.has(word)) meant.set(word, 1);
      }
      const scores = new Map(), favour = (at) => index.favour[index.kinds[index.sections[at][3]]] ?? 1;
      for (const [word, worth] of meant) {
        if (!places.has(word)) continue;
        const found = listed(word);
        const rarity = Math.log(1 + (lengths.length - found.length + 0.5) / (found.length + 0.5));
        for (const [at, count] of found) {
          const long = index.saturation * (1 - index.length + (index.length * lengths[at]) / usual);
          scores.set(at, (scores.get(at) ?? 0) + (worth * favour(at) * rarity * count * (index.saturation + 1)) / (count + long));
        }
      }
      return [...scores].sort(([a, x], [b, y]) => y - x || a - b).map(([at]) => at);
    } });
  }

  function result(index, at) {
    const [page, anchor, title, kind] = index.sections[at];
    const [file, name] = index.pages[page];
    const link = Object.assign(document.createElement("a"), { href: `${root}${file}.html${anchor ? `#${anchor}` : ""}`, tabIndex: -1 });
    const part = (name, words) => Object.assign(document.createElement("span"), { className: name, textContent: words });
    link.append(part("found-title", title), " ", part("found-kind", index.kinds[kind]), " ", part("found-place", name === title ? "" : `in ${name}`), " ", part("found-text", "\u00a0"));
    return link;
  }

  // The words around the first place that has most of what was asked, with these marked.
  function excerpt(text, wanted) {
    const hits = [...text.matchAll(/[a-z0-9]+/gi)].map((word) => [word.index, word[0], wanted(word[0])]).filter(([,, stem]) => stem);
    const held = (from) => new Set(hits.filter(([at]) => at >= from && at < from + around - 20).map(([,, stem]) => stem)).size;
    const best = hits.reduce((one, [at]) => (held(at) > one[1] ? [at, held(at)] : one), [0, 0])[0];
    const from = best < 50 ? 0 : text.indexOf(" ", best - 30) + 1, to = text.length - from > around ? text.lastIndexOf(" ", from + around) : text.length;
    const made = [from ? "… " : ""];
    let at = from;
    for (const [start, word] of hits.filter(([start, word]) => start >= from && start + word.length <= to)) {
      made.push(text.slice(at, start), Object.assign(document.createElement("mark"), { textContent: word }));
      at = start + word.length;
    }
    return [...made, text.slice(at, to), to < text.length ? " …" : ""];
  }

  function box(form) {
    const input = form.querySelector("input[type=search]");
    const list = Object.assign(document.createElement("ul"), { className: "found", id: `found-${box.number = (box.number ?? 0) + 1}`, hidden: true });
    const said = Object.assign(document.createElement("p"), { className: "found-said", role: "status" });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Results");
    for (const [name, value] of Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id })) input.setAttribute(name, value);
    input.placeholder = "Search the book";
    input.setAttribute("aria-label", "Search the book");
    form.after(list, said);
    let chosen = -1;

    const choose = (at) => {
      chosen = at;
      const links = [...list.querySelectorAll("a")];
      links.forEach((link, i) => link.setAttribute("aria-selected", String(i === at)));
      const item = links[at];
      if (item) { input.setAttribute("aria-activedescendant", item.id); item.scrollIntoView({ block: "nearest" }); } else input.removeAttribute("aria-activedescendant");
    };
    const show = (found, words) => {
      list.replaceChildren(...found.map((link, i) => {
        const item = document.createElement("li");
        item.setAttribute("role", "none");
        link.id = `${list.id}-${i}`;
        link.setAttribute("role", "option");
        item.append(link);
        return item;
      }));
      list.hidden = !found.length;
      input.setAttribute("aria-expanded", String(found.length > 0));
      said.textContent = words;
      choose(-1);
    };
    const search = async (event) => {
      const asked = input.value;
      if (!asked.trim()) return show([], "");
      let index;
      try { index = await load(); } catch { return show([], "The index of the search did not load. Type on to ask for it again."); }
      if (asked !== input.value) return;
      const found = index.find(asked, Boolean(event)).slice(0, form.dataset.all ? 30 : most);
      show(found.map((at) => result(index, at)), found.length ? `${found.length} ${found.length === 1 ? "section" : "sections"}` : "No section has these words. Try one word of them, or another name of the thing.");
      const meant = index.meant(asked), wanted = (word) => { const stem = index.stem(word.toLowerCase()); return meant.has(stem) ? stem : null; };
      for (const title of list.querySelectorAll(".found-title")) title.replaceChildren(...excerpt(title.textContent, wanted));
      const texts = await file("texts", () => window.NDCG_TEXTS).catch(() => []);
      if (asked === input.value) list.querySelectorAll(".found-text").forEach((place, i) => place.replaceChildren(...excerpt(texts[found[i]] ?? "", wanted)));
    };

    input.addEventListener("focus", () => load().catch(() => {}));
    input.addEventListener("input", search);
    input.addEventListener("keydown", (event) => {
      const count = list.children.length;
      if (count && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
        event.preventDefault();
        choose((chosen + (event.key === "ArrowDown" ? 1 : -1) + (chosen < 0 && event.key === "ArrowUp" ? 1 : 0) + count) % count);
      } else if (event.key === "Enter" && chosen >= 0) {
        event.preventDefault();
        list.children[chosen].querySelector("a").click();
      }
    });
    list.addEventListener("click", (event) => { if (event.target.closest("a")) form.closest("dialog")?.close(); });
    return search;
  }

  if (typeof module !== "undefined") module.exports = { ready }; // for the tests
  document.addEventListener("DOMContentLoaded", () => {
    const asked = new URLSearchParams(location.search).get("q");
    for (const form of document.querySelectorAll("form.bd-search")) {
      const page = form.closest(".bd-search-container");
      if (page) {
        form.dataset.all = "yes";
        form.addEventListener("submit", (event) => event.preventDefault());
      }
      const search = box(form);
      if (page && asked) { form.querySelector("input").value = asked; search(); }
    }
  });
})();
