// A trial as a conversation.

// Prints a text; one that was cut says where the whole is.
function prose(text, path, name) {
  const [part, whole] = Array.isArray(text) ? text : [text, 0];
  const block = make("pre", { class: name || "prose", dir: "auto", tabindex: "0" }, part);
  if (!whole) return block;
  const rest = (whole - [...part].length).toLocaleString("en");
  return make("div", null, block,
    make("p", { class: "small cut" }, `Cut here: about ${rest} more characters are in `, make("code", null, path)));
}

const isEmpty = (text) => (Array.isArray(text) ? text[0] : text).trim() === "";

function bubble(kind, who, facts, ...content) {
  return make("section", { class: `turn ${kind}` },
    make("h4", null, who, facts.length > 0 && make("span", { class: "small" }, ` ${facts.join(" · ")}`)),
    content);
}

function modelTurn(turn, path) {
  const facts = [];
  if (turn.tokens) facts.push(`${turn.tokens[0].toLocaleString("en")} in, ${turn.tokens[1].toLocaleString("en")} out`);
  if (turn.ms !== undefined) facts.push(duration(turn.ms));
  if (turn.finish) facts.push(turn.finish);
  return bubble(turn.text === undefined ? "model silent" : "model", ["Model ", make("code", null, turn.model)], facts, turn.text !== undefined && prose(turn.text, path));
}

function callTurn(turn, path) {
  const facts = [];
  if (turn.ms !== undefined) facts.push(duration(turn.ms));
  if (turn.raw) facts.push(`the model calls it ${turn.raw}`);
  const name = turn.server ? `${turn.server}.${turn.name}` : turn.name;
  const what = turn.what[0].toUpperCase() + turn.what.slice(1);
  const marks = [
    turn.expected === true && make("span", { class: "pill better" }, "✓ expected"),
    turn.expected === false && make("span", { class: "pill worse" }, "✗ not expected"),
    turn.failed && make("span", { class: "pill worse" }, "! returned an error"),
  ];
  return bubble(`call${turn.failed ? " failed" : ""}`, [`${what} `, make("code", null, name), " ", marks], facts,
    turn.args !== undefined && [make("h5", null, "Arguments"), prose(turn.args, path, "code")],
    turn.out !== undefined && [make("h5", null, "Result"), isEmpty(turn.out) ? make("p", { class: "small" }, "(empty)") : prose(turn.out, path, "code")]);
}

function conversation(one, trial, path) {
  const redacted = byId("case-body").dataset.redacted === "true";
  const turns = [];
  if (one.input !== undefined) turns.push(bubble("user", "Request", [], prose(one.input, path)));
  for (const turn of trial.turns) turns.push(turn.k === "model" ? modelTurn(turn, path) : callTurn(turn, path));
  if (trial.error !== undefined) turns.push(bubble("broken", "The client reported an error", [], prose(trial.error, path)));
  if (trial.broke) {
    const [what, reason, retryable] = trial.broke;
    turns.push(bubble("broken", `Infrastructure failure: ${what}`, [retryable ? "a retry can help" : "a retry cannot help"],
      prose(reason, path), make("p", { class: "small" }, "The attempt counts for nothing.")));
  }
  if (trial.answer !== undefined) {
    turns.push(bubble("answer", "Final answer", [], isEmpty(trial.answer) ? make("p", { class: "small" }, "(empty)") : prose(trial.answer, path)));
  } else if (redacted) {
    turns.push(make("p", { class: "small" }, "Answers and tool outputs are not stored: the run is redacted."));
  }
  return make("div", { class: "conversation" }, make("h3", null, "Conversation"), turns);
}
