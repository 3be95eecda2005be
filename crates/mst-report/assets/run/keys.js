// Keys, and everything that listens.
function stepCase(by) {
  const next = visible[chosen + by];
  if (next !== undefined) go(address(next));
}

function stepTrial(by) {
  if (!open?.one) return;
  const at = open.one.trials.findIndex((trial) => trial.trial === open.trial);
  const next = open.one.trials[at + by];
  if (next) go(address(open.at, open.variant, next.trial));
}

function stepVariant() {
  if (!open) return;
  const count = index.variants.length;
  for (let by = 1; by < count; by += 1) {
    const next = (open.variant + by) % count;
    if (outcome(next, open.at)) return go(address(open.at, next, open.trial));
  }
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const field = event.target.closest?.("input, select, textarea");
  if (field) {
    if (event.key === "Escape" && field.id === "search") field.blur();
    return;
  }
  const inCase = dialog.open;
  if (!inCase && byId("help").open) return;
  const inList = event.target.matches?.("#rows a");
  const actions = inCase
    ? { j: () => stepCase(1), k: () => stepCase(-1), ArrowRight: () => stepTrial(1), ArrowLeft: () => stepTrial(-1), v: stepVariant }
    : { j: () => move(1), k: () => move(-1), "/": () => byId("search").focus(),
        ...(inList ? { ArrowDown: () => move(1), ArrowUp: () => move(-1) } : {}) };
  if (event.key === "?" && !inCase) actions["?"] = () => byId("help").showModal();
  const action = actions[event.key];
  if (action) {
    event.preventDefault();
    action();
  }
}

function start() {
  offerFilters();
  byId("filters").hidden = false;
  refresh();
  let pause;
  byId("search").addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(refresh, 80);
  });
  for (const id of ["by-state", "by-reason", "by-tag", "by-dataset", "order"]) byId(id).addEventListener("change", refresh);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("page-before").addEventListener("click", () => { page -= 1; showPage(); byId("cases").scrollIntoView(); });
  byId("page-after").addEventListener("click", () => { page += 1; showPage(); byId("cases").scrollIntoView(); });
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("case-close").addEventListener("click", () => dialog.close());
  byId("case-before").addEventListener("click", () => stepCase(-1));
  byId("case-after").addEventListener("click", () => stepCase(1));
  dialog.addEventListener("close", closed);
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  // A tab replaces the address: one step back leaves the case.
  dialog.addEventListener("click", (event) => {
    const link = event.target.closest("a.tab");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  for (const link of document.querySelectorAll("a[data-reason]")) {
    link.addEventListener("click", () => {
      byId("by-reason").value = link.dataset.reason;
      refresh();
    });
  }
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", follow);
  follow();
  document.documentElement.dataset.ready = "true";
}
