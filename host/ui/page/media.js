// media.js: images, histograms and texts of the runs that are shown.
"use strict";

const Media = (() => {
  const {el, refill} = Elements;
  const kAtOnce = 8;  // runs

  // One run after the other, each with what make(run) gives.
  function perRun(app, name, make) {
    const node = el("section", {});
    const seen = new Map();  // by run: the step at which it was read, and the element
    async function update() {
      const runs = app.shown().slice(0, kAtOnce);
      for (const id of [...seen.keys()]) if (!runs.some((run) => run.id === id)) seen.delete(id);
      const boxes = runs.map((run) => {
        const known = seen.get(run.id);
        if (known && (known.step === run.step || known.busy)) return known.box;
        const box = known?.box ?? el("section", {class: "of-run", "aria-label": run.name},
            el("h2", {color: app.color(run.id)}, el("span", {class: "dot"}), app.title(run)),
            el("div", {}, el("p", {class: "note"}, "Loading …")));
        const entry = {step: run.step, box, busy: true};
        seen.set(run.id, entry);
        make(run).then((content) => box.lastChild.replaceChildren(...content),
                       (error) => box.lastChild.replaceChildren(el("p", {class: "note"}, error.message)))
            .finally(() => entry.busy = false);
        return box;
      });
      if (boxes.length !== node.children.length || boxes.some((box, i) => box !== node.children[i]))
        refill(node, boxes.length ? boxes : el("p", {class: "note"}, `Choose runs in the list to see their ${name}.`));
    }
    return {node, update};
  }

  // An image of a tag, and a slider over its steps.
  function imageBox(run, tag) {
    const last = tag.number.length - 1;
    const image = el("img", {alt: "", loading: "lazy"});
    const output = el("output", {});
    const link = el("a", {target: "_blank", rel: "noopener", title: "in its own size"}, image);
    const slider = el("input", {type: "range", min: 0, max: Math.max(0, last), step: 1, value: last,
                                "aria-label": `step of ${tag.tag}`, oninput: () => show(Number(slider.value))});
    function show(place) {
      const address = Data.image(run.id, tag.tag, tag.number[place]);
      image.src = address;
      if (!Data.isReport) link.href = address;
      image.alt = `${tag.tag} at step ${tag.step[place]}`;
      output.textContent = `step ${tag.step[place]}`;
    }
    if (last >= 0) show(last);
    return el("figure", {class: "panel"}, el("figcaption", {}, el("h3", {}, tag.tag), output), link,
              last > 0 ? slider : "");
  }

  function images(app) {
    return perRun(app, "images", async (run) => {
      const media = await Data.get(`api/runs/${run.id}/media`);
      if (media.images.length === 0) return [el("p", {class: "note"}, "No images.")];
      return [el("div", {class: "panels"}, media.images.map((tag) => imageBox(run, tag)))];
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
    const slider = el("input", {type: "range", min: 0, max: 0, step: 1, "aria-label": `step of ${tag.tag}`,
                                oninput: () => show()});
    let list = [], range = [0, 1];
    function show() {
      const one = list[Number(slider.value)];
      if (!one) return;
      drawHistogram(canvas, one, range);
      const text = `step ${one.step}: ${Numbers.short(one.min)} to ${Numbers.short(one.max)}`;
      output.textContent = text;
      canvas.setAttribute("aria-label", `${tag.tag}, ${text}`);
    }
    Data.histogram(run.id, tag.tag).then((answer) => {
      list = answer.histograms;
      range = [Math.min(...list.map((one) => one.min)), Math.max(...list.map((one) => one.max))];
      if (!(range[0] < range[1])) range = [range[0] - 0.5, range[0] + 0.5];
      slider.max = Math.max(0, list.length - 1);
      slider.value = slider.max;
      show();
    }, (error) => output.textContent = error.message);
    new ResizeObserver(show).observe(canvas);
    Colors.onChange(show);
    return el("figure", {class: "panel"}, el("figcaption", {}, el("h3", {}, tag.tag), output), canvas, slider);
  }

  function histograms(app) {
    return perRun(app, "histograms", async (run) => {
      const media = await Data.get(`api/runs/${run.id}/media`);
      if (media.histograms.length === 0) return [el("p", {class: "note"}, "No histograms.")];
      return [el("div", {class: "panels"}, media.histograms.map((tag) => histogramBox(run, tag)))];
    });
  }

  // A text of a summary, and a slider over its steps.
  function textBox(run, tag) {
    const text = el("pre", {tabindex: "0", "aria-label": tag.tag});
    const output = el("output", {});
    const slider = el("input", {type: "range", min: 0, max: 0, step: 1, "aria-label": `step of ${tag.tag}`,
                                oninput: () => show()});
    let list = [];
    function show() {
      const one = list[Number(slider.value)];
      text.textContent = one?.text ?? "";
      output.textContent = one ? `step ${one.step}` : "";
    }
    Data.text(run.id, tag.tag).then((answer) => {
      list = answer.texts;
      slider.max = Math.max(0, list.length - 1);
      slider.value = slider.max;
      slider.hidden = list.length < 2;
      show();
    }, (error) => output.textContent = error.message);
    return el("figure", {class: "panel"}, el("figcaption", {}, el("h3", {}, tag.tag), output), text, slider);
  }

  function texts(app) {
    return perRun(app, "texts", async (run) => {
      const [answer, media] = await Promise.all(
          [Data.get(`api/runs/${run.id}/texts`), Data.get(`api/runs/${run.id}/media`)]);
      return [
        media.texts.length ? el("div", {class: "panels"}, media.texts.map((tag) => textBox(run, tag))) : "",
        ...answer.texts.map((one) => el("article", {class: "text"},
            el("h3", {}, `step ${one.step}, ${Numbers.date(one.time)}`), el("pre", {}, one.text))),
        el("details", {open: !Data.isReport}, el("summary", {}, "The end of the log"),
           el("pre", {class: "log", tabindex: "0", "aria-label": "log"}, answer.log || "No log.")),
      ];
    });
  }

  return {images, histograms, texts};
})();
