"use strict";
// The page is whole without this: it filters the lost facts, and opens what a
// link leads into and what is to be printed.
(function () {
  const form = document.getElementById("filter");
  const items = Array.from(document.querySelectorAll("#lost .kind li"));
  const by = items.map((li) => " " + li.dataset.by + " ");
  const text = items.map((li) => li.textContent.toLowerCase());

  function filter() {
    const of = document.getElementById("f-of").value;
    const words = document.getElementById("f-text").value.trim().toLowerCase();
    const needed = document.getElementById("f-needed").checked;
    let shown = 0;
    items.forEach((li, i) => {
      const fits = (of === "" || by[i].includes(" " + of + " ")) &&
        (!needed || "needed" in li.dataset) && text[i].includes(words);
      li.hidden = !fits;
      if (fits) shown++;
    });
    for (const part of document.querySelectorAll("#lost .kind, #lost .kind .items, #lost .rest")) {
      const empty = !part.querySelector("li:not([hidden])");
      part.hidden = empty;
      const head = part.previousElementSibling;
      if (head && head.tagName === "H4") head.hidden = empty;
    }
    if (words !== "" || of !== "") {
      for (const rest of document.querySelectorAll("#lost .rest:not([hidden])")) rest.open = true;
    }
    document.getElementById("f-count").textContent = shown + " of " + items.length + " shown";
  }

  if (form) {
    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", (e) => e.preventDefault());
    filter();
  }

  // Not every browser opens the details that a link leads into.
  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.hidden && form) {
      form.reset();
      filter();
    }
    for (let at = target.parentElement; at; at = at.parentElement) {
      if (at.tagName === "DETAILS" && !at.open) {
        at.open = true;
        target.scrollIntoView();
      }
    }
  }
  addEventListener("hashchange", reveal);
  reveal();

  addEventListener("beforeprint", () => {
    for (const session of document.querySelectorAll("details.session")) session.open = true;
  });
})();
