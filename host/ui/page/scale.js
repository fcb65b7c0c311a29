// scale.js: from numbers to places on an axis, and ticks.
"use strict";

const Scale = (() => {
  function linearTicks(min, max, most) {
    const rough = (max - min) / Math.max(1, most);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9; ++i)
      ticks.push(Number((i * step).toPrecision(12)));
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

  // The limits with some room around them.
  function padded(min, max, isLog) {
    if (isLog) return min === max ? [min / 2, max * 2] : [min / (max / min) ** 0.04, max * (max / min) ** 0.04];
    const room = min === max ? Math.abs(min) * 0.1 || 1 : (max - min) * 0.05;
    return [min - room, max + room];
  }

  return {make, padded};
})();
