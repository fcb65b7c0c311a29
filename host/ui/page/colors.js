// colors.js: colors of runs, which differ also for people who see few colors, and the theme.
"use strict";

const Colors = (() => {
  const kLight = ["#0b63ce", "#d1480c", "#1a7f37", "#8b3fd1", "#a8327c", "#8a6100", "#0a7c86",
                  "#5c5f66"];
  const kDark = ["#6cb0ff", "#ff9a5c", "#5fd07a", "#c59bff", "#ff8fcb", "#e5c04b", "#4fd3dc",
                 "#b4b8c0"];
  const kDashes = [[], [6, 3], [2, 3], [9, 3, 2, 3]];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];

  function stored() {
    try {
      return localStorage.getItem("broch-theme");
    } catch {  // a file that is opened from a disk may have no storage
      return null;
    }
  }

  let chosen = stored();

  function isDark() {
    return chosen ? chosen === "dark" : dark.matches;
  }

  function apply() {
    if (chosen) document.documentElement.dataset.theme = chosen;
    for (const listener of listeners) listener();
  }

  function change() {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("broch-theme", chosen);
    } catch {
      // It holds until the page is closed.
    }
    apply();
  }

  dark.addEventListener("change", apply);

  // For style sheets: follows the theme by itself.
  function css(slot) {
    return `light-dark(${kLight[slot % kLight.length]}, ${kDark[slot % kDark.length]})`;
  }

  // For canvases. slot: 0, 1, …
  function of(slot) {
    const list = isDark() ? kDark : kLight;
    return list[slot % list.length];
  }

  function dashes(slot) {
    return kDashes[Math.floor(slot / kLight.length) % kDashes.length];
  }

  return {of, css, dashes, isDark, apply, change, onChange: (listener) => listeners.push(listener)};
})();
