// app.js: which runs there are, which are shown, and the view that is open.
"use strict";

const App = (() => {
  const {el, announce} = Elements;
  const kBetween = 4000;  // milliseconds between questions to the server
  const kFirst = 5;       // runs that are shown at first
  const kViews = [
    {key: "runs", label: "Runs", make: Table.view},
    {key: "curves", label: "Curves", make: Curves.view},
    {key: "images", label: "Images", make: Media.images},
    {key: "histograms", label: "Histograms", make: Media.histograms},
    {key: "texts", label: "Texts", make: Media.texts},
    {key: "manifest", label: "Manifest", make: Manifest.view},
    {key: "live", label: "Live", make: Live.view},
  ];

  const app = {
    runs: [], selected: new Map(), search: "", cut: false, loaded: false,
    shown: () => app.runs.filter((run) => app.selected.has(run.id)),
    color: (id) => app.selected.has(id) ? Colors.css(app.selected.get(id)) : "transparent",
    ink: (id) => Colors.of(app.selected.get(id) ?? 0),
    dashes: (id) => Colors.dashes(app.selected.get(id) ?? 0),
    // The name, with the path where several runs share the name.
    title: (run) => app.names.get(run.name) > 1 ? `${run.name} (${run.path})` : run.name,
    names: new Map(),
    select(id, on) {
      if (on) give(id);
      else app.selected.delete(id);
      changed();
    },
    selectAll(runs) {
      app.selected.clear();
      for (const run of runs) give(run.id);
      changed();
    },
    setSearch(text) {
      app.search = text;
      side.update();
      if (open === "runs") views.get("runs").update();
    },
    open(id) {
      app.selectAll([{id}]);
      show("curves", true);
    },
  };
  const views = new Map(), tabs = new Map();
  let side, open = "", asked = false;

  // The first color that no other run has.
  function give(id) {
    if (app.selected.has(id)) return;
    const taken = new Set(app.selected.values());
    let slot = 0;
    while (taken.has(slot)) slot += 1;
    app.selected.set(id, slot);
  }

  function changed() {
    side.update();
    views.get(open)?.update();
    remember();
  }

  // The address has the view and the runs, so that it can be kept and gone back to.
  function remember() {
    const all = app.selected.size > 20 ? [] : [...app.selected.keys()];
    history.replaceState(null, "", "#" + new URLSearchParams({view: open, runs: all.join(",")}));
  }

  function recall() {
    const hash = new URLSearchParams(location.hash.slice(1));
    for (const id of (hash.get("runs") ?? "").split(",").filter(Boolean)) give(id);
    return {view: hash.get("view"), hasRuns: app.selected.size > 0};
  }

  function show(key, focus) {
    open = key;
    for (const [name, tab] of tabs) {
      tab.setAttribute("aria-selected", name === key);
      tab.tabIndex = name === key ? 0 : -1;
    }
    if (!views.has(key)) views.set(key, kViews.find((view) => view.key === key).make(app));
    const view = views.get(key), main = document.getElementById("main");
    main.setAttribute("aria-labelledby", "tab-" + key);
    main.replaceChildren(view.node);
    view.update();
    remember();
    if (focus) tabs.get(key).focus();
  }

  function makeTabs() {
    const node = document.getElementById("tabs");
    for (const {key, label} of kViews) {
      const tab = el("button", {type: "button", role: "tab", id: "tab-" + key, "aria-controls": "main",
                                onclick: () => show(key)}, label);
      tabs.set(key, tab);
      node.append(tab);
    }
    document.getElementById("main").setAttribute("role", "tabpanel");
    node.addEventListener("keydown", (event) => {
      const keys = [...tabs.keys()], at = keys.indexOf(open);
      const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: keys.length - 1}[event.key];
      if (to === undefined) return;
      event.preventDefault();
      show(keys[(to + keys.length) % keys.length], true);
    });
  }

  async function ask() {
    if (asked) return;
    asked = true;
    try {
      const answer = await Data.get("api/runs");
      app.runs = answer.runs;
      app.cut = answer.cut;
      app.names = new Map();
      for (const run of app.runs) app.names.set(run.name, (app.names.get(run.name) ?? 0) + 1);
    } catch (error) {
      announce(error.message, true);
    } finally {
      asked = false;
    }
  }

  function makeTheme() {
    const button = document.getElementById("theme");
    const text = () => {
      button.textContent = Colors.isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `${button.textContent} colors`);
    };
    button.addEventListener("click", Colors.change);
    Colors.onChange(text);
    Colors.apply();
  }

  async function start() {
    makeTheme();
    if (Data.isReport) {
      await ask();
      for (const run of app.runs) give(run.id);
      return Report.show(app);
    }
    history.replaceState(null, "", location.pathname + location.hash);  // without the token
    makeTabs();
    side = Table.side(app);
    document.getElementById("side").replaceChildren(side.node);
    const {view, hasRuns} = recall();
    show(kViews.some((one) => one.key === view) ? view : "runs");
    await ask();
    app.loaded = true;
    if (!hasRuns) {
      const newest = [...app.runs].sort((a, b) => (b.started ?? 0) - (a.started ?? 0));
      for (const run of newest.slice(0, kFirst)) give(run.id);
    }
    changed();
    performance.mark("broch-list");
    setInterval(async () => {
      if (document.hidden) return;
      await ask();
      side.update();
      views.get(open).update();
    }, kBetween);
  }

  document.addEventListener("DOMContentLoaded", start);
  return app;
})();
