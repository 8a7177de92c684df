// A table of no known format: shows its columns, keeps what they are said to be, then sends the file.
"use strict";

(() => {
  const panel = document.getElementById("mapping");
  if (!panel) {
    return; // a viewer adds no files
  }
  const form = document.getElementById("mapping-form");
  const shown = form.querySelector("[data-shown]");
  const chooser = document.getElementById("table-file");
  const encoding = document.getElementById("table-encoding");
  const SAMPLE_BYTES = 64 * 1024;
  let table = null;

  async function asked(address, body) {
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    return fetch(address, { method: "POST", headers, body });
  }

  // A workbook can only be read whole; of any other table the first lines are enough.
  async function look(file) {
    table = file;
    panel.open = true;
    const isWorkbook = file.name.toLowerCase().endsWith(".xlsx");
    const body = new FormData();
    body.append("sample", isWorkbook ? file : file.slice(0, SAMPLE_BYTES), file.name);
    body.append("encoding", encoding.value);
    const answer = await asked(form.dataset.columns, body);
    shown.innerHTML = await answer.text();
    shown.querySelector("select")?.focus();
    panel.scrollIntoView({ block: "start" });
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = await asked(form.dataset.save, new FormData(form));
    if (answer.status !== 201) {
      shown.innerHTML = await answer.text();
      shown.querySelector(".errorlist, .errors")?.scrollIntoView({ block: "center" });
      return;
    }
    const { mapping } = await answer.json();
    const detail = { file: table, more: { mapping, encoding: encoding.value } };
    document.dispatchEvent(new CustomEvent("tallybook:send", { detail }));
  });
  chooser.addEventListener("change", () => chooser.files.length && look(chooser.files[0]));
  encoding.addEventListener("change", () => table && look(table));
  document.addEventListener("tallybook:map", (event) => look(event.detail));
})();
