// media.js: images, histograms and texts of the runs that are shown.
"use strict";

const Media = (() => {
  const {el, fill, refill} = Elements;
  const kAtOnce = 8;  // runs

  // One run after the other, each with what make(run, kept) gives. kept: a map for elements of the
  // run, which stay as people have left them when the run goes on.
  function perRun(app, name, make) {
    const node = el("section", {});
    const seen = new Map();  // by run: the step at which it was read, and the elements
    async function update() {
      const runs = app.shown().slice(0, kAtOnce);
      for (const id of [...seen.keys()]) if (!runs.some((run) => run.id === id)) seen.delete(id);
      const boxes = runs.map((run) => {
        const known = seen.get(run.id);
        if (known && (known.step === run.step || known.busy)) return known.box;
        const box = known?.box ?? el("section", {class: "of-run", "aria-label": run.name},
            el("h2", {color: app.color(run.id)}, el("span", {class: "dot"}), app.title(run)),
            el("div", {}, el("p", {class: "note"}, "Loading …")));
        const entry = {step: run.step, box, busy: true, kept: known?.kept ?? new Map()};
        seen.set(run.id, entry);
        make(run, entry.kept).then((content) => fill(box.lastChild, content), (error) => {
          fill(box.lastChild, [el("p", {class: "note"}, error.message)]);
          entry.step = undefined;  // it is asked for again
        }).finally(() => entry.busy = false);
        return box;
      });
      if (boxes.length > 0) fill(node, boxes);
      else refill(node, el("p", {class: "note"}, `Choose runs in the list to see their ${name}.`));
    }
    return {node, update};
  }

  function remembered(kept, key, make) {
    if (!kept.has(key)) kept.set(key, make());
    return kept.get(key);
  }

  // A box for each tag, which is made once and then told what there is.
  function boxesOf(kept, tags, make) {
    const node = remembered(kept, "boxes", () => el("div", {class: "panels"}));
    const boxes = tags.map((tag) => remembered(kept, "tag " + tag.tag, () => make(tag.tag)));
    fill(node, boxes.map((box) => box.node));
    boxes.forEach((box, i) => box.update(tags[i]));
    return node;
  }

  // A slider over steps. It stays at its step when more of them come, unless that is the newest.
  // show(place): shows what is at this place of the list, if anything is.
  function stepSlider(tag, show) {
    const node = el("input", {type: "range", min: 0, max: 0, step: 1, "aria-label": `step of ${tag}`,
                              oninput: () => again()});
    let steps = [];
    const again = () => show(Number(node.value));
    function update(now) {
      const chosen = Number(node.value) < steps.length - 1 ? steps[Number(node.value)] : null;
      const same = now.indexOf(chosen);
      steps = now;
      node.max = Math.max(0, now.length - 1);
      node.value = chosen === null ? node.max : same >= 0 ? same : Chart.nearest(now, chosen);
      node.hidden = now.length < 2;
      again();
    }
    return {node, update, again};
  }

  function imageBox(run, tag) {
    const image = el("img", {alt: "", loading: "lazy"});
    const output = el("output", {});
    const link = el("a", {target: "_blank", rel: "noopener", title: "in its own size"}, image);
    let now = null;
    const slider = stepSlider(tag, (place) => {
      if (place >= now.number.length) return;
      const address = Data.image(run.id, tag, now.number[place]), step = `step ${now.step[place]}`;
      if (output.textContent === step && image.getAttribute("src") === address) return;
      image.src = address;
      if (!Data.isReport) link.href = address;
      image.alt = `${tag} at ${step}`;
      output.textContent = step;
    });
    function update(all) {
      now = all;
      slider.update(all.step);
    }
    return {update, node: el("figure", {class: "panel"},
                             el("figcaption", {}, el("h3", {}, tag), output), link, slider.node)};
  }

  function images(app) {
    return perRun(app, "images", async (run, kept) => {
      const media = await Data.get(`api/runs/${run.id}/media`);
      if (media.images.length === 0) return [el("p", {class: "note"}, "No images.")];
      return [boxesOf(kept, media.images, (tag) => imageBox(run, tag))];
    });
  }

  // Bars with the density of each bucket, since buckets have different widths.
  function drawHistogram(canvas, one, range) {
    const width = canvas.clientWidth || 300, height = 150, ratio = devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d"), style = getComputedStyle(canvas);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const x = Scale.make(range[0], range[1], 6, width - 6, false);
    const bars = [];
    for (let i = 0; i < one.counts.length; ++i) {
      const low = Math.max(i ? one.limits[i - 1] ?? one.min : one.min, one.min);
      const high = Math.min(one.limits[i] ?? one.max, one.max);
      if (one.counts[i] > 0) bars.push({low, high, count: one.counts[i], density: one.counts[i] / Math.max(high - low, (range[1] - range[0]) / 200)});
    }
    const most = Math.max(...bars.map((bar) => bar.density), 1e-300);
    context.fillStyle = style.getPropertyValue("border-bottom-color");
    for (const bar of bars) {
      const from = x.place(bar.low), size = (height - 24) * bar.density / most;
      context.fillRect(from, height - 18 - size, Math.max(1, x.place(bar.high) - from - 0.5), size);
    }
    context.fillStyle = style.color;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(Numbers.short(range[0]), 4, height - 13);
    context.textAlign = "right";
    context.fillText(Numbers.short(range[1]), width - 4, height - 13);
  }

  function histogramBox(run, tag) {
    const canvas = el("canvas", {class: "histogram", role: "img"});
    const output = el("output", {});
    let list = [], range = [0, 1];
    const slider = stepSlider(tag, (place) => {
      const one = list[place];
      if (!one) return;
      drawHistogram(canvas, one, range);
      const text = `step ${one.step}: ${Numbers.short(one.min)} to ${Numbers.short(one.max)}`;
      output.textContent = text;
      canvas.setAttribute("aria-label", `${tag}, ${text}`);
    });
    function update() {
      Data.histogram(run.id, tag).then((answer) => {
        list = answer.histograms;
        range = [Math.min(...list.map((one) => one.min)), Math.max(...list.map((one) => one.max))];
        if (!(range[0] < range[1])) range = [range[0] - 0.5, range[0] + 0.5];
        slider.update(list.map((one) => one.step));
      }, (error) => output.textContent = error.message);
    }
    new ResizeObserver(slider.again).observe(canvas);
    canvas.addEventListener("colors", slider.again);
    return {update, node: el("figure", {class: "panel"},
                             el("figcaption", {}, el("h3", {}, tag), output), canvas, slider.node)};
  }

  function histograms(app) {
    const view = perRun(app, "histograms", async (run, kept) => {
      const media = await Data.get(`api/runs/${run.id}/media`);
      if (media.histograms.length === 0) return [el("p", {class: "note"}, "No histograms.")];
      return [boxesOf(kept, media.histograms, (tag) => histogramBox(run, tag))];
    });
    // One listener for all canvases, since a listener would keep those that are gone.
    Colors.onChange(() => {
      for (const canvas of view.node.querySelectorAll("canvas")) canvas.dispatchEvent(new Event("colors"));
    });
    return view;
  }

  // A text of a summary, and a slider over its steps.
  function textBox(run, tag) {
    const text = el("pre", {tabindex: "0", "aria-label": tag});
    const output = el("output", {});
    let list = [];
    const slider = stepSlider(tag, (place) => {
      text.textContent = list[place]?.text ?? "";
      output.textContent = list[place] ? `step ${list[place].step}` : "";
    });
    function update() {
      Data.text(run.id, tag).then((answer) => {
        list = answer.texts;
        slider.update(list.map((one) => one.step));
      }, (error) => output.textContent = error.message);
    }
    return {update, node: el("figure", {class: "panel"},
                             el("figcaption", {}, el("h3", {}, tag), output), text, slider.node)};
  }

  function message(one) {
    return el("article", {class: "text"}, el("h3", {}, `step ${one.step}, ${Numbers.date(one.time)}`),
              el("pre", {}, one.text));
  }

  // The messages, of which those that were there before keep their elements.
  function messages(kept, list) {
    const before = remembered(kept, "messages", () => new Map()), now = new Map();
    for (const one of list) {
      let key = JSON.stringify(one);
      while (now.has(key)) key += " again";
      now.set(key, before.get(key) ?? message(one));
    }
    kept.set("messages", now);
    return [...now.values()];
  }

  function logBox(text) {
    return el("details", {open: !Data.isReport}, el("summary", {}, "The end of the log"), text);
  }

  function texts(app) {
    return perRun(app, "texts", async (run, kept) => {
      const [answer, media] = await Promise.all(
          [Data.get(`api/runs/${run.id}/texts`), Data.get(`api/runs/${run.id}/media`)]);
      const log = remembered(kept, "log", () => el("pre", {class: "log", tabindex: "0", "aria-label": "log"}));
      log.textContent = answer.log || "No log.";
      return [
        ...(media.texts.length ? [boxesOf(kept, media.texts, (tag) => textBox(run, tag))] : []),
        ...messages(kept, answer.texts),
        remembered(kept, "log box", () => logBox(log)),
      ];
    });
  }

  return {images, histograms, texts};
})();
