// manifest.js: the manifests of runs, where their values come from, and what differs.
"use strict";

const Manifest = (() => {
  const {el, refill, labelled} = Elements;

  function child(pointer, key) {
    return pointer + "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1");
  }

  // The values that are not lists or objects: [pointer, value].
  function leaves(value, pointer = "", list = []) {
    const before = list.length;
    if (value !== null && typeof value === "object")
      for (const [key, one] of Object.entries(value)) leaves(one, child(pointer, key), list);
    if (list.length === before) list.push([pointer, value]);
    return list;
  }

  // "/work/here/digits.json:3:7" -> "digits.json:3:7"
  function brief(origin) {
    return origin.replace(/^.*\//, "");
  }

  function table(manifest, search) {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = leaves(manifest.resolved).map(([pointer, value]) =>
        ({pointer, value: JSON.stringify(value), origin: manifest.origins?.[pointer] ?? ""}))
        .filter((row) => words.every((word) => `${row.pointer} ${row.value} ${row.origin}`.toLowerCase().includes(word)));
    const hasOrigins = manifest.origins !== null;
    return el("table", {class: "values"},
        el("thead", {}, el("tr", {}, ["value", "", ...(hasOrigins ? ["origin"] : [])].map((text) => el("th", {scope: "col"}, text)))),
        el("tbody", {}, rows.map((row) => el("tr", {},
            el("th", {scope: "row"}, row.pointer), el("td", {}, el("code", {}, row.value)),
            hasOrigins ? el("td", {class: row.origin.startsWith("default") ? "default" : "", title: row.origin}, brief(row.origin)) : []))));
  }

  async function differences(app, runs) {
    const answer = await Data.get("api/difference", {runs: runs.map((run) => run.id).join(",")});
    if (answer.rows.length === 0) return el("p", {class: "note"}, "The manifests do not differ, except for log_dir.");
    const names = answer.runs.map((id) => runs.find((run) => run.id === id)).filter(Boolean);
    return el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Differences"},
        el("table", {class: "values"},
           el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "value"), names.map((run) =>
               el("th", {scope: "col", color: app.color(run.id)}, el("span", {class: "dot"}), app.title(run))))),
           el("tbody", {}, answer.rows.map((row) => el("tr", {}, el("th", {scope: "row"}, row.pointer),
               row.values.map((value) => el("td", {}, value === null ? "–" : el("code", {}, value))))))));
  }

  function view(app) {
    const node = el("section", {}), parts = {difference: el("div", {}), values: el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Values of the manifest"}), written: el("pre", {tabindex: "0", "aria-label": "manifest as written"}), environment: el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Environment"})};
    const which = el("select", {"data-key": "which", onchange: () => load()});
    const search = el("input", {type: "search", placeholder: "a pointer, value or origin", oninput: () => showValues()});
    const compare = el("section", {}, el("h2", {}, "Differences"), parts.difference);
    node.append(compare, el("h2", {}, "Manifest"),
                el("div", {class: "controls"}, labelled("Run", which), labelled("Search", search)), parts.values,
                el("details", {}, el("summary", {}, "As it was written"), parts.written));
    // A report has its own part for it.
    if (!Data.isReport) node.append(el("details", {}, el("summary", {}, "Environment"), parts.environment));
    let manifest = null, last = "";

    function showValues() {
      if (manifest) refill(parts.values, manifest.resolved === null
          ? el("p", {class: "note"}, "The run has no manifest.") : table(manifest, search.value));
    }

    async function load() {
      const id = which.value;
      if (!id) return;
      try {
        const answer = await Data.get(`api/runs/${id}/manifest`);
        if (which.value !== id) return;  // another run was chosen meanwhile
        manifest = answer;
        parts.written.textContent = manifest.written;
        showValues();
        if (Data.isReport) return;
        const environment = await Data.get(`api/runs/${id}/environment`);
        if (which.value === id) refill(parts.environment, Environment.tables(environment));
      } catch (error) {
        Elements.announce(error.message, true);
      }
    }

    async function update() {
      const runs = app.shown(), key = runs.map((run) => run.id).join();
      if (key === last) return;
      last = key;
      const before = which.value;
      which.replaceChildren(...runs.map((run) => el("option", {value: run.id}, app.title(run))));
      if (runs.some((run) => run.id === before)) which.value = before;
      compare.hidden = runs.length < 2;
      if (runs.length === 0) parts.values.replaceChildren(el("p", {class: "note"}, "Choose runs in the list to see their manifests."));
      await load();
      if (runs.length < 2) return;
      try {
        const node = await differences(app, runs.slice(0, 32));
        if (key === last) parts.difference.replaceChildren(node);
      } catch (error) {
        parts.difference.replaceChildren(el("p", {class: "note"}, error.message));
      }
    }
    return {node, update};
  }

  return {view};
})();
