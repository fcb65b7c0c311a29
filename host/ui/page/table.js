// table.js: tables that can be sorted, the list of runs at the side, and the table of metrics.
"use strict";

const Table = (() => {
  const {el, refill, labelled} = Elements;
  const kRows = 300;  // shown at first

  // Whole words first, so that validation_error comes before beta1.
  function rank(metric) {
    const order = [/(^|[_/-])(val|validation|test)/, /acc/, /err/, /loss|cost/];
    const found = order.findIndex((pattern) => pattern.test(metric));
    return found < 0 ? order.length : found;
  }

  function metricsOf(runs) {
    const names = new Set();
    for (const run of runs) for (const name of Object.keys(run.stats)) names.add(name);
    return [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
  }

  function compare(a, b) {
    const missing = (value) => value === null || value === undefined || value === "";
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    return typeof a === "number" && typeof b === "number" ? a - b
        : String(a).localeCompare(String(b), undefined, {numeric: true});
  }

  // columns: [{key, label, value(row), cell(row) or nothing, number}]. order: {key, down}, which is
  // changed. again(): called when the order has changed.
  function sortable(columns, rows, order, again) {
    const by = columns.find((column) => column.key === order.key);
    const sorted = by ? [...rows].sort((a, b) => {
      const [x, y] = [by.value(a), by.value(b)];
      const none = (value) => value === null || value === undefined;
      return none(x) || none(y) || !order.down ? compare(x, y) : compare(y, x);
    }) : rows;
    const header = columns.map((column) => {
      const mine = order.key === column.key;
      const sort = mine ? (order.down ? "descending" : "ascending") : "none";
      if (!column.value) return el("th", {scope: "col"}, el("span", {class: "hidden"}, column.label));
      return el("th", {scope: "col", "aria-sort": sort, class: column.number ? "number" : ""},
          el("button", {type: "button", "data-key": "sort " + column.key, onclick: () => {
            order.down = mine ? !order.down : Boolean(column.number);
            order.key = column.key;
            again();
          }}, column.label, el("span", {class: "arrow", "aria-hidden": "true"},
                               mine ? (order.down ? " ▼" : " ▲") : "")));
    });
    const body = sorted.map((row) => el("tr", {}, columns.map((column) =>
        el("td", {class: column.number ? "number" : ""},
           column.cell ? column.cell(row) : String(column.value(row) ?? "–")))));
    return el("table", {}, el("thead", {}, el("tr", {}, header)), el("tbody", {}, body));
  }

  function state(run) {
    return el("span", {class: "state " + run.state}, run.state);
  }

  function matches(run, words) {
    const text = `${run.name} ${run.path} ${run.state}`.toLowerCase();
    return words.every((word) => text.includes(word));
  }

  function filtered(app) {
    const words = app.search.toLowerCase().split(/\s+/).filter(Boolean);
    return words.length ? app.runs.filter((run) => matches(run, words)) : app.runs;
  }

  function choice(app, run, where) {
    return el("input", {type: "checkbox", "data-key": where + run.id, "aria-label": "show " + run.name,
                        checked: app.selected.has(run.id),
                        onchange: (event) => app.select(run.id, event.target.checked)});
  }

  // The list at the side: search, and which runs are shown.
  function side(app) {
    const search = el("input", {type: "search", id: "search", value: app.search,
                                placeholder: "name, path or state", "data-key": "search",
                                oninput: (event) => app.setSearch(event.target.value)});
    const list = el("ul", {class: "runs"});
    const count = el("p", {class: "note"});
    const all = el("button", {type: "button", class: "quiet", onclick: () => app.selectAll(filtered(app))},
                   "Show all found");
    const none = el("button", {type: "button", class: "quiet", onclick: () => app.selectAll([])},
                    "Show none");
    const details = el("details", {class: "side-box", open: innerWidth >= 900},
        el("summary", {}, "Runs"), labelled("Search", search),
        el("div", {class: "row"}, all, none), count, list);
    let most = kRows;
    function update() {
      const found = filtered(app), shown = found.slice(0, most);
      count.textContent = `${found.length} of ${app.runs.length} runs` +
          (app.cut ? ", and there are more below these folders" : "") +
          `; ${app.selected.size} shown`;
      refill(list, shown.map((run) => el("li", {color: app.color(run.id), class: app.selected.has(run.id) ? "on" : ""},
          el("label", {title: run.path}, choice(app, run, "side "),
             el("span", {class: "dot"}), el("span", {class: "name"}, run.name),
             el("span", {class: "path"}, el("bdi", {}, run.path))),
          state(run))),
          found.length > most ? el("li", {}, el("button", {type: "button", onclick: () => {
            most = Infinity;
            update();
          }}, `List all ${found.length}`)) : []);
    }
    return {node: details, update};
  }

  // One row per run, with the latest metrics.
  function view(app) {
    const order = {key: "started", down: true};
    const node = el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Metrics of runs"});
    const only = el("input", {type: "checkbox", "data-key": "only", onchange: () => update()});
    const every = el("input", {type: "checkbox", "data-key": "every", onchange: () => update()});
    const bar = el("div", {class: "controls"},
        labelled("Only shown runs", only), labelled("All metrics", every));
    let most = kRows;
    const kMetrics = 6;
    function columns(rows) {
      const metrics = metricsOf(rows).slice(0, every.checked ? Infinity : kMetrics);
      return [
        {key: "shown", label: "Shown", cell: (run) => choice(app, run, "table ")},
        {key: "name", label: "Run", value: (run) => run.name, cell: (run) => [
          el("button", {type: "button", class: "link", "data-key": "open " + run.id, title: run.path,
                        onclick: () => app.open(run.id)}, run.name),
          el("span", {class: "path"}, run.path)]},
        {key: "state", label: "State", value: (run) => run.state, cell: state},
        {key: "epoch", label: "Epoch", number: true, value: (run) => run.epoch,
         cell: (run) => (run.epoch ?? "–") + (run.plan.max_epoch && run.plan.max_epoch < 99999 ? ` / ${run.plan.max_epoch}` : "")},
        {key: "step", label: "Step", number: true, value: (run) => run.step},
        {key: "started", label: "Started", number: true, value: (run) => run.started,
         cell: (run) => Numbers.date(run.started)},
        {key: "took", label: "Took", number: true, value: took, cell: (run) => Numbers.duration(took(run) ?? NaN)},
        ...metrics.map((name) => ({key: "m " + name, label: name, number: true,
          value: (run) => run.stats[name], cell: (run) => Numbers.short(run.stats[name])})),
      ];
    }
    function took(run) {
      if (run.started === null) return null;
      if (run.ended !== null) return run.ended - run.started;
      return run.state === "running" ? Date.now() / 1000 - run.started : null;
    }
    function update() {
      const found = filtered(app).filter((run) => !only.checked || app.selected.has(run.id));
      const rows = found.slice(0, most);
      refill(node, found.length === 0 ? el("p", {class: "note"}, app.loaded ? "No runs." : "Loading …")
          : sortable(columns(found), rows, order, update),
          found.length > most ? el("button", {type: "button", onclick: () => {
            most = Infinity;
            update();
          }}, `List all ${found.length}`) : []);
    }
    return {node: el("section", {}, bar, node), update};
  }

  return {side, view, sortable, state, rank, metricsOf};
})();
