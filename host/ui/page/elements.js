// elements.js: makes elements, and exchanges them without losing the focus.
"use strict";

const Elements = (() => {
  // el("button", {class: "quiet", onclick: f, "aria-label": "…"}, "text", other elements)
  function el(tag, properties = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (name === "color") node.style.setProperty("--color", value);
      else if (["value", "checked", "disabled", "selected", "open"].includes(name)) node[name] = value;
      else node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.flat().filter((child) => child !== undefined && child !== null));
    return node;
  }

  // Replaces the children. The element with the focus is found again by its data-key.
  function refill(node, ...children) {
    const active = document.activeElement;
    const key = node.contains(active) ? active.dataset.key : undefined;
    const scroll = node.scrollTop;
    node.replaceChildren(...children.flat());
    node.scrollTop = scroll;
    if (!key) return;
    const again = node.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (again) again.focus({preventScroll: true});
  }

  // Replaces the children if they are others: elements that are taken out lose their focus, and what
  // is done to them at the moment.
  function fill(node, children) {
    if (node.children.length !== children.length || children.some((one, i) => node.children[i] !== one))
      node.replaceChildren(...children);
  }

  function labelled(text, control) {
    return el("label", {class: "field"}, el("span", {}, text), control);
  }

  let timer = 0;
  // Tells people, also those who hear the page.
  function announce(text, isError = false) {
    const node = document.getElementById("message");
    node.textContent = text;
    node.classList.toggle("error", isError);
    node.classList.add("shown");
    clearTimeout(timer);
    timer = setTimeout(() => node.classList.remove("shown"), isError ? 8000 : 3000);
  }

  return {el, fill, refill, labelled, announce};
})();
