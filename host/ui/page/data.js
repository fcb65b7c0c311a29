// data.js: answers of the server or, in a report, those that stand in the page.
"use strict";

const Data = (() => {
  const report = typeof REPORT === "undefined" ? null : REPORT;
  const kAtOnce = 4;  // requests; a browser has six connections, and images need some
  let running = 0;
  const waiting = [];

  function inReport(key) {
    if (!(key in report)) throw new Error(`${key} is not in this report`);
    return report[key];
  }

  async function request(path, options) {
    let response;
    try {
      response = await fetch("/" + path, options);
    } catch {
      throw new Error("the server does not answer; is broch ui still running?");
    }
    const body = await response.json();
    if (!response.ok) throw new Error(body.error || `status ${response.status}`);
    return body;
  }

  // Requests wait for each other, so that a long list of them does not block the others.
  async function inTurn(action) {
    if (running >= kAtOnce) await new Promise((resume) => waiting.push(resume));
    running += 1;
    try {
      return await action();
    } finally {
      running -= 1;
      const next = waiting.shift();
      if (next) next();
    }
  }

  // path: "api/runs/ID/series"; query: an object. A report has one answer for each path.
  async function get(path, query = {}) {
    if (report) return inReport(path);
    const text = new URLSearchParams(query).toString();
    return inTurn(() => request(path + (text ? "?" + text : "")));
  }

  async function histogram(id, tag) {
    if (report) return inReport(`api/runs/${id}/histogram ${tag}`);
    return get(`api/runs/${id}/histogram`, {tag});
  }

  async function text(id, tag) {
    if (report) return inReport(`api/runs/${id}/text ${tag}`);
    return get(`api/runs/${id}/text`, {tag});
  }

  function image(id, tag, number) {
    if (report) return inReport(`api/runs/${id}/image ${tag} ${number}`);
    return `/api/runs/${id}/image?` + new URLSearchParams({tag, n: number});
  }

  function post(path, body) {
    return request(path, {method: "POST", headers: {"X-Broch": "1"}, body: JSON.stringify(body)});
  }

  return {get, histogram, text, image, post, isReport: report !== null};
})();
