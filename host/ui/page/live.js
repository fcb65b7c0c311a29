// live.js: the runs that train now: progress, and stop, save and set.
"use strict";

const Live = (() => {
  const {el, fill, refill, labelled, announce} = Elements;

  async function send(run, body, done) {
    try {
      const answer = await Data.post(`api/runs/${run.id}/control`, body);
      announce(done(answer));
    } catch (error) {
      announce(error.message, true);
    }
  }

  function part(status) {
    const steps = status.steps_per_epoch * status.max_epoch;
    return status.max_epoch < 99999 && steps > 0 ? Math.min(1, status.global_step / steps) : null;
  }

  function facts(pairs) {
    return el("dl", {class: "facts"}, pairs.filter(([, value]) => value !== null).map(([name, value]) =>
        el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  }

  // The box of one run, which keeps what is typed into it.
  function box(app, run) {
    const progress = el("progress", {max: 1, "aria-label": `progress of ${run.name}`});
    const details = el("div", {}), names = el("datalist", {id: "names-" + run.id});
    const name = el("input", {list: names.id, required: true, placeholder: "learning_rate", autocomplete: "off"});
    const value = el("input", {required: true, placeholder: "0.01", autocomplete: "off"});
    name.addEventListener("change", () => {
      if (settable[name.value] !== undefined) value.value = JSON.stringify(settable[name.value]);
    });
    const stop = el("button", {type: "button", class: "danger", onclick: () => askToStop()}, "Stop");
    const save = el("button", {type: "button", onclick: () =>
      send(run, {request: "save"}, (answer) => `Saved: ${answer.checkpoint}`)}, "Save");
    const form = el("form", {class: "controls", onsubmit: (event) => {
      event.preventDefault();
      send(run, {request: "set", name: name.value, value: value.value},
           (answer) => `${answer.name}: ${JSON.stringify(answer.before)} is now ${JSON.stringify(answer.now)}`);
    }}, labelled("Change", name), labelled("to", value), names, el("button", {type: "submit"}, "Set"), save, stop);
    const node = el("section", {class: "panel live", "aria-label": run.name},
        el("h3", {}, run.name, " ", el("span", {class: "path"}, run.path)), progress, details, form);
    let settable = {}, before = null, timer = 0;

    // The second of two clicks ends the run.
    function askToStop() {
      clearTimeout(timer);
      const isSecond = stop.textContent !== "Stop";
      stop.textContent = isSecond ? "Stop" : "Save and end it now?";
      if (isSecond) send(run, {request: "stop"}, () => "The run saves its state and ends.");
      else timer = setTimeout(() => stop.textContent = "Stop", 5000);
    }

    async function update() {
      let status;
      try {
        status = await Data.get(`api/runs/${run.id}/status`);
      } catch (error) {
        refill(details, el("p", {class: "note"}, error.message));
        return;
      }
      settable = status.settable ?? {};
      names.replaceChildren(...Object.keys(settable).map((one) => el("option", {value: one})));
      const done = part(status), now = Date.now() / 1000;
      if (done === null) progress.removeAttribute("value");
      else progress.value = done;
      const rate = before && now > before.time && status.global_step > before.step
          ? (status.global_step - before.step) / (now - before.time) : null;
      before = {time: now, step: status.global_step};
      const left = rate && done !== null
          ? (status.steps_per_epoch * status.max_epoch - status.global_step) / rate : null;
      refill(details, facts([
        ["Epoch", `${status.epoch_num}` + (status.max_epoch < 99999 ? ` of ${status.max_epoch}` : "")],
        ["Step", String(status.global_step)],
        ["Running for", Numbers.duration(now - status.started)],
        ["Steps per second", rate ? Numbers.short(Number(rate.toPrecision(3))) : null],
        ["Time left", left ? Numbers.duration(left) : null],
        ["Process", String(status.pid)],
        ...Object.entries(status.stats).map(([key, one]) => [key, Numbers.short(one)])]));
    }
    return {node, update};
  }

  function view(app) {
    const node = el("section", {}), boxes = new Map();
    async function update() {
      const runs = app.runs.filter((run) => run.state === "running");
      for (const id of [...boxes.keys()]) if (!runs.some((run) => run.id === id)) boxes.delete(id);
      for (const run of runs) if (!boxes.has(run.id)) boxes.set(run.id, box(app, run));
      const nodes = [...boxes.values()].map((one) => one.node);
      if (nodes.length === 0) refill(node, el("p", {class: "note"}, "No run trains at the moment."));
      else fill(node, nodes);
      for (const one of boxes.values()) await one.update();
    }
    return {node, update};
  }

  return {view};
})();
