// Draws each figure[data-chart] from its JSON: colours come from the style sheet, so a theme fits.
"use strict";

const probe = document.createElement("span");

// On paper a chart is as wide as the page, in its colours; else as wide as the window, whatever redraws it.
const PAPER_PX = 660;
let isOnPaper = false;

// The colour a custom property stands for in the present theme, as rgb().
function colour(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

// As many labels as fit without touching; the server gave those of a wide page.
function thinned(axis, width) {
  const longest = Math.max(...axis.ticktext.map((text) => text.length));
  // A letter is about 7 px wide, one of Chinese 12.
  const each = Math.max(72, 12 + longest * (/[\u4e00-\u9fff]/.test(axis.ticktext[0]) ? 12 : 7));
  const every = Math.ceil(axis.tickvals.length / Math.max(2, Math.floor(width / each)));
  const kept = (_, place) => place % every === 0;
  axis.tickvals = axis.tickvals.filter(kept);
  axis.ticktext = axis.ticktext.filter(kept);
}

function seeThrough(solid) {
  return solid.replace("rgb(", "rgba(").replace(")", ", 0.16)");
}

// Each trace names its colour; a bar is hatched, an area is filled lightly.
function coloured(trace) {
  const fill = colour(`--series-${trace.meta.series}`);
  if (trace.type === "bar") {
    const pattern = { ...trace.marker.pattern, fgcolor: colour("--surface"), bgcolor: fill };
    return { ...trace, marker: { ...trace.marker, color: fill, pattern } };
  }
  const line = { ...trace.line, color: fill };
  return { ...trace, line, marker: { ...trace.marker, color: fill }, fillcolor: seeThrough(fill) };
}

function painted(drawing, width) {
  const layout = structuredClone(drawing.layout);
  layout.font = {
    color: colour("--muted"), family: getComputedStyle(document.body).fontFamily, size: 12,
  };
  layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
  layout.hoverlabel = {
    bgcolor: colour("--surface"), bordercolor: colour("--edge"), font: { color: colour("--ink") },
  };
  for (const [name, axis] of Object.entries(layout)) {
    if (/^[xy]axis/.test(name)) {
      Object.assign(axis, { gridcolor: colour("--grid"), linecolor: colour("--line") });
    }
  }
  if (layout.xaxis.tickvals) {
    thinned(layout.xaxis, width);
  }
  return { data: drawing.data.map(coloured), layout };
}

// A click on a column leads into it.
function leadOn(plot, links) {
  plot.removeAllListeners("plotly_click");
  plot.classList.toggle("leads", links.length > 0);
  plot.on("plotly_click", (event) => {
    const link = links[event.points[0].pointIndex];
    if (link) {
      leadTo(link);
    }
  });
}

async function draw(figure) {
  const drawing = JSON.parse(document.getElementById(figure.dataset.chart).textContent);
  const plot = figure.querySelector(".plot");
  const width = isOnPaper ? PAPER_PX : plot.clientWidth;
  const { data, layout } = painted(drawing, width);
  const size = isOnPaper ? { width, height: 230, autosize: false } : {};
  const options = { displayModeBar: false, responsive: !isOnPaper };
  await Plotly.react(plot, data, { ...layout, ...size }, options);
  leadOn(plot, drawing.links ?? []);
  figure.dataset.drawn = "yes";
}

function drawAll() {
  document.querySelectorAll("figure[data-chart]").forEach(draw);
}

// What came without having been drawn yet, and leaves alone what stands.
function drawNew() {
  document.querySelectorAll("figure[data-chart]:not([data-drawn])").forEach(draw);
}

document.addEventListener("DOMContentLoaded", () => {
  probe.hidden = true;
  document.body.append(probe);
  drawAll();
});
// Until a figure is drawn anew it shows what was.
document.addEventListener("htmx:before:swap", (event) => {
  const figures = event.detail.ctx.target?.querySelectorAll("figure[data-drawn]") ?? [];
  figures.forEach((one) => delete one.dataset.drawn);
});
document.addEventListener("htmx:after:swap", drawNew);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);

function putOnPaper(isPrinting) {
  isOnPaper = isPrinting;
  document.documentElement.style.colorScheme = isPrinting ? "light" : "";
  drawAll();
}
window.addEventListener("beforeprint", () => putOnPaper(true));
window.addEventListener("afterprint", () => putOnPaper(false));
