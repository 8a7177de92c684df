// Draws each figure[data-chart] from its JSON: colours come from the style sheet, so a theme fits.
"use strict";

const probe = document.createElement("span");

// The colour a custom property stands for in the present theme, as rgb().
function colour(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

// As many labels as fit without touching; the server gave those of a wide page.
function thinned(axis, width) {
  const every = Math.ceil(axis.tickvals.length / Math.max(2, Math.floor(width / 72)));
  const kept = (_, place) => place % every === 0;
  axis.tickvals = axis.tickvals.filter(kept);
  axis.ticktext = axis.ticktext.filter(kept);
}

function painted(drawing, width) {
  const ink = colour("--muted");
  const layout = structuredClone(drawing.layout);
  thinned(layout.xaxis, width);
  layout.font = { color: ink, family: getComputedStyle(document.body).fontFamily, size: 12 };
  layout.paper_bgcolor = layout.plot_bgcolor = "rgba(0,0,0,0)";
  layout.hoverlabel = {
    bgcolor: colour("--surface"), bordercolor: colour("--edge"), font: { color: colour("--ink") },
  };
  for (const axis of ["xaxis", "yaxis"]) {
    Object.assign(layout[axis], { gridcolor: colour("--grid"), linecolor: colour("--line") });
  }
  const data = drawing.data.map((trace) => {
    const fill = colour(`--series-${trace.meta.series}`);
    const pattern = { ...trace.marker.pattern, fgcolor: colour("--surface"), bgcolor: fill };
    return { ...trace, marker: { ...trace.marker, color: fill, pattern } };
  });
  return { data, layout };
}

async function draw(figure) {
  const drawing = JSON.parse(document.getElementById(figure.dataset.chart).textContent);
  const plot = figure.querySelector(".plot");
  const { data, layout } = painted(drawing, plot.clientWidth);
  await Plotly.react(plot, data, layout, { displayModeBar: false, responsive: true });
  figure.dataset.drawn = "yes";
}

function drawAll() {
  document.querySelectorAll("figure[data-chart]").forEach(draw);
}

document.addEventListener("DOMContentLoaded", () => {
  probe.hidden = true;
  document.body.append(probe);
  drawAll();
});
document.addEventListener("htmx:after:swap", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
