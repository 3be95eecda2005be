// An open case: one trial of one variant at a time.
const dialog = byId("case");
let open = null;

const TRIALS = { p: ["passed", "✓"], f: ["failed", "✗"], i: ["does not count", "!"], u: ["no verdict", "?"] };

function tab(text, mark, word, active, href) {
  return make("a", { class: `tab${active ? " active" : ""}`, href, "aria-current": active ? "true" : false },
    make("span", { "aria-hidden": "true" }, `${mark} `), text, make("span", { class: "sr" }, ` ${word}`));
}

function caseFacts(one, trial) {
  const facts = [duration(trial.ms)];
  if (trial.tokens) facts.push(`${trial.tokens[0].toLocaleString("en")} tokens in, ${trial.tokens[1].toLocaleString("en")} out`);
  if (trial.cost !== undefined) facts.push(cost(trial.cost));
  if (one.model) facts.push(one.model);
  return facts.join(" · ");
}

function expectations(one, path) {
  if (!one.expects) return null;
  return make("details", { class: "expects" }, make("summary", null, "What is expected"),
    make("dl", null, one.expects.map(([what, text]) => make("div", null, make("dt", null, what), make("dd", null, prose(text, path, "code"))))));
}

function showTrial(one, trial) {
  const path = `${one.path}/${trial.trial}.json`;
  const [word, mark] = TRIALS[trial.state];
  const verdict = make("p", { class: `outcome ${word.split(" ")[0]}` },
    make("strong", null, make("span", { "aria-hidden": "true" }, mark), ` Trial ${trial.trial} ${word}`),
    trial.why && trial.why !== "infrastructure" && `: ${trial.why}`,
    make("span", { class: "small block" }, caseFacts(one, trial)),
    trial.missed && make("span", { class: "small block" }, "Expected and not called: ", trial.missed.map((name, at) => [at > 0 && ", ", make("code", null, name)])),
    trial.skills && make("span", { class: "small block" }, "Skills read: ", trial.skills.join(", ")));
  byId("case-body").replaceChildren(...[
    one.description !== undefined && make("div", { class: "about" }, prose(one.description, path)),
    verdict,
    expectations(one, path),
    conversation(one, trial, path),
    scores(trial, path),
    preferences(one, path),
    trial.notes && make("div", null, make("h3", null, "Notes"), make("ul", null, trial.notes.map((note) => make("li", null, prose(note, path))))),
    make("p", { class: "small" }, "The whole record: ", make("code", null, path)),
  ].filter(Boolean));
  byId("case-body").scrollTop = 0;
}

function showTabs(at, variant, trial, one) {
  byId("case-variants").hidden = index.variants.length < 2;
  byId("case-variants").replaceChildren(...index.variants.map((other, number) => {
    const cell = outcome(number, at);
    if (!cell) return make("span", { class: "tab none" }, shown(other.name));
    const [word, mark] = WORDS[cell.state];
    return tab(`${shown(other.name)} ${cell.passed}/${cell.all}`, mark, word, number === variant, address(at, number));
  }));
  byId("case-trials").hidden = !one || one.trials.length < 2;
  byId("case-trials").replaceChildren(...(one ? one.trials.map((other) => {
    const [word, mark] = TRIALS[other.state];
    return tab(String(other.trial), mark, word, other.trial === trial, address(at, variant, other.trial));
  }) : []));
  byId("case-trials").querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

// Of a case's trials, the one that says the most: the first that did not pass.
const tellsMost = (one) => (one.trials.find((trial) => trial.state !== "p") || one.trials[0])?.trial;

async function show(at, variant, trial) {
  const place = visible.indexOf(at);
  if (place >= 0) chosen = place;
  open = { at, variant, trial: undefined, one: null };
  const mine = open;
  byId("case-title").replaceChildren(outside(index.ids[at]));
  const tags = index.tag_lists[index.tags[at]] || [];
  byId("case-about").replaceChildren(shown(index.datasets[index.dataset[at]] || ""), ...tags.map((tag) => make("span", { class: "tag" }, outside(tag))));
  byId("case-before").disabled = chosen <= 0;
  byId("case-after").disabled = chosen >= visible.length - 1;
  showTabs(at, variant, trial, null);
  if (!dialog.open) {
    byId("case-body").replaceChildren();
    dialog.showModal();
    byId("case-title").focus();
  }
  try {
    const one = (await load(index.variants[variant].scripts[at])).get(`${variant}:${at}`);
    if (open !== mine) return;
    if (!one) throw new Error("the case is not in its script");
    open.one = one;
    open.trial = one.trials.some((other) => other.trial === trial) ? trial : tellsMost(one);
    showTabs(at, variant, open.trial, one);
    const found = one.trials.find((other) => other.trial === open.trial);
    if (found) showTrial(one, found);
    else byId("case-body").replaceChildren(make("p", null, "No trial was collected."));
  } catch (error) {
    if (open === mine) byId("case-body").replaceChildren(make("p", { class: "note" }, `This case cannot be shown: ${error.message}.`));
  }
}

// Of a case's variants, the one that says the most: what regressed, else the first that did not pass.
function variantOf(at) {
  const numbers = index.variants.map((_, number) => number).filter((number) => outcome(number, at));
  return numbers.find((number) => flip(number, at) === "regressed")
    ?? numbers.find((number) => outcome(number, at).state !== "p") ?? numbers[0];
}

let numbers = null;

function follow() {
  const wanted = new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"));
  const id = wanted.get("case");
  if (id === null) {
    if (dialog.open) dialog.close();
    return;
  }
  if (!numbers) numbers = new Map(index.ids.map((known, at) => [known, at]));
  const at = numbers.get(id);
  const named = index.variants.findIndex((variant) => variant.name === wanted.get("variant"));
  const variant = named >= 0 && at !== undefined && outcome(named, at) ? named : at !== undefined ? variantOf(at) : undefined;
  if (variant === undefined) {
    byId("shown").textContent = `There is no case ${shown(id)} in this run.`;
    return;
  }
  show(at, variant, wanted.has("trial") ? Number(wanted.get("trial")) : undefined);
}

function go(hash) {
  history.replaceState(null, "", hash);
  follow();
}

function closed() {
  open = null;
  if (location.hash.startsWith("#case=")) history.replaceState(null, "", "#cases");
  const wanted = Math.floor(chosen / size());
  if (chosen >= 0 && wanted !== page) {
    page = wanted;
    showPage();
  }
  byId("rows").querySelector(`a[data-place="${chosen}"]`)?.focus();
}
