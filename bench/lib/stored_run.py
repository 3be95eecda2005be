"""Writes run directories as mst leaves them, of any size and without running anything: what a report is built from."""

import json
import os
import random

TOOLS = ("search_parts", "get_part", "list_bins", "reserve_part", "get_supplier")
ANSWERS = (
    "The {part} is in bin {bin}. There are 14 left, and the next delivery is due on Thursday.",
    "I found two parts that match “{part}”: one in bin {bin}, one on order. Which one do you mean?",
    "Part {part} is stored in bin {bin}.\n\n- Supplier: Nordwind\n- Stock: 14\n- Reserved: 2",
)
REASONS = (
    "The answer names the bin that the tool returned and adds nothing that the results do not say.",
    "The answer gives a delivery date that no tool result mentions, so it is not grounded in what was found.",
    "The request asks for one part; the assistant asked back although the first result matched exactly.",
)


class Shape:
    """How large a run is, and how well its variants do."""

    def __init__(self, cases, trials, variants, judged=True, output_chars=300, seed=7):
        self.cases, self.trials, self.judged, self.output_chars, self.seed = cases, trials, judged, output_chars, seed
        # Name, pass rate, cost of a trial in USD, seconds.
        self.variants = variants

    @property
    def all_trials(self):
        return self.cases * self.trials * len(self.variants)


def write(folder, shape, run_id="20261130T091502Z-4be1a7", eval_name="parts-eval", previous=None, redact=False):
    """Writes `runs/<id>/` with run.json, results.json and summary.json, and returns the run's directory."""
    run = os.path.join(folder, "runs", run_id)
    os.makedirs(run, exist_ok=True)
    rng = random.Random(shape.seed)
    ids = [case_id(number, rng) for number in range(shape.cases)]
    hardness = [rng.betavariate(4, 1.2) for _ in ids]
    tallies = {}
    with open(os.path.join(run, "results.json"), "w") as file:
        head = {"format": "mst.run/v1", "kind": "results", "runId": run_id}
        file.write(json.dumps(head, indent=2)[:-2] + ',\n  "cases": [')
        first = True
        for name, rate, cost, seconds in shape.variants:
            tally = tallies[name] = Tally()
            for number, one in enumerate(ids):
                result = case(shape, rng, number, one, name, hardness[number], rate, cost, seconds, redact)
                tally.add(result)
                text = json.dumps(result, indent=2, ensure_ascii=False)
                file.write(("" if first else ",") + "\n    " + text.replace("\n", "\n    "))
                first = False
        file.write("\n  ]\n}\n")
    save(run, "run.json", record(shape, run_id, eval_name, redact))
    save(run, "summary.json", summary(shape, rng, run_id, eval_name, tallies, ids, previous))
    latest = {"format": "mst.run/v1", "kind": "latest", "runId": run_id, "createdAt": "2026-11-30T09:15:02.000Z",
              "path": f"runs/{run_id}"}
    save(folder, "latest.json", latest)
    return run


def save(folder, name, value):
    with open(os.path.join(folder, name), "w") as file:
        file.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def case_id(number, rng):
    return f"{rng.choice(('find', 'reserve', 'compare', 'bins', 'supplier'))}-{number:05d}"


def case(shape, rng, number, one, variant, ease, rate, cost, seconds, redact):
    expected = TOOLS[number % len(TOOLS)]
    tags = ["regression"] if number % 9 == 4 else ["lookup"] if number % 2 else []
    part = f"bearing {6200 + number % 90}"
    trials = [trial(shape, rng, number, n, part, expected, ease, rate, cost, seconds, redact) for n in range(shape.trials)]
    counted = [one for one in trials if one["ending"]["kind"] == "trial"]
    passed = sum(one["pass"] is True for one in counted)
    complete = len(counted) == shape.trials
    last = trials[-1]
    result = {
        "id": one, "datasetName": "parts", "variant": variant, "source": "client",
        "pass": complete and passed == shape.trials,
        "request": {"description": f"Looks a part up by its name ({expected}).", "trials": shape.trials, "passThreshold": 1,
                    "tags": tags, "input": f"Where is the {part}, and how many are left? Order {number}.",
                    "assertions": {"containsText": f"bin {number % 40}", "toolsTriggered": {"calls": [{"name": expected, "server": "parts"}]}},
                    "client": "api", "model": MODELS[variant]},
        "scores": last["scores"], "durationMs": sum(one["durationMs"] for one in trials),
        "passRate": passed / len(counted) if counted else None, "tags": tags, "evidence": "structured",
    }
    if result["passRate"] is None:
        del result["passRate"]
    if not redact and "transcript" in last:
        result["response"] = last["transcript"].get("finalText")
    if not complete:
        result |= {"incomplete": True, "infrastructureErrorCount": shape.trials - len(counted)}
    if shape.trials > 1:
        return result | {"trialResults": trials}
    for key in ("transcript", "ending", "toolCallTrace", "clientUsage", "error", "clientDiagnostics"):
        if key in last:
            result[key] = last[key]
    return result


MODELS = {"baseline": "claude-sonnet-5", "concise": "claude-sonnet-5", "small-model": "claude-haiku-5", "gpt": "gpt-5"}


def trial(shape, rng, number, n, part, expected, ease, rate, cost, seconds, redact):
    took = rng.lognormvariate(0, 0.5) * seconds * 1000
    if rng.random() < 0.004:
        return {"trial": n, "scores": {}, "durationMs": took, "error": "the provider answered 529 (overloaded) six times",
                "ending": {"kind": "infrastructure", "broke": "provider", "retryable": True,
                           "reason": "the provider answered 529 (overloaded) six times"}}
    passes = rng.random() < min(0.99, ease * rate * 1.12)
    why = rng.random()
    called = expected
    if not passes and why < 0.3:
        called = rng.choice([tool for tool in TOOLS if tool != expected])
    if not passes and 0.3 <= why < 0.4:
        called = None
    events, calls = [], []
    if called:
        output = json.dumps({"matches": [{"name": part, "bin": number % 40, "stock": 14}], "note": "x" * shape.output_chars})
        event = {"kind": "tool_call", "source": "mcp", "name": called, "server": "parts",
                 "arguments": {"query": part, "limit": 5}, "isError": False, "id": f"call-{n}", "durationMs": took / 9}
        events.append(event if redact else event | {"output": output})
        calls.append({"id": f"m-{n}-1", "model": "claude", "usage": {"inputTokens": 1250, "outputTokens": 48},
                      "finishReason": "tool_use", "toolCallIds": [f"call-{n}"]} | ({} if redact else {"text": "I will look that part up."}))
    answer = rng.choice(ANSWERS).format(part=part, bin=number % 40 if passes or why < 0.7 else 99)
    calls.append({"id": f"m-{n}-2", "model": "claude", "usage": {"inputTokens": 1630, "outputTokens": 71},
                  "finishReason": "end_turn"} | ({} if redact else {"text": answer}))
    contains = f"bin {number % 40}" in answer
    scores = {"textContains": {"pass": contains} | ({} if contains else {"details": f"expected \"bin {number % 40}\" in the final answer"}),
              "toolsTriggered": {"pass": called == expected}
              | ({} if called == expected else {"details": f"expected parts.{expected}; the closest call is {called or 'none'}"})}
    if shape.judged:
        scores["judge"] = judge(rng, passes)
    passed = passes and all(score["pass"] for score in scores.values())
    trace = {"calls": [{"name": called, "status": "expected" if called == expected else "unexpected"}] if called else [],
             "missed": [] if called == expected else [{"name": expected}]}
    transcript = {"events": events, "evidence": "structured", "usage": {"inputTokens": 2880, "outputTokens": 119}, "modelCalls": calls}
    if not redact:
        transcript["finalText"] = answer
    return {"trial": n, "pass": passed, "scores": scores, "durationMs": took, "ending": {"kind": "trial"},
            "toolCallTrace": trace, "evidence": "structured", "transcript": transcript,
            "clientUsage": {"inputTokens": 2880, "outputTokens": 119, "totalCostUsd": cost * rng.uniform(0.7, 1.3)}}


def judge(rng, passes):
    unknown = rng.random() < 0.03
    grounded = {"pass": passes and not unknown, "score": 1.0 if passes else 0.0, "reasoning": REASONS[0] if passes else rng.choice(REASONS[1:]),
                "judgeName": "grounded-in-tools", "judgeProvider": "anthropic", "judgeModel": "claude-opus-5", "judgeIdentity": "ab" * 32}
    if unknown:
        grounded |= {"unknown": True, "reasoning": "The transcript does not show what the tool returned."}
        del grounded["score"]
    votes = [passes, passes, passes if rng.random() < 0.85 else not passes]
    agreed = sum(votes) >= 2
    jury = {"pass": agreed, "score": sum(votes) / 3, "judgeName": "task-completion", "judgeIdentity": "cd" * 32,
            "judgeModel": "gpt-5, gemini-3-pro, claude-opus-5", "details": f"{sum(votes)} of 3 members pass",
            "jury": [{"pass": vote, "score": float(vote), "judgeModel": model, "judgeIdentity": identity * 32,
                      "reasoning": REASONS[0] if vote else REASONS[2]}
                     for vote, model, identity in zip(votes, ("gpt-5", "gemini-3-pro", "claude-opus-5"), ("01", "02", "03"))]}
    return {"pass": grounded["pass"] and jury["pass"], "judgeResults": [grounded, jury]}


class Tally:
    """What a summary says of a variant."""

    def __init__(self):
        self.total = self.passed = self.incomplete = 0
        self.shares, self.cost, self.seconds, self.calls, self.trials = [], 0.0, 0.0, 0, 0

    def add(self, result):
        self.total += 1
        self.incomplete += result.get("incomplete", False)
        self.passed += result["pass"]
        if "passRate" in result and not result.get("incomplete"):
            self.shares.append(result["passRate"])
        for one in result.get("trialResults", [result]):
            self.trials += 1
            self.cost += one.get("clientUsage", {}).get("totalCostUsd", 0)
            self.seconds += one["durationMs"] / 1000
            self.calls += len(one.get("transcript", {}).get("events", []))

    def metrics(self):
        complete = self.total - self.incomplete
        return {"passed_rate": self.passed / max(1, complete), "trial_pass_rate": sum(self.shares) / max(1, len(self.shares)),
                "tool_count_mean": self.calls / self.trials, "mcp_call_count_mean": self.calls / self.trials,
                "cost_usd_mean": self.cost / self.trials, "duration_s_mean": self.seconds / self.trials}


def record(shape, run_id, eval_name, redact):
    judges = [{"type": "grounded-in-tools", "level": "config", "optionsHash": "e" * 64, "identity": "ab" * 32, "version": "2"},
              {"type": "task-completion", "level": "config", "optionsHash": "f" * 64, "identity": "cd" * 32, "version": "2"}]
    return {
        "format": "mst.run/v1", "kind": "run", "runId": run_id, "evalName": eval_name, "configId": eval_name, "contentHash": "9c" * 32,
        "createdAt": "2026-11-30T09:15:02.000Z", "finishedAt": "2026-11-30T09:31:47.000Z", "mst": {"version": "0.1.0"},
        "baseline": shape.variants[0][0],
        "variants": [
            {"name": name, "description": f"The parts server as {name}.", "servers": [{"label": "parts", "transport": "stdio", "command": "parts-server"}],
             "client": "api", "model": MODELS[name], "clientOptions": {"provider": "anthropic", "maxTokens": 1024 if name == "concise" else 4096},
             "writeModes": {"parts": "planned"}}
            | ({"inputTemplate": "Answer in one sentence.\n\n{{input}}"} if name == "concise" else {})
            for name, *_ in shape.variants
        ],
        "datasets": [{"name": "parts", "caseCount": shape.cases, "contentHash": "1f" * 32}],
        "judges": judges if shape.judged else [], "partial": False, "redactStoredResponses": redact,
        "runner": {"name": "local", "shards": 1}, "phases": {"collect": "complete", "grade": "complete"},
    }


def summary(shape, rng, run_id, eval_name, tallies, ids, previous):
    variants = []
    for at, (name, tally) in enumerate(tallies.items()):
        complete = tally.total - tally.incomplete
        one = {"name": name, "servers": [{"label": "parts", "transport": "stdio", "command": "parts-server"}],
               "result": {"total": tally.total, "passed": tally.passed, "failed": complete - tally.passed, "durationMs": tally.seconds * 1000},
               "metrics": tally.metrics(), "evidence": "structured", "costSource": "client", "writeModes": {"parts": "planned"}}
        if at and shape.judged:
            one["pairwise"] = pairwise(rng, list(tallies)[0], name, ids)
        variants.append(one)
    total = sum(tally.total - tally.incomplete for tally in tallies.values())
    passed = sum(tally.passed for tally in tallies.values())
    first = next(iter(tallies.values()))
    made = {
        "format": "mst.run/v1", "kind": "summary", "runId": run_id, "configId": eval_name, "contentHash": "9c" * 32,
        "timestamp": "2026-11-30T09:15:02.000Z", "durationMs": 1005000, "configName": eval_name, "variants": variants,
        "metrics": {"total": total, "passed": passed, "failed": total - passed, "passRate": passed / max(1, total)} | first.metrics(),
        "telemetry": {"cases": len(ids) * len(tallies), "toolCalls": sum(tally.calls for tally in tallies.values()),
                      "failedCases": total - passed, "totalClientUsage": {"inputTokens": 2880 * shape.all_trials, "outputTokens": 119 * shape.all_trials}},
    }
    return made | ({"previousRun": previous} if previous else {})


def pairwise(rng, baseline, candidate, ids):
    cases, wins, losses, ties = [], 0, 0, 0
    for one in ids:
        preferred = rng.choices(("candidate", "baseline", "tie"), (3, 4, 2))[0]
        wins, losses, ties = wins + (preferred == "candidate"), losses + (preferred == "baseline"), ties + (preferred == "tie")
        cases.append({"id": one, "preferences": [{"judge": "preference", "preference": preferred, "consistent": preferred != "tie",
                                                  "reasoning": "Both name the bin; this one says how many are left.",
                                                  "model": "claude-opus-5", "dimensions": {"helpfulness": {"preference": preferred}}}]})
    compared = len(ids)
    return {"baseline": baseline, "candidate": candidate, "unmatched": {"baselineOnly": [], "candidateOnly": []}, "cases": cases,
            "summary": [{"judge": "preference", "compared": compared, "candidateWins": wins, "baselineWins": losses, "ties": ties,
                         "skipped": 0, "errors": 0, "candidateWinRate": (wins + ties / 2) / max(1, compared), "consistency": 0.87,
                         "dimensions": {"helpfulness": {"compared": compared, "candidateWins": wins, "baselineWins": losses, "ties": ties,
                                                        "candidateWinRate": (wins + ties / 2) / max(1, compared)}}}]}
