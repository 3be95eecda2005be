// Which cases are shown, and in which order.
let visible = [];

const STATES = [
  ["", "all cases"],
  ["f", "failed"],
  ["p", "passed"],
  ["i", "incomplete"],
  ["flaky", "different from trial to trial"],
  ["regressed", "regressed"],
  ["improved", "improved"],
];

function hasState(at, state) {
  return index.variants.some((_, variant) => {
    const cell = outcome(variant, at);
    if (!cell) return false;
    if (state === "flaky") return cell.passed > 0 && cell.failed > 0;
    if (state === "regressed" || state === "improved") return flip(variant, at) === state;
    return cell.state === state;
  });
}

function rank(at) {
  let least = 5;
  for (let variant = 0; variant < index.variants.length; variant += 1) {
    const cell = outcome(variant, at);
    if (!cell) continue;
    const changed = flip(variant, at);
    if (changed === "regressed") return 0;
    if (changed === "improved") least = Math.min(least, 2.5);
    if (cell.state === "f") least = Math.min(least, 1);
    else if (cell.state === "i") least = Math.min(least, 2);
    else if (cell.passed > 0 && cell.failed > 0) least = Math.min(least, 4);
  }
  // What improved fails in the baseline; that it is better there is what a reader wants to know of it.
  return least === 1 && index.variants.some((_, variant) => flip(variant, at) === "improved") ? 3 : least;
}

let ranks = null;
let haystack = null;

function searched(at) {
  if (!haystack) haystack = new Array(index.count);
  if (haystack[at] === undefined) {
    const tags = index.tag_lists[index.tags[at]] || [];
    haystack[at] = [index.ids[at], index.prompts[at] || "", ...tags].join("\n").toLowerCase();
  }
  return haystack[at];
}

function choose() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const state = byId("by-state").value;
  const reason = byId("by-reason").value;
  const tag = byId("by-tag").value;
  const dataset = byId("by-dataset").value;
  const list = [];
  for (let at = 0; at < index.count; at += 1) {
    if (state && !hasState(at, state)) continue;
    if (reason && !index.variants.some((_, variant) => (outcome(variant, at)?.reasons || 0) & (1 << Number(reason)))) continue;
    if (tag && !(index.tag_lists[index.tags[at]] || []).includes(tag)) continue;
    if (dataset && index.dataset[at] !== Number(dataset)) continue;
    if (words.length && !words.every((word) => searched(at).includes(word))) continue;
    list.push(at);
  }
  const order = byId("order").value;
  if (order === "id") list.sort((one, other) => (index.ids[one] < index.ids[other] ? -1 : 1));
  if (order === "look") {
    if (!ranks) ranks = Float32Array.from({ length: index.count }, (_, at) => rank(at));
    list.sort((one, other) => ranks[one] - ranks[other] || one - other);
  }
  visible = list;
}

function offer(select, choices) {
  select.replaceChildren(...choices.map(([value, text]) => make("option", { value }, shown(text))));
}

function offerFilters() {
  const anyCase = (holds) => {
    for (let at = 0; at < index.count; at += 1) if (holds(at)) return true;
    return false;
  };
  offer(byId("by-state"), STATES.filter(([state]) => !state || anyCase((at) => hasState(at, state))));
  const used = index.outcomes.reduce((bits, one) => bits | one.reasons, 0);
  const reasons = index.reasons.map((name, number) => [String(number), name]).filter(([number]) => used & (1 << Number(number)));
  offer(byId("by-reason"), [["", "any reason"], ...reasons]);
  byId("reason-filter").hidden = reasons.length === 0;
  const tags = [...new Set(index.tag_lists.flat())].sort();
  offer(byId("by-tag"), [["", "any tag"], ...tags.map((tag) => [tag, tag])]);
  byId("tag-filter").hidden = tags.length === 0;
  offer(byId("by-dataset"), [["", "any dataset"], ...index.datasets.map((name, number) => [String(number), name])]);
  byId("dataset-filter").hidden = index.datasets.length < 2;
}
