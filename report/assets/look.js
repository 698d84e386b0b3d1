"use strict";
/* Formatting of figures and style of charts, for all pages. T: texts by name; root: the element that contains the charts. */
const look = (T, root) => {
  /* ---- formatting of figures ---- */
  const trim = (v, d) => v.toFixed(d).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  // Three significant digits, also for small values.
  const three = (v) => {
    const size = Math.abs(v);
    return trim(v, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 || size === 0 ? 2 : Math.min(8, 2 - Math.floor(Math.log10(size))));
  };
  const scaled = (v, steps, words) => {
    let i = 0;
    while (i < words.length - 1 && Math.abs(v) >= steps) { v /= steps; i += 1; }
    return three(v) + words[i];
  };
  const count = (v) => scaled(v, 1000, ["", " k", " M", " G", " T"]);
  const ns = (v) => scaled(v, 1000, [" ns", " µs", " ms", " s"]);
  const size = (v) => scaled(v, 1024, [" B", " KiB", " MiB", " GiB", " TiB"]);
  const mb = (v) => count(v / 1e6) + " MB/s";
  const sec = (v) => trim(v, 1) + " " + T.seconds;
  const share = (p) => {
    const nines = Math.max(0, Math.ceil(-Math.log10(1 - p) - 1e-9) - 2);
    return trim(p * 100, Math.max(1, nines + 1)) + " %";
  };
  const unit = (u) => (v) => u === "B/s" ? mb(v) : u === "bytes" ? size(v) : u === "ns" ? ns(v) : `${count(v)} ${u}`;

  /* ---- colours, distinguishable with colour vision deficiency ---- */
  const dark = () => {
    const asked = document.documentElement.dataset.theme;
    return asked ? asked === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const palette = () => dark()
    ? ["#5cc1e0", "#f2a65a", "#8fd694", "#d49be8", "#f28482", "#e7d36b", "#9fb4ff", "#c9b79c", "#5fd0b8", "#f7a8d0", "#b5c94f", "#a9b6c2"]
    : ["#0b6e8f", "#c4560a", "#2f7d3b", "#8a3ea6", "#b3262e", "#8c7100", "#3f56c4", "#6b5a45", "#0a7d6c", "#b0337a", "#5f7a00", "#5a6672"];

  /* ---- axes ---- */
  const text = () => ({ color: css("--soft"), fontFamily: "system-ui, sans-serif" });
  const axis = (over) => ({
    nameTextStyle: text(),
    axisLine: { show: true, lineStyle: { color: css("--line") } }, axisTick: { lineStyle: { color: css("--line") } },
    splitLine: { show: over.grid !== false, lineStyle: { color: css("--line") } }, ...over,
    axisLabel: { ...text(), hideOverlap: true, ...(over.axisLabel || {}) },
  });
  const latencyAxis = (over = {}) => axis({ type: "log", name: T.latency, axisLabel: { formatter: ns }, ...over });
  const timeAxis = (over = {}) => axis({ type: "value", min: "dataMin", max: "dataMax", grid: false, axisLabel: { formatter: sec }, ...over });
  const tip = (over = {}) => ({
    trigger: "axis", renderMode: "richText", confine: true, backgroundColor: css("--card"), borderColor: css("--line"),
    textStyle: { color: css("--ink"), fontSize: 12 }, axisPointer: { lineStyle: { color: css("--soft") } }, ...over,
  });
  // Two axes need room on both sides; on a phone only as much as the labels take.
  const room = () => root.clientWidth < 600 ? { left: 52, right: 52 } : { left: 66, right: 66 };
  const base = (over) => ({
    color: palette(), animation: false, aria: { enabled: true }, textStyle: { fontFamily: "system-ui, sans-serif" },
    grid: { ...room(), top: 52, bottom: 46 },
    legend: { type: "plain", top: 0, left: 0, right: 0, textStyle: { ...text(), width: 220, overflow: "truncate" }, itemWidth: 16, itemHeight: 8, itemGap: 14, padding: [5, 12] },
    tooltip: tip(),
    ...over,
  });
  const words = (f) => ({ valueFormatter: (v) => v === null || v === undefined || Number.isNaN(v) ? "–" : f(Array.isArray(v) ? v[1] : v) });
  const line = (name, data, f, over = {}) => ({
    type: "line", name, data, showSymbol: data.length < 40, symbol: "circle", symbolSize: 5, lineStyle: { width: 2 }, tooltip: words(f), connectNulls: false, ...over,
  });
  const flat = (name, value, colour, f, where = "insideEndTop") => ({
    name, yAxis: value, lineStyle: { color: colour, type: "dashed", width: 1.5 },
    label: { formatter: `${name} ${f(value)}`, color: css("--soft"), backgroundColor: css("--card"), padding: [1, 3], position: where, fontSize: 11 },
  });
  const lines = (data) => ({ silent: true, symbol: "none", data });
  const zoom = (axes, formatter = sec) => [
    { type: "inside", xAxisIndex: axes, zoomOnMouseWheel: "ctrl" },
    { type: "slider", xAxisIndex: axes, height: 18, bottom: 4, borderColor: css("--line"), textStyle: text(), labelFormatter: (v) => formatter(v), brushSelect: false, showDataShadow: false },
  ];

  function element(tag, more = {}, ...inside) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(more)) if (k in e && k !== "role") e[k] = v; else e.setAttribute(k, v);
    e.append(...inside);
    return e;
  }

  return {
    trim, three, count, ns, size, mb, sec, share, unit, dark, css, palette, text,
    axis, latencyAxis, timeAxis, tip, room, base, words, line, flat, lines, zoom, element,
  };
};
