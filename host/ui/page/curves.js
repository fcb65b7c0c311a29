// curves.js: a panel for each metric, with the curves of all runs that are shown.
"use strict";

const Curves = (() => {
  const {el, fill, labelled} = Elements;
  const kPoints = 800;
  const kBetween = 250;  // milliseconds between pictures while curves arrive

  // Whether these points go on where the curve ends. The last times may be guesses until the event
  // file is written, and the last epochs until their epoch is over.
  function follows(curve, next) {
    const times = curve.time ?? [], last = times.length - 1;
    const isGuess = last >= 0 && (times[last] === null || times[last] === times[last - 1]);
    return !isGuess && !(curve.epoch.at(-1) > next.epoch[0]);
  }

  // The curves of a run, kept up to date: {curves: Map name → {step, epoch, time, value}, problem}.
  function makeStore(app, changed) {
    const runs = new Map();

    async function whole(run, withTime) {
      const answer = await Data.get(`api/runs/${run.id}/series`,
                                    {points: kPoints, ...(withTime ? {time: 1} : {})});
      const curves = new Map(answer.curves.map((curve) => [curve.name, curve]));
      return {curves, problem: answer.problem, records: answer.records,
              generation: answer.generation, withTime};
    }

    async function newer(run, entry) {
      const answer = await Data.get(`api/runs/${run.id}/series`, {
        points: kPoints, since: entry.records, generation: entry.generation,
        ...(entry.withTime ? {time: 1} : {})});
      if (answer.generation !== entry.generation || answer.since !== entry.records)
        return whole(run, entry.withTime);
      for (const curve of answer.curves) {
        const old = entry.curves.get(curve.name);
        if (old && !follows(old, curve)) return whole(run, entry.withTime);
        if (!old) entry.curves.set(curve.name, curve);
        else for (const key of ["step", "epoch", "time", "value"]) if (old[key]) old[key].push(...curve[key]);
        if (old && old.step.length > 4 * kPoints) return whole(run, entry.withTime);
      }
      entry.records = answer.records;
      entry.problem = answer.problem;
      return entry;
    }

    // Reads what is missing of the runs that are shown.
    async function refresh(withTime) {
      for (const id of [...runs.keys()]) if (!app.selected.has(id)) runs.delete(id);
      await Promise.all(app.shown().map(async (run) => {
        const entry = runs.get(run.id) || {};
        if (entry.busy) return;
        const current = entry.curves && (entry.withTime || !withTime);
        if (current && (Data.isReport || (entry.seen === run.step && run.state !== "running"))) return;
        runs.set(run.id, {...entry, busy: true});
        try {
          const step = run.step;
          const next = current ? await newer(run, entry) : await whole(run, withTime);
          if (app.selected.has(run.id)) runs.set(run.id, {...next, seen: step, busy: false});
        } catch (error) {
          runs.set(run.id, {...entry, busy: false});
          Elements.announce(`${run.name}: ${error.message}`, true);
        }
        changed();
      }));
    }

    return {refresh, get: (id) => runs.get(id)};
  }

  // What is on the x axis: the list of a curve, and texts.
  const kAxes = {
    step: {label: "step", values: (curve) => curve.step, text: Numbers.short},
    epoch: {label: "epoch", values: (curve) => curve.epoch,
            text: (x, digits = 5) => Numbers.short(Number(x.toFixed(digits - 2)), digits)},
    time: {label: "time since the start", text: Numbers.duration, withTime: true,
           values: (curve, run) => curve.time?.map((time) => time === null ? null : time - (run.started ?? curve.time[0]))},
    clock: {label: "time", values: (curve) => curve.time, withTime: true,
            text: (x, digits = 5) => Numbers.date(x).slice(5, digits > 5 ? 19 : 16)},
  };

  function isConstant(lists) {
    const first = lists[0]?.[0];
    return lists.every((list) => list.every((value) => value === first));
  }

  function view(app) {
    const settings = {axis: "step", smooth: 0, log: false, filter: "", xRange: null};
    const details = new Map();  // by run: {records, curves}, of the range that is zoomed into
    const panels = new Map();   // by metric: {chart, node}
    const grid = el("div", {class: "panels"}), fixed = el("div", {class: "panels"});
    const constant = el("details", {class: "constant"}, el("summary", {}, "Metrics that do not change"), fixed);
    const empty = el("p", {class: "note"});
    const problems = el("div");  // what is wrong with files of runs
    const legend = el("ul", {class: "legend", "aria-label": "Colors of runs"});
    const store = makeStore(app, () => arrived());
    let scheduled = false, zoomTimer = 0, arrivals = 0;

    const axis = el("select", {onchange: () => {
      settings.axis = axis.value;
      setZoom(null);
      refresh();
    }}, Object.entries(kAxes).map(([key, one]) => el("option", {value: key}, one.label)));
    const output = el("output", {}, "0");
    const smooth = el("input", {type: "range", min: 0, max: 0.99, step: 0.01, value: 0, oninput: () => {
      settings.smooth = Number(smooth.value);
      output.textContent = settings.smooth;
      schedule();
    }});
    const log = el("input", {type: "checkbox", onchange: () => {
      settings.log = log.checked;
      schedule();
    }});
    const filter = el("input", {type: "search", placeholder: "all", oninput: () => {
      settings.filter = filter.value.toLowerCase();
      schedule();
    }});
    const reset = el("button", {type: "button", disabled: true, onclick: () => setZoom(null)}, "Reset zoom");
    const controls = el("div", {class: "controls"},
        labelled("Horizontal", axis), labelled("Smoothing", el("span", {class: "row"}, smooth, output)),
        labelled("Logarithmic", log), labelled("Metrics", filter), reset);

    function setZoom(range) {
      settings.xRange = range;
      reset.disabled = !range;
      details.clear();
      schedule();
      clearTimeout(zoomTimer);
      if (range && !Data.isReport) zoomTimer = setTimeout(loadDetails, 200);
    }

    // More points of the range, which is turned into steps by the points that are known.
    async function loadDetails() {
      const range = settings.xRange, one = kAxes[settings.axis];
      await Promise.all(app.shown().map(async (run) => {
        const entry = store.get(run.id), records = entry?.records;
        if (details.get(run.id)?.records === records) return;
        let from = Infinity, to = -Infinity;
        for (const curve of entry?.curves?.values() ?? []) {
          const xs = one.values(curve, run);
          if (!xs || xs.length < kPoints / 2) continue;
          const before = Math.max(0, xs.findIndex((x) => x >= range[0]) - 1);
          const after = xs.findIndex((x) => x > range[1]);
          from = Math.min(from, curve.step[before]);
          to = Math.max(to, curve.step[after < 0 ? xs.length - 1 : after]);
        }
        if (!(from < to)) return;
        try {
          const answer = await Data.get(`api/runs/${run.id}/series`,
              {points: kPoints, from, to, ...(one.withTime ? {time: 1} : {})});
          const curves = new Map(answer.curves.map((curve) => [curve.name, curve]));
          if (settings.xRange === range) details.set(run.id, {records, curves});
        } catch (error) {
          Elements.announce(error.message, true);
        }
      }));
      if (settings.xRange === range) schedule();
    }

    function panel(metric) {
      if (panels.has(metric)) return panels.get(metric);
      const chart = Chart.create({label: metric, onZoom: setZoom,
                                  xText: (x, digits) => kAxes[settings.axis].text(x, digits),
                                  xName: () => kAxes[settings.axis].label});
      const node = el("section", {class: "panel", "aria-label": metric}, el("h3", {}, metric), chart.node);
      const made = {chart, node, visible: Data.isReport, data: null};
      if (!Data.isReport)
        new IntersectionObserver(([entry]) => {
          made.visible = entry.isIntersecting;
          if (made.visible) paint(made);
        }, {rootMargin: "300px"}).observe(node);
      panels.set(metric, made);
      return made;
    }

    function paint(made) {
      if (!made.data) return;
      const [curves, options] = made.data();
      made.node.dataset.curves = curves.length;
      made.chart.draw(curves, options);
    }

    function curvesOf(metric) {
      const one = kAxes[settings.axis], list = [];
      for (const run of app.shown()) {
        const curve = details.get(run.id)?.curves.get(metric) ?? store.get(run.id)?.curves?.get(metric);
        if (!curve) continue;
        const xs = one.values(curve, run);
        if (!xs || xs.some((x) => x === null)) continue;
        list.push({name: app.title(run), color: app.ink(run.id), dashes: app.dashes(run.id),
                   x: xs, raw: curve.value, y: Smoothing.ema(curve.value, settings.smooth)});
      }
      return list;
    }

    function render() {
      scheduled = false;
      const metrics = new Map();  // whether it is constant
      for (const run of app.shown())
        for (const [name, curve] of store.get(run.id)?.curves ?? [])
          metrics.set(name, [...(metrics.get(name) ?? []), curve.value]);
      const names = [...metrics.keys()].filter((name) => name.toLowerCase().includes(settings.filter))
          .sort((a, b) => Table.rank(a) - Table.rank(b) || a.localeCompare(b));
      const places = [[], []];
      for (const name of names) {
        const made = panel(name);
        const still = metrics.get(name)[0].length > 1 && isConstant(metrics.get(name));
        places[still ? 1 : 0].push(made.node);
        made.data = () => [curvesOf(name), {
          xRange: settings.xRange, isLog: settings.log,
          empty: kAxes[settings.axis].withTime ? "no times: the runs have no event files"
              : settings.log ? "no values above 0" : "no values"}];
      }
      [grid, fixed].forEach((node, i) => fill(node, places[i]));
      constant.hidden = places[1].length === 0;
      const loading = app.shown().some((run) => !store.get(run.id)?.curves);
      empty.textContent = names.length ? "" : app.selected.size === 0 ? "Choose runs in the list to see their curves."
          : loading ? "Loading …" : "No metrics yet.";
      problems.replaceChildren(...app.shown().filter((run) => store.get(run.id)?.problem).map((run) =>
          el("p", {class: "note"}, `${app.title(run)}: ${store.get(run.id).problem}`)));
      legend.replaceChildren(...app.shown().slice(0, 40).map((run) =>
          el("li", {color: app.color(run.id)}, el("span", {class: "dot"}), app.title(run))),
          app.selected.size > 40 ? el("li", {}, `and ${app.selected.size - 40} more`) : "");
      for (const name of names) if (panels.get(name).visible) paint(panels.get(name));
    }

    function schedule() {
      if (scheduled) return;
      scheduled = true;
      requestAnimationFrame(render);
    }

    function arrived() {
      if (arrivals) return;
      arrivals = setTimeout(() => {
        arrivals = 0;
        schedule();
        if (settings.xRange && !Data.isReport) loadDetails();
      }, kBetween);
    }

    function refresh() {
      schedule();
      return store.refresh(Boolean(kAxes[settings.axis].withTime));
    }

    Colors.onChange(schedule);
    return {node: el("section", {}, controls, legend, problems, empty, grid, constant), update: refresh};
  }

  return {view, follows};
})();
