// chart.js: curves on a canvas, with a cursor and zoom by mouse, finger and keyboard.
"use strict";

const Chart = (() => {
  const kLeft = 56, kRight = 10, kTop = 8, kBottom = 24, kHeight = 220;
  const kMostInTip = 12;
  const kMostDigits = 12;
  const kMany = 30;  // curves, from which on they are thin and let others shine through
  const {el} = Elements;

  // The place of the value in an ascending list that is nearest to x.
  function nearest(list, x) {
    let low = 0, high = list.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low > 0 && x - list[low - 1] < list[low] - x ? low - 1 : low;
  }

  // The texts of ticks, with more digits where two of them would be alike.
  function texts(ticks, text) {
    for (let digits = 5; ; ++digits) {
      const list = ticks.map((tick) => text(tick, digits));
      if (digits === kMostDigits || new Set(list).size === list.length) return list;
    }
  }

  // options: {label, onZoom(range or null), xName(), xText(x, digits)}
  // draw() takes curves [{name, color, dashes, x, y, raw}], whose x ascends and whose y may have
  // null, and {xRange, isLog}.
  function create(options) {
    const canvas = el("canvas", {class: "chart", tabindex: "0", role: "img"});
    const tip = el("div", {class: "tip", "aria-live": "off"});
    const node = el("div", {class: "chart-box"}, canvas, tip);
    let curves = [], view = {xRange: null, isLog: false};
    let x = null, y = null, cursor = null, drag = null, width = 0;

    function limits() {
      let xs = [Infinity, -Infinity], ys = [Infinity, -Infinity];
      for (const curve of curves)
        if (curve.x.length > 0) {
          xs[0] = Math.min(xs[0], curve.x[0]);
          xs[1] = Math.max(xs[1], curve.x[curve.x.length - 1]);
        }
      if (view.xRange) xs = view.xRange;
      for (const curve of curves)
        for (const list of curve.raw === curve.y ? [curve.y] : [curve.raw, curve.y])
          for (let i = 0; i < list.length; ++i) {
            const value = list[i];
            if (value === null || curve.x[i] < xs[0] || curve.x[i] > xs[1]) continue;
            if (view.isLog && value <= 0) continue;
            if (value < ys[0]) ys[0] = value;
            if (value > ys[1]) ys[1] = value;
          }
      if (!(xs[0] <= xs[1]) || !(ys[0] <= ys[1])) return null;
      if (xs[0] === xs[1]) xs = [xs[0] - 0.5, xs[1] + 0.5];
      return {xs, ys: Scale.padded(ys[0], ys[1], view.isLog)};
    }

    // A point between two gaps, which no line reaches, is a dot.
    function line(context, curve, values) {
      const alone = [];
      let length = 0, drawn = 0, lastX = 0, lastY = 0;  // length: points since the last gap
      const gap = () => {
        if (length === 1) alone.push([lastX, lastY]);
        length = 0;
      };
      context.beginPath();
      for (let i = 0; i < values.length; ++i) {
        const value = values[i];
        if (value === null || (view.isLog && value <= 0)) {
          gap();
          continue;
        }
        lastX = x.place(curve.x[i]);
        lastY = y.place(value);
        if (length > 0) context.lineTo(lastX, lastY);
        else context.moveTo(lastX, lastY);
        length += 1;
        drawn += 1;
      }
      gap();
      context.stroke();
      for (const [left, top] of alone) {
        context.beginPath();
        context.arc(left, top, drawn === 1 ? 3 : 2, 0, 7);
        context.fill();
      }
    }

    function axes(context, style) {
      context.font = "11px system-ui, sans-serif";
      context.lineWidth = 1;
      context.strokeStyle = style.borderTopColor;
      context.fillStyle = style.color;
      context.textAlign = "right";
      context.textBaseline = "middle";
      const yTicks = y.ticks(5), yTexts = texts(yTicks, Numbers.short);
      yTicks.forEach((tick, i) => {
        const at = Math.round(y.place(tick)) + 0.5;
        if (at < kTop || at > kHeight - kBottom + 1) return;
        context.beginPath();
        context.moveTo(kLeft, at);
        context.lineTo(width - kRight, at);
        context.stroke();
        context.fillText(yTexts[i], kLeft - 6, at, kLeft - 8);
      });
      context.textAlign = "center";
      context.textBaseline = "top";
      const xTicks = x.ticks(Math.max(2, Math.floor(width / 90))), xTexts = texts(xTicks, options.xText);
      xTicks.forEach((tick, i) => {
        const at = x.place(tick);
        if (at < kLeft - 1 || at > width - kRight + 1) return;
        const half = context.measureText(xTexts[i]).width / 2;
        context.fillText(xTexts[i], Math.min(at, width - half - 1), kHeight - kBottom + 7);
      });
    }

    function paint() {
      width = canvas.clientWidth;
      if (width === 0) return;
      const ratio = devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(kHeight * ratio);
      const context = canvas.getContext("2d"), style = getComputedStyle(canvas);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      context.clearRect(0, 0, width, kHeight);
      const found = limits();
      x = y = null;
      if (!found) {
        context.fillStyle = style.color;
        context.font = "13px system-ui, sans-serif";
        context.textAlign = "center";
        context.fillText(view.empty || "no values", width / 2, kHeight / 2);
        return;
      }
      x = Scale.make(found.xs[0], found.xs[1], kLeft, width - kRight, false);
      y = Scale.make(found.ys[0], found.ys[1], kHeight - kBottom, kTop, view.isLog);
      axes(context, style);
      context.save();
      context.beginPath();
      context.rect(kLeft, kTop - 2, width - kLeft - kRight, kHeight - kTop - kBottom + 4);
      context.clip();
      context.lineJoin = "round";
      for (const curve of curves) {
        context.strokeStyle = context.fillStyle = curve.color;
        context.setLineDash(curve.dashes);
        if (curve.raw !== curve.y) {
          context.globalAlpha = 0.25;
          context.lineWidth = 1;
          line(context, curve, curve.raw);
          context.globalAlpha = 1;
        }
        context.lineWidth = curves.length < kMany ? 1.6 : 1;
        context.globalAlpha = curves.length < kMany ? 1 : 0.5;
        line(context, curve, curve.y);
      }
      context.setLineDash([]);
      context.globalAlpha = 1;
      if (drag && Math.abs(drag.to - drag.from) > 2) {
        context.fillStyle = style.color;
        context.globalAlpha = 0.15;
        context.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), kHeight);
        context.globalAlpha = 1;
      } else if (cursor !== null) {
        marks(context, style);
      }
      context.restore();
    }

    // What stands under the cursor, by curve.
    function under() {
      const rows = [];
      for (const curve of curves) {
        if (curve.x.length === 0) continue;
        const i = nearest(curve.x, cursor);
        if (curve.y[i] !== null) rows.push({curve, x: curve.x[i], value: curve.y[i]});
      }
      return rows.sort((a, b) => b.value - a.value);
    }

    // The x of the point that is nearest to the cursor.
    function snapped(rows) {
      return rows.map((row) => row.x).reduce(
          (a, b) => Math.abs(b - cursor) < Math.abs(a - cursor) ? b : a, rows.length ? Infinity : cursor);
    }

    function marks(context, style) {
      const rows = under(), at = x.place(snapped(rows));
      context.strokeStyle = style.color;
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(at, 0);
      context.lineTo(at, kHeight - kBottom);
      context.stroke();
      context.globalAlpha = 1;
      for (const row of rows) {
        if (view.isLog && row.value <= 0) continue;
        context.fillStyle = row.curve.color;
        context.beginPath();
        context.arc(x.place(row.x), y.place(row.value), 3.5, 0, 7);
        context.fill();
      }
    }

    function showTip() {
      if (cursor === null || !x) {
        tip.replaceChildren();
        tip.classList.remove("shown");
        return;
      }
      const rows = under(), shown = rows.slice(0, kMostInTip);
      const digits = rows.length ? kMostDigits : undefined;  // of a point, not of any place
      tip.replaceChildren(
          el("div", {class: "tip-x"}, `${options.xName()} ${options.xText(snapped(rows), digits)}`),
          ...shown.map((row) => el("div", {class: "tip-row", color: row.curve.color},
                                   el("span", {class: "dot"}),
                                   el("span", {class: "tip-name"}, row.curve.name),
                                   el("b", {}, Numbers.short(row.value)))),
          rows.length > shown.length ? el("div", {}, `and ${rows.length - shown.length} more`) : "");
      tip.classList.add("shown");
      const at = x.place(cursor), half = tip.offsetWidth;
      tip.style.left = (at + 14 + half < width ? at + 14 : Math.max(0, at - 14 - half)) + "px";
    }

    function setCursor(value) {
      cursor = value;
      requestAnimationFrame(() => {
        paint();
        showTip();
      });
    }

    // The place of the horizontal axis that is nearest.
    function inside(value) {
      return Math.min(x.max, Math.max(x.min, value));
    }

    function pixel(event) {
      return event.clientX - canvas.getBoundingClientRect().left;
    }

    canvas.addEventListener("pointerdown", (event) => {
      if (!x || event.button !== 0) return;
      drag = {from: pixel(event), to: pixel(event)};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!x) return;
      if (drag) drag.to = pixel(event);
      setCursor(inside(x.invert(pixel(event))));
    });
    canvas.addEventListener("pointerup", () => {
      const done = drag;
      drag = null;
      if (!x || !done || Math.abs(done.to - done.from) < 8) return paint();
      const ends = [done.from, done.to].map((at) => inside(x.invert(at))).sort((a, b) => a - b);
      if (ends[0] === ends[1]) return paint();  // beside the axes
      options.onZoom(ends);
    });
    canvas.addEventListener("pointercancel", () => {
      drag = null;
      paint();
    });
    canvas.addEventListener("pointerleave", () => {
      if (!drag && document.activeElement !== canvas) setCursor(null);
    });
    canvas.addEventListener("dblclick", () => options.onZoom(null));
    canvas.addEventListener("blur", () => {
      tip.setAttribute("aria-live", "off");
      setCursor(null);
    });

    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "0" || event.key === "Escape") {  // also where a range has no values
        event.preventDefault();
        return options.onZoom(null);
      }
      if (!x) return;
      const part = (x.max - x.min) / 50, middle = cursor ?? (x.min + x.max) / 2;
      const move = (to) => setCursor(inside(to));
      const zoom = (factor) => {
        const half = (x.max - x.min) * factor / 2;
        options.onZoom([middle - half, middle + half]);
      };
      const actions = {
        ArrowLeft: () => move(middle - part), ArrowRight: () => move(middle + part),
        Home: () => move(x.min), End: () => move(x.max),
        "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      tip.setAttribute("aria-live", "polite");
      actions[event.key]();
    });

    new ResizeObserver(() => {
      if (canvas.clientWidth !== width) paint();
    }).observe(canvas);

    function draw(newCurves, newView) {
      curves = newCurves;
      view = newView;
      const texts = curves.slice(0, kMostInTip).map((curve) => {
        const last = curve.y.findLast((value) => value !== null);
        return `${curve.name} ${Numbers.short(last)}`;
      });
      canvas.setAttribute("aria-label", `${options.label}; last values: ${texts.join(", ")}. ` +
          "Arrow keys move the cursor, + and - zoom, 0 resets.");
      paint();
      if (cursor !== null) showTip();
    }

    return {node, draw};
  }

  return {create, nearest, texts};
})();
