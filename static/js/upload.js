// Sends files dropped on any page, or chosen, as they are, one after the other; shows how far each is.
"use strict";

(() => {
  const form = document.getElementById("upload");
  const drop = form.querySelector(".drop");
  const files = form.querySelector("input[type='file']");
  const list = form.querySelector(".uploads");
  const waits = form.hidden; // it is only seen while there is something to drop or to tell
  const OPTIONS = ["provider", "model", "run", "started_at", "input_tokens", "mapping", "encoding"];

  // What the options form says, as the address has it; a local time gets its offset.
  function options() {
    const chosen = new URLSearchParams();
    for (const name of OPTIONS) {
      const value = form.elements[name]?.value.trim();
      if (value) {
        chosen.set(name, name === "started_at" ? new Date(value).toISOString() : value);
      }
    }
    return chosen;
  }

  function shown(file) {
    const item = document.createElement("li");
    const said = document.createElement("span");
    const bar = document.createElement("progress");
    said.className = "wrap-anywhere small";
    said.textContent = file.name;
    bar.max = 100;
    bar.value = 0;
    bar.setAttribute("aria-label", file.name);
    item.append(said, bar);
    list.append(item);
    return { item, said, bar };
  }

  // What became of a file: a coloured word, its name, which leads to its import, and more words.
  function ended(row, file, { state, tone, words = "", href = "" }) {
    const chip = document.createElement("span");
    const name = document.createElement(href ? "a" : "span");
    const more = document.createElement("span");
    row.bar.remove();
    chip.className = `chip ${tone}`;
    chip.textContent = state;
    name.textContent = file.name;
    if (href) {
      name.href = href;
    }
    more.dataset.words = "";
    more.textContent = words;
    row.said.replaceChildren(chip, " ", name, " ", more);
  }

  // The list below knows what became of what was sent, and asks again by itself until all is read.
  function follow() {
    for (const item of list.querySelectorAll("[data-import]")) {
      const entry = document.querySelector(`#list [data-import="${item.dataset.import}"]`);
      if (entry) {
        const chip = entry.querySelector(".chip");
        item.querySelector(".chip").replaceWith(chip.cloneNode(true));
        item.querySelector("[data-words]").textContent = entry.dataset.said;
      }
    }
  }

  // A table that no format fits can be explained: mapping.js listens for this.
  function offerMapping(row, file) {
    const say = document.createElement("button");
    const offer = document.createElement("div");
    say.hidden = !document.getElementById("mapping");
    say.type = "button";
    say.textContent = form.dataset.sayColumns;
    say.addEventListener("click", () => {
      document.dispatchEvent(new CustomEvent("tallybook:map", { detail: file }));
    });
    offer.append(say);
    row.item.append(offer);
  }

  // Resolves to the address of the import, or to "" where the file was not kept.
  function send(file, more = {}) {
    return new Promise((resolve) => {
      const row = shown(file);
      if (file.size > Number(form.dataset.max)) {
        ended(row, file, { state: form.dataset.failed, tone: "danger", words: form.dataset.tooLarge });
        resolve("");
        return;
      }
      const query = options();
      query.set("name", file.name);
      for (const [name, value] of Object.entries(more)) {
        query.set(name, value);
      }
      const request = new XMLHttpRequest();
      request.open("POST", `${form.dataset.url}?${query}`);
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.setRequestHeader("X-CSRFToken", form.elements.csrfmiddlewaretoken.value);
      request.responseType = "json";
      request.upload.addEventListener("progress", (event) => {
        row.bar.value = event.lengthComputable ? (event.loaded / event.total) * 100 : 0;
      });
      request.addEventListener("load", () => {
        const answer = request.response ?? {};
        const page = answer.import_id ? `/imports/${answer.import_id}/` : "";
        if (request.status < 400) {
          ended(row, file, { state: form.dataset.arrived, tone: "", href: page });
          row.item.dataset.import = answer.import_id;
        } else {
          const state = page ? form.dataset.refused : form.dataset.failed;
          const tooLarge = request.status === 413 ? form.dataset.tooLarge : null;
          const words = answer.said ?? tooLarge ?? answer.detail ?? String(request.status);
          ended(row, file, { state, tone: "danger", words, href: page });
        }
        if (answer.code === "unknown_format") {
          offerMapping(row, file);
          resolve("");
          return;
        }
        resolve(page);
      });
      request.addEventListener("error", () => {
        ended(row, file, { state: form.dataset.failed, tone: "danger", words: form.dataset.offline });
        resolve("");
      });
      request.send(file);
    });
  }

  // One file leads to its own page, several to the list; where one needs an answer, all stay here.
  async function sendAll(chosen, more = {}) {
    const pages = [];
    for (const file of chosen) {
      pages.push(await send(file, more));
    }
    if (pages.length && pages.every(Boolean)) {
      window.location.assign(pages.length === 1 ? pages[0] : form.dataset.list);
    } else if (document.getElementById("list") && list.querySelector("[data-import]")) {
      htmx.ajax("GET", window.location.pathname, { target: "#list", swap: "outerHTML" });
    }
  }

  form.querySelector("[data-choose]")?.addEventListener("click", () => files.click());
  files?.addEventListener("change", () => sendAll([...files.files]));
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("htmx:after:swap", follow);
  document.addEventListener("tallybook:send", (event) => {
    sendAll([event.detail.file], event.detail.more);
  });
  // Text that is dragged into a field is none of our business.
  const holdsFiles = (event) => event.dataTransfer.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (holdsFiles(event)) {
      event.preventDefault();
      form.hidden = false;
      drop.classList.add("over");
    }
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) {
      drop.classList.remove("over");
      form.hidden = waits && !list.children.length;
    }
  });
  document.addEventListener("drop", (event) => {
    if (holdsFiles(event)) {
      event.preventDefault();
      drop.classList.remove("over");
      form.hidden = waits && !event.dataTransfer.files.length && !list.children.length;
      sendAll([...event.dataTransfer.files]);
    }
  });
})();
