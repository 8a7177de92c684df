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

// On a phone the rail is a strip at the bottom: where the reader stands is in sight.
document.addEventListener("DOMContentLoaded", () => {
  const rail = document.querySelector(".rail");
  const here = rail?.querySelector("[aria-current]");
  if (here && rail.scrollWidth > rail.clientWidth) {
    rail.scrollLeft = here.offsetLeft - (rail.clientWidth - here.offsetWidth) / 2;
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

// With Shift, a click on a value takes it out instead of showing it alone.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-exclude]");
  if (link && event.shiftKey) {
    event.preventDefault();
    window.location.assign(link.dataset.exclude);
  }
});
