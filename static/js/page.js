// What every page does by script: says that scripts run, and guesses the reader's time zone once.
"use strict";

document.documentElement.classList.add("scripted");

document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form[data-guess-zone='yes']");
  if (form) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const choice = form.elements.time_zone;
    if ([...choice.options].some((option) => option.value === zone)) {
      choice.value = zone;
    }
  }
});

// On a phone the rail is a strip at the bottom, and ranges are strips too: where the reader stands is in sight.
document.addEventListener("DOMContentLoaded", () => {
  for (const strip of document.querySelectorAll(".rail, .presets")) {
    const here = strip.querySelector("[aria-current]");
    if (here && strip.scrollWidth > strip.clientWidth) {
      const before = here.getBoundingClientRect().left - strip.getBoundingClientRect().left;
      strip.scrollLeft += before - (strip.clientWidth - here.offsetWidth) / 2;
    }
  }
});

// A link to something folded unfolds it.
function unfoldTarget() {
  const target = document.getElementById(window.location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
  }
}
document.addEventListener("DOMContentLoaded", unfoldTarget);
window.addEventListener("hashchange", unfoldTarget);

// A copy button names the element whose text it copies.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copy]");
  if (button) {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.querySelector("[data-said]").textContent = button.dataset.done;
  }
});

// What leads to another state of the same page changes the page in place, and its address with it.
function staysHere(one) {
  const isForm = one instanceof HTMLFormElement;
  const isRead = !isForm || one.method === "get";
  const there = new URL(isForm ? one.action : one.href, window.location.href);
  return isRead && (one.hasAttribute("data-stays") || there.pathname === window.location.pathname);
}
document.addEventListener("htmx:before:init", (event) => {
  const isPlain = event.target.matches("a:not([hx-get]), form:not([hx-get], [hx-post])");
  if (isPlain && !staysHere(event.target)) {
    event.preventDefault();
  }
});

// A page that changed in place may have given a link another address than it was first seen with.
document.addEventListener("htmx:before:request", (event) => {
  const link = event.detail.ctx.sourceElement;
  if (link?.matches?.("a:not([hx-get])") && !staysHere(link)) {
    event.preventDefault();
    window.location.assign(link.href);
  }
});

// The same for what is no link itself, as a column of a chart.
function leadTo(address) {
  const there = new URL(address, window.location.href);
  if (window.htmx && there.pathname === window.location.pathname) {
    const frame = "#frame";
    const how = { source: "main", target: frame, select: frame, swap: "outerMorph", push: "true" };
    htmx.ajax("GET", there.pathname + there.search, how);
  } else {
    window.location.assign(there);
  }
}

// An answer that is no such page, as when nobody is signed in any more, is looked at as a whole.
document.addEventListener("htmx:before:swap", (event) => {
  const { target, text, request } = event.detail.ctx;
  if (target?.id === "frame" && !text.includes('id="frame"')) {
    event.preventDefault();
    window.location.assign(request.action);
  }
});

// A part that comes by itself and did not says so in each of its places, and can be asked for again.
function showPart(name, isMissing) {
  document.querySelectorAll(`[data-part="${name}"]`).forEach((place) => {
    place.setAttribute("aria-busy", String(!isMissing));
    place.querySelector(".on-its-way").hidden = isMissing;
    place.querySelector(".did-not-come").hidden = !isMissing;
  });
}
function nameOfPart(event) {
  return event.detail.ctx?.sourceElement?.dataset?.part;
}
document.addEventListener("htmx:before:swap", (event) => {
  const answer = event.detail.ctx.response.raw;
  // Who is not signed in any more is led to another page.
  if (nameOfPart(event) && (!answer.ok || answer.redirected)) {
    event.preventDefault();
    showPart(nameOfPart(event), true);
  }
});
document.addEventListener("htmx:error", (event) => {
  const name = nameOfPart(event);
  if (name) {
    showPart(name, true);
  }
});
document.addEventListener("click", (event) => {
  const name = event.target.closest("button[data-again]")?.closest("[data-part]").dataset.part;
  if (name) {
    showPart(name, false);
    htmx.trigger(`[data-part="${name}"][hx-get]`, "again");
  }
});

// With Shift, a click on a value takes it out instead of showing it alone: before htmx sees the click.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-exclude]");
  if (link && event.shiftKey) {
    event.preventDefault();
    event.stopPropagation();
    leadTo(link.dataset.exclude);
  }
}, { capture: true });
