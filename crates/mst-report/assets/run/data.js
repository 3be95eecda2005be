// The index, and the scripts that are loaded as they are asked for.
let index = null;
const waiting = new Map();
const loaded = new Map();

function unrolled(runs, length) {
  const list = new Uint32Array(length);
  for (let at = 0, place = 0; at < runs.length; at += 2) {
    list.fill(runs[at], place, place + runs[at + 1]);
    place += runs[at + 1];
  }
  return list;
}

function readIndex(data) {
  const count = data.ids.length / 2;
  const ids = new Array(count);
  for (let at = 0, before = ""; at < count; at += 1) {
    before = before.slice(0, data.ids[2 * at]) + data.ids[2 * at + 1];
    ids[at] = before;
  }
  const dataset = unrolled(data.dataset_runs, count);
  const tags = unrolled(data.tag_runs, count);
  const variants = data.variants.map((variant) => ({
    name: variant.name,
    cells: Int32Array.from(variant.cells),
    scripts: unrolled(variant.script_runs, count),
  }));
  const outcomes = data.outcomes.map(([state, passed, failed, infrastructure, ungraded, reasons]) => (
    { state, passed, failed, off: infrastructure + ungraded, all: passed + failed + infrastructure + ungraded, reasons }
  ));
  return { ...data, count, ids, dataset, tags, variants, outcomes, prompts: data.prompts || [] };
}

const outcome = (variant, at) => {
  const cell = index.variants[variant].cells[at];
  return cell < 0 || cell === undefined ? null : index.outcomes[cell];
};

// How a case of a variant changed against the baseline's.
function flip(variant, at) {
  if (variant === index.baseline) return null;
  const [base, cell] = [outcome(index.baseline, at), outcome(variant, at)];
  if (!base || !cell) return null;
  if (base.state === "p" && cell.state === "f") return "regressed";
  if (base.state === "f" && cell.state === "p") return "improved";
  return null;
}

function load(number) {
  if (loaded.has(number)) return Promise.resolve(loaded.get(number));
  if (!waiting.has(number)) {
    let settle;
    const promise = new Promise((resolve, reject) => { settle = { resolve, reject }; });
    waiting.set(number, { promise, ...settle });
    const script = document.createElement("script");
    script.nonce = nonce;
    script.src = `cases/${number}.js`;
    script.onload = () => {
      script.remove();
      // A script that said nothing of this report belongs to another.
      if (waiting.delete(number) && !loaded.has(number)) settle.reject(new Error("the report was built again: reload the page"));
    };
    script.onerror = () => {
      script.remove();
      waiting.delete(number);
      settle.reject(new Error(`the file cases/${number}.js is not beside this page`));
    };
    document.head.append(script);
  }
  return waiting.get(number).promise;
}

window.mstCases = (stamp, number, cases) => {
  if (!index || stamp !== index.stamp) return;
  const found = new Map(cases.map((one) => [`${one.variant}:${one.case}`, one]));
  loaded.set(number, found);
  // A person looks at few of many: what was read long ago can be read again.
  if (loaded.size > 12) loaded.delete(loaded.keys().next().value);
  waiting.get(number)?.resolve(found);
};

window.mstIndex = (data) => {
  const stamp = document.querySelector('meta[name="mst-report"]').content;
  if (data.stamp !== stamp) {
    byId("shown").textContent = "The report was built again: reload the page.";
    return;
  }
  index = readIndex(data);
  if (index.count > 0) start();
};
