// report.js: all views of a report, one after the other.
"use strict";

const Report = (() => {
  const {el} = Elements;

  function facts(run) {
    const pairs = [["State", Table.state(run)], ["Path", run.path],
                   ["Epoch", String(run.epoch ?? "–")], ["Step", String(run.step ?? "–")],
                   ["Started", Numbers.date(run.started)],
                   ["Took", Numbers.duration(run.ended === null ? NaN : run.ended - run.started)],
                   ...["model", "trainer", "optimizer", "seed"].filter((key) => run.plan[key] !== undefined)
                       .map((key) => [key[0].toUpperCase() + key.slice(1), String(run.plan[key])])];
    return el("dl", {class: "facts"}, pairs.map(([name, value]) =>
        el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  }

  function metrics(runs) {
    return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Last metrics"}, el("table", {},
        el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "metric"),
                           runs.map((run) => el("th", {scope: "col", class: "number"}, runs.length > 1 ? run.name : "last")))),
        el("tbody", {}, Table.metricsOf(runs).map((name) => el("tr", {}, el("th", {scope: "row"}, name),
            runs.map((run) => el("td", {class: "number"}, Numbers.short(run.stats[name]))))))));
  }

  async function environment(run) {
    return Environment.tables(await Data.get(`api/runs/${run.id}/environment`));
  }

  async function show(app) {
    document.body.classList.add("report");
    document.title = app.runs.map((run) => run.name).join(", ");
    document.querySelector("h1").textContent = document.title;
    const main = document.getElementById("main");
    const section = (name, ...content) => main.append(el("section", {"aria-label": name}, el("h2", {class: "part"}, name), ...content));
    for (const run of app.runs)
      section(app.runs.length > 1 ? app.title(run) : "Run", facts(run));
    section("Metrics", metrics(app.runs));
    for (const [name, view] of [["Curves", Curves.view(app)], ["Images", Media.images(app)],
                                ["Histograms", Media.histograms(app)], ["Manifest", Manifest.view(app)],
                                ["Texts", Media.texts(app)]]) {
      section(name, view.node);
      await view.update();
    }
    for (const run of app.runs)
      section(app.runs.length > 1 ? `Environment of ${app.title(run)}` : "Environment", ...await environment(run));
  }

  return {show};
})();
