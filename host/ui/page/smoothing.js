// smoothing.js: an exponential moving average without the bias of its start.
"use strict";

const Smoothing = (() => {
  // weight: of what came before, 0 to less than 1. null and NaN remain, and change nothing.
  function ema(values, weight) {
    if (weight <= 0) return values;
    let sum = 0, total = 0;
    return values.map((value) => {
      if (value === null || Number.isNaN(value)) return value;
      sum = weight * sum + (1 - weight) * value;
      total = weight * total + (1 - weight);
      return sum / total;
    });
  }

  return {ema};
})();
