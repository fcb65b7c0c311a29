// environment.js: on what a run ran: versions, the machine, the process and the plugins.
"use strict";

const Environment = (() => {
  const {el} = Elements;

  function memory(bytes) {
    return bytes > 0 ? `${Numbers.short(bytes / 2 ** 30)} GiB` : null;
  }

  // What environment.json of a run says; runs of older programs have none.
  function machine(facts) {
    const cpu = facts.cpu ?? {};
    return [["Broch", facts.broch], ["plugin interface", facts.interface], ["runtime", facts.runtime],
            ["operating system", facts.system],
            ["processor", cpu.model === undefined ? null
                : `${cpu.model || "unknown"}, ${cpu.usable_cores} of ${cpu.cores} cores, ${(cpu.isa ?? []).join(" ")}`],
            ["memory", memory(facts.memory_bytes)],
            ...(facts.gpus ?? []).map((gpu) =>
                [gpu.device, [gpu.name, memory(gpu.memory_bytes)].filter(Boolean).join(", ")]),
            ["GPU", facts.gpus?.length === 0 ? "none" : null]];
  }

  function process(record, variables) {
    return [["host", record.host], ["process", record.pid], ["exit code", record.exit],
            ["resumed from", record.resumed_from],
            ...Object.entries(variables).map(([name, value]) => ["$" + name, value])];
  }

  // answer: of api/runs/ID/environment.
  function tables(answer) {
    const rows = [...machine(answer.machine ?? {}), ...process(answer.record ?? {}, answer.variables ?? {})]
        .filter(([, value]) => value !== null && value !== undefined);
    return [
      el("table", {class: "values"}, el("tbody", {}, rows.map(([name, value]) =>
          el("tr", {}, el("th", {scope: "row"}, name), el("td", {}, String(value)))))),
      el("details", {}, el("summary", {}, "Plugins"), el("table", {class: "values"},
         el("thead", {}, el("tr", {}, ["plugin", "version", "build"].map((text) => el("th", {scope: "col"}, text)))),
         el("tbody", {}, answer.plugins.map((one) => el("tr", {}, el("th", {scope: "row"}, one.id),
            el("td", {}, one.version), el("td", {}, el("code", {}, one.build_id))))))),
    ];
  }

  return {tables};
})();
