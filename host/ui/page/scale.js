// scale.js: from numbers to places on an axis, and ticks.
"use strict";

const Scale = (() => {
  function linearTicks(min, max, most) {
    const rough = (max - min) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const ticks = [];
    const first = Math.ceil(min / step - 1e-9), last = Math.floor(max / step + 1e-9);
    // A counter of its own: a large first + 1 may be first.
    for (let i = 0; i <= last - first; ++i)
      ticks.push(Number(((first + i) * step).toPrecision(12)));
    return ticks;
  }

  function logTicks(min, max, most) {
    const ticks = [];
    const first = Math.floor(Math.log10(min)), last = Math.ceil(Math.log10(max));
    if (last - first < 2) return linearTicks(min, max, most).filter((tick) => tick > 0);
    const each = Math.ceil((last - first) / Math.max(1, most));
    for (let power = first; power <= last; power += each) {
      const tick = 10 ** power;
      if (tick >= min * 0.999 && tick <= max * 1.001) ticks.push(tick);
    }
    return ticks;
  }

  // A scale from min … max to from … to in pixels.
  function make(min, max, from, to, isLog) {
    const value = isLog ? Math.log10 : (x) => x;
    const low = value(min), high = value(max);
    const factor = (to - from) / (high - low || 1);
    return {
      min, max,
      place: (x) => from + (value(x) - low) * factor,
      invert: (pixel) => {
        const x = low + (pixel - from) / factor;
        return isLog ? 10 ** x : x;
      },
      ticks: (most) => (isLog ? logTicks : linearTicks)(min, max, most),
    };
  }

  // The limits with some room around them. Numbers that differ by rounding are one.
  function padded(min, max, isLog) {
    const isOne = max - min <= 1e-12 * Math.max(Math.abs(min), Math.abs(max));
    if (isLog) return isOne ? [min / 2, max * 2] : [min / (max / min) ** 0.04, max * (max / min) ** 0.04];
    const room = isOne ? Math.abs(min) * 0.1 || 1 : (max - min) * 0.05;
    return [min - room, max + room];
  }

  return {make, padded};
})();
