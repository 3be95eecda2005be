// What graders, judges and pairwise judges said.
const VERDICTS = {
  pass: ["better", "✓", "passed"],
  fail: ["worse", "✗", "failed"],
  unknown: ["unclear", "?", "UNKNOWN"],
  skipped: ["plain", "–", "skipped"],
  error: ["unclear", "!", "no verdict"],
  candidate: ["better", "▲", "prefers this variant"],
  baseline: ["worse", "▼", "prefers the baseline"],
  tie: ["plain", "=", "tie"],
};

function pill(verdict) {
  const [tone, mark, word] = VERDICTS[verdict] || ["plain", "", verdict];
  return make("span", { class: `pill ${tone}` }, make("span", { "aria-hidden": "true" }, mark), ` ${word}`);
}

const twoDigits = (score) => score.toFixed(2);

function parts(list, path) {
  if (!list || list.length === 0) return null;
  return make("ul", { class: "parts" }, list.map((part) => make("li", null,
    make("strong", null, part.name), " ",
    part.verdict && pill(part.verdict),
    part.score !== undefined && make("span", { class: "small" }, ` ${twoDigits(part.score)}`),
    part.optional && make("span", { class: "small" }, " does not decide"),
    part.text !== undefined && prose(part.text, path),
    part.reasoning !== undefined && prose(part.reasoning, path, "reason"))));
}

function score(one, path) {
  const about = [];
  if (one.score !== undefined) about.push(`score ${twoDigits(one.score)}`);
  if (one.model) about.push(one.model);
  if (one.cached) about.push("from the cache");
  if (one.reps) about.push(`unsteady: ${one.reps.map(twoDigits).join(", ")}`);
  return make("li", { class: "score" },
    make("h4", null, pill(one.verdict), " ", make("code", null, one.name), about.length > 0 && make("span", { class: "small" }, ` ${about.join(" · ")}`)),
    one.details !== undefined && prose(one.details, path, "reason"),
    one.reasoning !== undefined && prose(one.reasoning, path, "reason"),
    parts(one.parts, path),
    one.jury && make("ul", { class: "parts" }, one.jury.map((member) => make("li", null,
      make("span", { class: "small" }, "Jury "), make("code", null, member.name), " ", pill(member.verdict),
      member.score !== undefined && make("span", { class: "small" }, ` ${twoDigits(member.score)}`),
      member.reasoning !== undefined && prose(member.reasoning, path, "reason"),
      parts(member.parts, path)))));
}

function scores(trial, path) {
  if (trial.scores.length === 0 && trial.grading === undefined) return null;
  return make("div", { class: "scores" }, make("h3", null, "Verdicts"),
    trial.grading !== undefined && make("div", { class: "note" }, prose(trial.grading, path)),
    make("ul", null, trial.scores.map((one) => score(one, path))));
}

function preferences(one, path) {
  if (!one.preferences) return null;
  return make("div", { class: "scores" }, make("h3", null, "Compared with the baseline"),
    make("ul", null, one.preferences.map((preference) => make("li", { class: "score" },
      make("h4", null, pill(preference.prefers), " ", make("code", null, preference.judge),
        preference.strength !== undefined && make("span", { class: "small" }, ` by ${twoDigits(preference.strength)}`),
        preference.model && make("span", { class: "small" }, ` · ${preference.model}`)),
      preference.inconsistent && make("p", { class: "small" }, "The two orders came to different answers."),
      preference.error !== undefined && prose(preference.error, path, "reason"),
      preference.reasoning !== undefined && prose(preference.reasoning, path, "reason"),
      parts(preference.parts, path)))));
}
