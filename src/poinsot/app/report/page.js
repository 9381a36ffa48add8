"use strict";
(() => {
  // Okabe and Ito's colours: told apart by all; each line also has a dash or a sign of its own.
  const LIGHT = { measured: "#a3adb5", predicted: "#d55e00", residual: "#0072b2", "held-out": "#009e73", quiet: "#8b959d", "on-map": "#ffffff",
    1: "#cc3377", 2: "#0072b2", 3: "#d55e00", 4: "#009e73", 5: "#8a6d00", 6: "#56b4e9", 7: "#000000", ink: "#1d2329", grid: "#e4e6e4",
    diverging: [[0, "#0072b2"], [0.5, "#f7f7f5"], [1, "#d55e00"]] };
  const DARK = { measured: "#8d99a3", predicted: "#e69f00", residual: "#56b4e9", "held-out": "#2fc99a", quiet: "#77828b", "on-map": "#ffffff",
    1: "#ee88b5", 2: "#56b4e9", 3: "#e69f00", 4: "#2fc99a", 5: "#f0e442", 6: "#9ad2f2", 7: "#ffffff", ink: "#d5dade", grid: "#313941",
    diverging: [[0, "#56b4e9"], [0.5, "#232a31"], [1, "#e69f00"]] };
  const PAPER = 670; // width of a plot on paper, within the margins of A4 and Letter  [px]
  const root = document.documentElement, printed = matchMedia("print"), wish = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => !printing && (root.dataset.theme ? root.dataset.theme === "dark" : wish.matches);
  let printing = false, plots = [], ready = null;

  const bytes = (id) => Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) => c.charCodeAt(0));
  const unpack = (id) => new Response(new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();

  // Plotly reads a little HTML in texts: those of the result are no HTML.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

  // Long names are cut in their middle beside axes and in legends; tables, files and what the pointer is on have them whole.
  const NARROW = { x: 16, y: 16, told: 36 }, WIDE = { x: 22, y: 36, told: 60 }; // letters
  const isNarrow = () => !printing && innerWidth < 560, room = () => (isNarrow() ? NARROW : WIDE);
  const short = (text, most) => (text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(-Math.floor(most / 2)));
  const lines = (text) => (text.match(new RegExp(`.{1,${room().told}}`, "gs")) || [""]).map(plain).join("<br>");

  // Arrays of traces are columns of the plot's data, which are also its CSV file; colours are names in the palette.
  const told = (value, plot, colours, key) => {
    if (Array.isArray(value)) return value.map((x) => told(x, plot, colours, ""));
    if (value && typeof value === "object") {
      if ("$" in value) return plot.columns[value.$].slice(value.from, value.to === null ? undefined : value.to);
      return Object.fromEntries(Object.entries(value).map(([k, x]) => [k, told(x, plot, colours, k)]));
    }
    const named = (key === "color" || key === "colorscale") && typeof value === "string" && value[0] === "@";
    if ((key === "name" || key === "text") && typeof value === "string") return plain(short(value, room().told));
    return named ? colours[value.slice(1)] : value;
  };

  const cut = (plot, layout, traces) => {
    for (const letter of ["y", "x"]) {
      const axis = layout[letter + "axis"], most = room()[letter], columns = plot.traces.map((trace) => trace[letter]);
      if (axis.type !== "category") continue;
      const names = [...new Set(columns.flatMap((x) => plot.columns[x.$]))].map(String);
      if (!names.some((x) => x.length > most)) continue;
      Object.assign(axis, { tickvals: names.map(plain), ticktext: names.map((x) => plain(short(x, most))) });
      for (const [k, trace] of traces.entries()) {
        const before = trace.hovertext, mark = `%{${letter}}`, own = columns[k];
        trace.hovertext = plot.columns[own.$].slice(own.from, own.to ?? undefined).map((x, i) => (before ? before[i] + ",<br>" : "") + lines(String(x)));
        if (trace.hovertemplate) trace.hovertemplate = trace.hovertemplate.replace(before ? "%{hovertext}, " + mark : mark, "%{hovertext}");
      }
    }
  };

  const shown = (plot, colours) => {
    const narrow = isNarrow();
    const escaped = { ...plot, columns: plot.columns.map((c) => c.map((x) => (typeof x === "string" ? plain(x) : x))) };
    const layout = told(plot.layout, escaped, colours, ""), traces = told(plot.traces, escaped, colours, "");
    const axis = { gridcolor: colours.grid, zerolinecolor: colours.quiet, linecolor: colours.grid, automargin: true };
    for (const name of ["xaxis", "yaxis", ...Object.keys(layout).filter((k) => /^[xy]axis\d/.test(k))])
      layout[name] = { ...axis, ...layout[name], title: { ...(layout[name] || {}).title, standoff: 8, font: { size: 12 } } };
    cut(plot, layout, traces);
    return {
      data: traces,
      layout: { margin: { l: narrow ? 44 : 60, r: 14, t: 28, b: 44 }, hovermode: "closest", dragmode: narrow ? false : "zoom",
        legend: { orientation: "h", y: 1.01, yanchor: "bottom", x: narrow ? 0 : 1, xanchor: narrow ? "left" : "right", font: { size: 11 } },
        paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: colours.ink, size: 12, family: "system-ui, sans-serif" },
        autosize: true, ...(printing ? { width: PAPER } : {}), ...layout },
    };
  };

  const draw = (k) => {
    const place = document.getElementById("plot" + k), { data, layout } = shown(plots[k], isDark() ? DARK : LIGHT);
    const settings = { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d", "toImage"] };
    place.dataset.drawn = "yes";
    return Plotly.react(place, data, layout, settings);
  };
  const drawAll = (again) => {
    for (const k of plots.keys()) {
      const place = document.getElementById("plot" + k), visible = place.offsetParent !== null;
      if (visible && (again || !place.dataset.drawn)) draw(k);
    }
  };

  const csv = (plot) => {
    const cell = (x) => (x === null ? "" : typeof x === "number" ? String(x) : '"' + x.replace(/"/g, '""') + '"');
    const rows = plot.columns[0].map((_, i) => plot.columns.map((c) => cell(c[i])).join(","));
    return [plot.heads.map(cell).join(","), ...rows].join("\r\n") + "\r\n";
  };
  const save = (k) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", csv(plots[k])], { type: "text/csv" }));
    link.download = plots[k].name + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };

  const page = async (k) => { // of later scenes, what differs from the first
    const text = await unpack("scene" + k + "-packed"), [, head, tail] = text.match(/^(\d+),(\d+),/).map(Number);
    const middle = text.slice(`${head},${tail},`.length), first = k ? await page(0) : "";
    return first.slice(0, head) + middle + first.slice(first.length - tail);
  };
  const open = async (k) => {
    const frame = document.createElement("iframe"), stage = document.getElementById("scene" + k);
    frame.title = stage.getAttribute("aria-label");
    frame.src = URL.createObjectURL(new Blob([await page(k)], { type: "text/html" }));
    stage.append(frame); // the picture stays, for paper
  };

  const begin = async () => {
    if (!("DecompressionStream" in window)) { document.getElementById("old").hidden = false; return; }
    plots = JSON.parse(await unpack("plots-packed"));
    if (!plots.length) return;
    const script = document.createElement("script");
    script.textContent = await unpack("plotly-packed");
    document.head.append(script);
    const seen = new IntersectionObserver((entries) => {
      for (const e of entries) if (e.isIntersecting && !e.target.dataset.drawn) draw(Number(e.target.id.slice(4)));
    }, { rootMargin: "600px" });
    for (const k of plots.keys()) seen.observe(document.getElementById("plot" + k));
    const rest = () => { // the others while nothing else happens, so that a printed page has them all
      const k = [...plots.keys()].find((k) => { const p = document.getElementById("plot" + k); return !p.dataset.drawn && p.offsetParent; });
      if (k === undefined) { root.dataset.ready = "yes"; return; }
      draw(k);
      setTimeout(rest, 30);
    };
    setTimeout(rest, 200);
  };

  document.addEventListener("click", async (event) => {
    const target = event.target.closest("button");
    if (!target) return;
    if (target.id === "theme") { root.dataset.theme = isDark() ? "light" : "dark"; if (window.Plotly) drawAll(true); }
    if (target.dataset.plot) { await ready; save(Number(target.dataset.plot)); }
    if (target.dataset.scene) open(Number(target.dataset.scene));
  });
  document.addEventListener("toggle", () => { if (window.Plotly) drawAll(false); }, true);
  wish.addEventListener("change", () => { if (window.Plotly && !root.dataset.theme) drawAll(true); });
  const print = (now) => { printing = now; if (window.Plotly) drawAll(true); };
  printed.addEventListener("change", (event) => print(event.matches));
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  ready = begin();
})();
