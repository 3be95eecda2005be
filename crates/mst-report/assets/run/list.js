// The grid of cases, a page at a time: a run may have a hundred thousand.
let page = 0;
let chosen = -1;
const size = () => Number(byId("pages").dataset.size);

const WORDS = { p: ["passed", "✓"], f: ["failed", "✗"], i: ["incomplete", "!"] };

function trialBar(cell) {
  const svg = drawn("svg", { class: "trials", "aria-hidden": "true" });
  let from = 0;
  for (const [name, count] of [["ok", cell.passed], ["no", cell.failed], ["off", cell.off]]) {
    if (count === 0) continue;
    const width = (count / cell.all) * 100;
    svg.append(drawn("rect", { class: name, x: `${from}%`, width: `${width}%`, height: "100%" }));
    from += width;
  }
  return svg;
}

function gridCell(variant, at) {
  const cell = outcome(variant, at);
  if (!cell) return make("td", { class: "cell none" }, "–");
  const [word, mark] = WORDS[cell.state];
  const changed = flip(variant, at);
  return make("td", { class: `cell ${word}` },
    make("span", { class: "mark", "aria-hidden": "true" }, mark), " ",
    make("span", { class: "share" }, `${cell.passed}/${cell.all}`), " ",
    make("span", { class: "sr" }, word),
    changed && [" ", make("span", { class: `flip ${changed}` },
      make("span", { "aria-hidden": "true" }, changed === "regressed" ? "▼" : "▲"), ` ${changed}`)],
    trialBar(cell));
}

const address = (at, variant, trial) => {
  let hash = `#case=${encodeURIComponent(index.ids[at])}`;
  if (variant !== undefined) hash += `&variant=${encodeURIComponent(index.variants[variant].name)}`;
  if (trial !== undefined) hash += `&trial=${trial}`;
  return hash;
};

function gridRow(at, place) {
  const tags = index.tag_lists[index.tags[at]] || [];
  const head = make("th", { scope: "row" },
    make("a", { href: address(at), "data-place": place }, outside(index.ids[at])),
    tags.map((tag) => [" ", make("span", { class: "tag" }, outside(tag))]),
    index.prompts[at] && make("span", { class: "small block prompt" }, make("bdi", null, index.prompts[at])));
  return make("tr", null, head, index.variants.map((_, variant) => gridCell(variant, at)));
}

function showPage() {
  const pages = Math.max(1, Math.ceil(visible.length / size()));
  page = Math.min(Math.max(0, page), pages - 1);
  const from = page * size();
  const part = visible.slice(from, from + size());
  byId("rows").replaceChildren(...part.map((at, place) => gridRow(at, from + place)));
  if (part.length === 0) {
    byId("rows").append(make("tr", null, make("td", { colspan: index.variants.length + 1 }, "No case is like that.")));
  }
  byId("pages").hidden = pages === 1;
  byId("page-at").textContent = `${(from + 1).toLocaleString("en")} to ${(from + part.length).toLocaleString("en")} of ${visible.length.toLocaleString("en")}`;
  byId("page-before").disabled = page === 0;
  byId("page-after").disabled = page === pages - 1;
  byId("shown").textContent = visible.length === index.count
    ? plural(index.count, "case")
    : `${visible.length.toLocaleString("en")} of ${plural(index.count, "case")}`;
}

function refresh() {
  choose();
  page = 0;
  chosen = -1;
  showPage();
}

// Moves the choice in the list, over the ends of a page too.
function move(by) {
  if (visible.length === 0) return;
  chosen = Math.min(visible.length - 1, Math.max(0, chosen < 0 ? (by > 0 ? page * size() : page * size() + size() - 1) : chosen + by));
  const wanted = Math.floor(chosen / size());
  if (wanted !== page) {
    page = wanted;
    showPage();
  }
  byId("rows").querySelector(`a[data-place="${chosen}"]`)?.focus();
}
