// numbers.js: numbers and times as people read them.
"use strict";

const Numbers = (() => {
  // So many digits, without zeros at the end.
  function short(value, digits = 5) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e6 || size < 1e-4))
      return value.toExponential(digits - 2).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(value.toPrecision(digits)));
  }

  function duration(seconds) {
    if (!Number.isFinite(seconds)) return "–";
    const s = Math.round(Math.abs(seconds));
    if (Math.abs(seconds) < 10) return short(Number(seconds.toFixed(2))) + " s";
    if (s < 60) return s + " s";
    if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
    if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
    return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
  }

  function two(number) {
    return String(number).padStart(2, "0");
  }

  // In the time zone of the reader: "2026-01-31 14:05:00".
  function date(seconds) {
    if (seconds === null || seconds === undefined) return "–";
    const d = new Date(seconds * 1000);
    return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ` +
        `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
  }

  return {short, duration, date};
})();
