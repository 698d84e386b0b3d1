"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const T = D.texts, root = document.getElementById("charts"), lead = document.getElementById("lead");
  const charts = [];
  // Charts not drawn yet, by their boxes; the time range shown by linked charts.
  const waiting = new Map(), spans = new Map();

  const { trim, three, count, ns, size, mb, sec, share, dark, css, palette, axis, tip, room, base, words, line, flat, lines, zoom, element } = look(T, root);

  /* ---- one figure: chart, table, formats for saving ---- */
  function save(name, blob) {
    const url = URL.createObjectURL(blob);
    const a = element("a", { href: url, download: name });
    a.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  }
  const cell = (v) => v === null || v === undefined ? "" : String(v);
  const csv = (table) => [table.head, ...table.rows]
    .map((r) => r.map((v) => /[",\n]/.test(cell(v)) || /^[=+@]/.test(cell(v)) ? `"${cell(v).replace(/"/g, '""')}"` : cell(v)).join(",")).join("\r\n") + "\r\n";
  const ROWS = 500;

  // Height of a legend line, and the number of lines for which a chart has room by default.
  const LINE = 26, FEW = 2;
  const pen = element("canvas").getContext("2d");
  function legendLines(names, width) {
    pen.font = "12px system-ui, sans-serif";
    let lines = 1, used = 24;
    for (const name of names) {
      const own = 16 + 5 + Math.min(220, pen.measureText(name).width) + 14;
      if (used + own > width && used > 24) { lines += 1; used = 24; }
      used += own;
    }
    return lines;
  }

  function figure(given) {
    const { id, title, hint, choices, full } = given, group = given.time ? "time" : null, plot = () => choices[chosen].plot;
    const tall = choices.some((c) => c.plot.panes && c.plot.panes.length > 1), drawable = choices.some((c) => c.plot.kind !== "nothing");
    const box = element("div", { className: tall ? "chart tall" : "chart", role: "img" }), reason = element("p", { className: "reason", hidden: true });
    box.setAttribute("aria-label", title);
    const data = element("div", { className: "data", hidden: true, tabIndex: 0 });
    const tools = element("div", { className: "tools" });
    const fig = element("figure", { id: "chart-" + id, className: full ? "full" : "" },
      element("h2", { textContent: title }), element("p", { className: "hint", textContent: hint }), reason, box, data, tools);
    // The first chart shows what binds: it is placed above the doubts.
    const first = lead && !lead.firstChild;
    if (first) fig.classList.add("full");
    (first ? lead : root).append(fig);
    let chosen = Math.max(0, choices.findIndex((c) => c.plot.kind !== "nothing")), chart = null, made = null;
    // A chart that cannot be drawn has its reason in its place.
    if (!drawable) {
      reason.textContent = plot().reason;
      reason.hidden = false;
      box.remove(); data.remove(); tools.remove();
      return;
    }
    charts.push({ draw, resize, made: () => chart !== null });
    waiting.set(box, drawn);
    if (choices.length > 1) {
      const select = element("select");
      select.setAttribute("aria-label", title);
      choices.forEach((c, i) => select.append(element("option", { value: String(i), textContent: c.name, selected: i === chosen })));
      select.addEventListener("change", () => { chosen = Number(select.value); draw(); });
      tools.append(select);
    }
    const toggle = element("button", { type: "button", textContent: T.show_table });
    toggle.setAttribute("aria-pressed", "false");
    toggle.addEventListener("click", () => {
      const table = data.hidden;
      data.hidden = !table; box.hidden = table;
      toggle.setAttribute("aria-pressed", String(table));
      if (table) rows(); else { resize(); draw(); }
    });
    tools.append(toggle);
    if (group) {
      const whole = element("button", { type: "button", textContent: T.reset_zoom });
      whole.addEventListener("click", () => drawn().dispatchAction({ type: "dataZoom", start: 0, end: 100 }));
      tools.append(whole);
    }
    tools.append(element("span", { className: "space" }));
    const file = (ending) => `secchi-${id}.${ending}`;
    const svg = () => new Blob([drawn().renderToSVGString()], { type: "image/svg+xml" });
    const kinds = {
      PNG: () => {
        const url = URL.createObjectURL(svg()), image = new Image();
        image.onload = () => {
          const canvas = element("canvas", { width: chart.getWidth() * 2, height: chart.getHeight() * 2 });
          const pen = canvas.getContext("2d");
          pen.fillStyle = css("--card");
          pen.fillRect(0, 0, canvas.width, canvas.height);
          pen.drawImage(image, 0, 0, canvas.width, canvas.height);
          URL.revokeObjectURL(url);
          canvas.toBlob((blob) => save(file("png"), blob), "image/png");
        };
        image.src = url;
      },
      SVG: () => save(file("svg"), svg()),
      CSV: () => save(file("csv"), new Blob([csv(now().table)], { type: "text/csv" })),
    };
    for (const [kind, act] of Object.entries(kinds)) {
      const button = element("button", { type: "button", textContent: kind });
      button.setAttribute("aria-label", `${T.save} ${title}: ${kind}`);
      button.addEventListener("click", act);
      tools.append(button);
    }
    // The content is computed once for each drawing, and drawn when the box comes near the visible area.
    function now() {
      return made ??= plots[plot().kind](plot(), given);
    }
    function drawn() {
      if (!chart) draw();
      return chart;
    }
    function rows() {
      const t = element("table"), head = element("tr"), body = element("tbody"), all = now().table;
      all.head.forEach((h) => head.append(element("th", { scope: "col", textContent: h })));
      all.rows.slice(0, ROWS).forEach((r) => body.append(element("tr", {}, ...r.map((v, i) =>
        i ? element("td", { textContent: cell(v) }) : element("th", { scope: "row", textContent: cell(v) })))));
      if (all.rows.length > ROWS) t.append(element("caption", { textContent: `${all.rows.length - ROWS} ${T.rows_left_out}` }));
      t.append(element("thead", {}, head), body);
      data.replaceChildren(t);
    }
    function draw() {
      waiting.delete(box);
      made = null;
      const missing = plot().kind === "nothing";
      for (const e of [...tools.children].slice(1)) e.hidden = missing;
      reason.hidden = !missing;
      if (missing) {
        reason.textContent = plot().reason;
        box.hidden = data.hidden = true;
        toggle.setAttribute("aria-pressed", "false");
        return;
      }
      if (data.hidden) box.hidden = false;
      if (!data.hidden) rows();
      // The chart takes its size from its box.
      const hidden = box.hidden;
      box.hidden = false;
      if (!chart) {
        chart = echarts.init(box, null, { renderer: "svg" });
        if (group) {
          chart.group = group;
          chart.on("datazoom", () => { const z = chart.getOption().dataZoom[0]; spans.set(group, { start: z.start, end: z.end }); });
        }
      }
      // Room for the lines of the legend at this width; if there are many, the box grows and the plot keeps its height.
      const option = now().option;
      const entries = [...new Set(option.series.filter((s) => s.name && s.type !== "custom").map((s) => s.name))];
      const under = entries.length ? legendLines(entries, box.clientWidth) : 0, extra = under * LINE;
      box.style.height = "";
      if (under > FEW) {
        box.style.height = `${box.clientHeight + (under - FEW) * LINE}px`;
        chart.resize();
      }
      if (Array.isArray(option.grid)) option.grid.forEach((g) => { if (g.first) g.top = extra + 22; });
      else option.grid = { ...option.grid, top: Math.max(option.grid.top, extra + 22) };
      // On every drawing, use the time range that the other charts show.
      if (group && spans.has(group)) option.dataZoom.forEach((z) => Object.assign(z, spans.get(group)));
      chart.setOption(option, true);
      spread(now().caps || []);
      box.hidden = hidden;
    }
    // Labels of caps that would overlap are moved up, at least a line apart.
    function spread(caps) {
      const series = now().option.series, room = 16;
      for (const s of series.filter((s) => s.markLine)) {
        const flats = s.markLine.data.filter((m) => m.yAxis !== undefined).map((m) => ({ m, y: chart.convertToPixel({ yAxisIndex: s.yAxisIndex || 0 }, m.yAxis) })).sort((a, b) => b.y - a.y);
        let below = Infinity;
        for (const { m, y } of flats) {
          const at = Math.min(y, below - room);
          m.label = { ...m.label, offset: [0, at - y] };
          below = at;
        }
      }
      if (caps.length > 1) chart.setOption({ series: series.map((s) => (s.markLine ? { markLine: s.markLine } : {})) });
    }
    function resize() {
      if (chart && !box.hidden) chart.resize();
    }
  }

  /* ---- plots ---- */
  const UNITS = { per_second: count, count, bytes_per_second: mb, nanos: ns, seconds: sec, bytes: size, share: (v) => `${trim(v * 100, 1)} %`, percentile: share };
  // Names of base units, in tables.
  const BASE = { bytes_per_second: "B/s", nanos: "ns", seconds: "s", bytes: "B" };
  const headed = (name, unit) => unit === "bytes_per_second" ? name.replace(T.bandwidth, "B/s") : BASE[unit] ? `${name} ${BASE[unit]}` : name;
  // Percentiles are drawn on a scale of nines.
  const place = (a, v) => a.unit === "percentile" ? -Math.log10(1 - v) : v;
  const value = (a) => a.unit === "percentile" ? (v) => share(1 - 10 ** -v) : UNITS[a.unit];
  // The name of an axis of bandwidths contains the unit; times have as many digits as the range needs.
  const label = (a) => a.unit === "bytes_per_second" ? (v) => count(v / 1e6) : a.unit === "seconds" ? (v) => moment(v, a.range) : a.unit === "count" ? (v) => v < 1000 ? three(v) : count(v) : value(a);
  const moment = (v, range) => range && range[1] - range[0] < 1 ? ns(Math.round(v * 1e6) * 1e3) : `${trim(v, range ? Math.min(4, Math.max(0, Math.ceil(3 - Math.log10(range[1] - range[0])))) : 3)} ${T.seconds}`;
  const scaled = (a, over = {}) => axis({
    type: a.scale.startsWith("log") ? "log" : "value", logBase: a.scale === "log2" ? 2 : 10, name: a.name, ...(a.unit === "percentile" ? { interval: 1 } : {}),
    min: a.range ? place(a, a.range[0]) : a.scale === "zero" ? 0 : undefined, max: a.range ? place(a, a.range[1]) : undefined,
    // The ends of a range of time are rarely round.
    ...over, axisLabel: { formatter: label(a), ...(a.unit === "seconds" && a.range ? { showMinLabel: a.range[0] === 0, showMaxLabel: false } : {}), ...(over.axisLabel || {}) },
  });
  const wide = { name: "", grid: false, nameLocation: "middle", nameGap: 28 };
  // Series of a family have its hue, the first the lightest.
  function colours(series) {
    const last = new Map();
    for (const s of series) last.set(s.family, Math.max(last.get(s.family) || 0, s.shade));
    return series.map((s) => mixed(palette()[s.family % palette().length], css("--card"), last.get(s.family) ? 0.6 * (1 - s.shade / last.get(s.family)) : 0));
  }
  const mixed = (a, b, part) => "#" + [1, 3, 5].map((i) => Math.round(parseInt(a.slice(i, i + 2), 16) * (1 - part) + parseInt(b.slice(i, i + 2), 16) * part).toString(16).padStart(2, "0")).join("");
  // An axis from zero also shows its caps.
  function top(a, series, caps) {
    if (a.scale !== "zero" || !caps.length || a.range) return {};
    const most = Math.max(...series.flatMap((s) => s.y.filter((v) => v !== null)), 0), cap = Math.max(...caps.map((c) => c.at)) * 1.05;
    const step = 10 ** Math.floor(Math.log10(cap)) / 2;
    return cap > most ? { max: Math.ceil(cap / step) * step } : {};
  }
  // Bands of the same name have the same colour in all charts.
  const named = [];
  function shades(bands) {
    const names = [...new Set(bands.map((b) => b.name))], seen = new Map();
    named.push(...names.filter((n) => !named.includes(n)));
    const colour = (name) => [css("--soft"), css("--accent"), css("--pass"), css("--open"), ...palette().slice(3)][named.indexOf(name) % 13];
    const area = (b) => {
      // Neighbours with the same name alternate.
      const n = seen.get(b.name) || 0;
      seen.set(b.name, n + 1);
      return [{ name: b.name, xAxis: b.from, itemStyle: { color: colour(b.name), opacity: n % 2 ? 0.07 : 0.15 }, label: { show: false } }, { xAxis: b.until }];
    };
    return { area: { silent: true, data: bands.map(area) }, keys: names.map((name) => key(name, colour(name), 0.3)) };
  }
  // Points are marked if there are few; otherwise only those without neighbours, to which no line leads.
  const marks = (s, x) => x.unit === "percentile" ? { showSymbol: false } : s.y.length < 40 ? { showSymbol: true }
    : { showSymbol: true, showAllSymbol: true, symbolSize: (_, e) => (s.y[e.dataIndex - 1] ?? s.y[e.dataIndex + 1] ?? null) === null ? 5 : 0 };
  // A legend entry without data.
  const key = (name, color, opacity) => ({ type: "bar", name, data: [], itemStyle: { color, opacity }, tooltip: { show: false } });
  function whiskers(s, x, colour, yAxisIndex) {
    return {
      type: "custom", xAxisIndex: s.pane, yAxisIndex, silent: true, itemStyle: { color: colour }, encode: { x: 0, y: [1, 2] }, data: x.map((at, i) => s.ends[i] && [at, ...s.ends[i]]).filter((e) => e),
      renderItem: (_, api) => {
        const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(0), api.value(2)]), style = { stroke: colour, lineWidth: 1.5, fill: null };
        const bar = (y) => ({ type: "line", shape: { x1: a[0] - 4, x2: a[0] + 4, y1: y, y2: y }, style });
        return { type: "group", children: [{ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style }, bar(a[1]), bar(b[1])] };
      },
    };
  }
  const plots = {
    lines(p, chart) {
      const first = p.panes.map((_, i) => p.panes.slice(0, i).flat().length), axes = p.panes.flat(), many = p.panes.length > 1;
      const on = (s) => first[s.pane] + s.axis, xs = p.series.map((s) => (typeof s.x === "number" ? p.series[s.x].x : s.x));
      const painted = colours(p.series), bands = shades(p.bands || chart.bands);
      const series = p.series.map((s, k) => line(s.legend || s.name, s.y.map((v, i) => [place(p.x, xs[k][i]), v]), UNITS[axes[on(s)].unit], {
        color: painted[k], xAxisIndex: s.pane, yAxisIndex: on(s), step: s.steps ? "end" : false, symbol: s.struck ? "diamond" : "circle",
        ...marks(s, p.x), lineStyle: s.struck ? { width: 1, type: "dotted" } : { width: 2, type: s.dashed ? "dashed" : "solid" },
      }));
      p.panes.forEach((_, pane) => {
        const lead = series.find((s) => s.xAxisIndex === pane), caps = p.caps.filter((c) => c.pane === pane);
        if (!lead) return;
        if (bands.area.data.length) lead.markArea = bands.area;
        if (caps.length) lead.markLine = lines(caps.map((c) => capped(c, p.x, p.panes[pane][c.axis])));
      });
      p.series.forEach((s, k) => { if (s.ends) series.push(whiskers(s, xs[k].map((v) => place(p.x, v)), painted[k], on(s))); });
      const last = p.panes.length - 1, foot = chart.time ? 58 : 46, part = 74 / p.panes.length;
      return {
        option: base({
          grid: p.panes.map((_, i) => ({ ...room(), ...(i ? {} : { first: true, top: 46 }), ...(i === last ? { bottom: foot } : {}), ...(many ? { height: `${part - (i === last ? 4 : 5)}%` } : {}) })),
          ...(many ? { axisPointer: { link: [{ xAxisIndex: "all" }] } } : {}), ...(chart.time ? { dataZoom: zoom(p.panes.map((_, i) => i), (v) => moment(v, p.x.range)) } : {}),
          xAxis: p.panes.map((_, i) => scaled(p.x, { ...wide, ...(chart.time || i < last ? {} : { name: p.x.name }), gridIndex: i, axisLabel: { show: i === last } })),
          yAxis: axes.map((a, i) => {
            const pane = first.findLastIndex((f) => f <= i), own = (s) => s.pane === pane && s.axis === i - first[pane];
            return scaled(a, { gridIndex: pane, position: i > first[pane] ? "right" : "left", grid: i === first[pane], ...top(a, p.series.filter(own), p.caps.filter((c) => own(c) && !c.upright)) });
          }),
          series: [...series, ...bands.keys.filter((k) => k.name)],
          tooltip: tip({ formatter: (list) => [value(p.x)(list[0].value[0]), ...list.filter((e) => p.series[e.seriesIndex]).map((e) => `${p.series[e.seriesIndex].name}: ${e.value[1] === null ? "–" : UNITS[axes[on(p.series[e.seriesIndex])].unit](e.value[1])}`)].join("\n") }),
        }),
        table: joined(p, xs, axes, on), caps: p.caps.filter((c) => !c.upright),
      };
    },
    bars(p) {
      const long = p.names.some((n) => n.length > 14) && p.names.length * 110 > root.clientWidth || p.names.length * 60 > root.clientWidth * 0.9;
      const slanted = long && p.names.length < 24;
      return {
        option: base({
          grid: { ...room(), top: 52, bottom: slanted ? 96 : 46 },
          xAxis: axis({ type: "category", name: slanted ? "" : p.name, nameLocation: "middle", nameGap: 28, data: p.names, grid: false, axisLabel: slanted ? { interval: 0, rotate: 40 } : {} }), yAxis: scaled(p.value),
          series: p.series.map((s) => ({ type: "bar", name: s.name, data: s.values, stack: p.stacked ? "all" : undefined, barCategoryGap: p.series.length > 1 ? "20%" : "8%", tooltip: words(UNITS[p.value.unit]) })),
        }),
        table: { head: [p.name, ...p.series.map((s) => headed(s.name, p.value.unit))], rows: p.names.map((n, i) => [n, ...p.series.map((s) => s.values[i])]) },
      };
    },
    heat(p) {
      const most = p.cells.reduce((m, c) => Math.max(m, c[2]), 1), ratio = p.rows.length > 1 ? p.rows[1] / p.rows[0] : 1.19, colour = css("--accent");
      // Five steps from one operation to the most in a cell are the scale, in the legend.
      const weight = (n) => 0.12 + 0.88 * Math.log1p(n) / Math.log1p(most);
      const steps = [...new Set([0, 1, 2, 3, 4].map((k) => Math.max(1, Math.round(Math.expm1(Math.log1p(most) * k / 4)))))];
      const keys = steps.map((n, k) => key(k === steps.length - 1 ? `${count(n)} ${T.operations}` : count(n), colour, weight(n)));
      const cells = p.cells.map(([c, r, n]) => [p.columns[c][0], p.columns[c][0] + p.columns[c][1], p.rows[r], p.rows[r] * ratio, n]);
      return {
        option: base({
          grid: { ...room(), top: 46, bottom: 58 }, dataZoom: zoom([0], (v) => moment(v, p.x.range)),
          xAxis: scaled(p.x, wide), yAxis: scaled(p.y, { min: p.rows[0], max: p.rows[p.rows.length - 1] * ratio }),
          tooltip: tip({ trigger: "item", formatter: (e) => `${moment(e.value[0], p.x.range)}\n${ns(e.value[2])} – ${ns(e.value[3])}\n${count(e.value[4])} ${T.operations}` }),
          series: [{
            type: "custom", data: cells, encode: { x: [0, 1], y: [2, 3] }, clip: true,
            renderItem: (q, api) => {
              const a = api.coord([api.value(0), api.value(3)]), b = api.coord([api.value(1), api.value(2)]);
              const left = Math.max(a[0], q.coordSys.x), right = Math.min(b[0], q.coordSys.x + q.coordSys.width);
              if (right <= left) return null;
              return { type: "rect", shape: { x: left, y: a[1], width: right - left + 0.4, height: b[1] - a[1] + 0.4 }, style: { fill: colour, opacity: weight(api.value(4)) } };
            },
          }, ...keys],
        }),
        table: { head: [headed(p.x.name, "seconds"), `${p.y.name} ns ≥`, `${p.y.name} ns <`, T.operations], rows: cells.map((c) => [c[0], Math.round(c[2]), Math.round(c[3]), c[4]]) },
      };
    },
    intervals(p) {
      const percent = (v) => `${v > 1 ? "+" : ""}${trim((v - 1) * 100, 1)} %`, tone = { pass: "--pass", fail: "--fail", open: "--open" };
      const figures = p.figures, names = figures.map((f) => f.name), within = figures[0].within, far = Math.max(...figures.flatMap((f) => [f.ratio, ...(f.ends || [])]).map((v) => Math.abs(v - 1)), within * 2);
      // An extreme value must not compress the others.
      const reach = Math.min(far * 1.1, 1), inside = (v) => Math.min(1 + reach, Math.max(1 - reach, v)), width = Math.min(220, 14 + 7 * Math.max(...names.map((n) => n.length)));
      return {
        option: base({
          grid: { left: width, right: 40, top: 20, bottom: 46 }, legend: { show: false },
          xAxis: axis({ type: "value", min: 1 - reach, max: 1 + reach, axisLabel: { formatter: percent } }), yAxis: axis({ type: "category", data: names, inverse: true, grid: false, axisLabel: { width: width - 10, overflow: "truncate" } }),
          tooltip: tip({ trigger: "item", formatter: (e) => { const f = figures[e.value[0]]; return `${f.name}: ${percent(f.ratio)}${f.ends ? `\n${T.interval95}: ${percent(f.ends[0])} … ${percent(f.ends[1])}` : ""}`; } }),
          series: [{
            type: "custom", name: T.change, encode: { x: [1, 2, 3], y: 0 }, data: figures.map((f, i) => [i, f.ratio, ...(f.ends || [f.ratio, f.ratio])]),
            markArea: { silent: true, itemStyle: { color: css("--note"), opacity: 0.12 }, data: [[{ xAxis: 1 - within }, { xAxis: 1 + within }]] },
            markLine: lines([{ xAxis: 1, lineStyle: { color: css("--soft"), type: "solid" }, label: { show: false } }]),
            renderItem: (_, api) => {
              const stroke = css(tone[figures[api.value(0)].tone] || "--soft"), at = (v) => api.coord([inside(v), api.value(0)]);
              const middle = at(api.value(1)), a = at(api.value(2)), b = at(api.value(3)), style = { stroke, lineWidth: 2, fill: null };
              const bar = (x) => ({ type: "line", shape: { x1: x, x2: x, y1: middle[1] - 5, y2: middle[1] + 5 }, style });
              return { type: "group", children: [{ type: "line", shape: { x1: a[0], y1: middle[1], x2: b[0], y2: middle[1] }, style }, bar(a[0]), bar(b[0]), { type: "circle", shape: { cx: middle[0], cy: middle[1], r: 4.5 }, style: { fill: stroke } }] };
            },
          }],
        }),
        table: { head: [T.name, T.change, `${T.interval95} ≥`, `${T.interval95} <`], rows: figures.map((f) => [f.name, f.ratio, ...(f.ends || [null, null])]) },
      };
    },
  };
  function capped(c, x, y) {
    const mark = flat(c.name, c.at, css("--fail"), UNITS[y.unit]), own = UNITS[x.unit];
    return c.upright ? { ...mark, yAxis: undefined, xAxis: place(x, c.at), lineStyle: { ...mark.lineStyle, color: css("--soft") }, label: { ...mark.label, formatter: `${c.name} ${own(c.at)}`, position: "insideEndBottom" } } : mark;
  }
  // One row for each position, one column for each series.
  function joined(p, xs, axes, on) {
    const rows = new Map(), head = [headed(p.x.name, p.x.unit)];
    for (const [k, s] of p.series.entries()) {
      const column = head.push(headed(s.name, axes[on(s)].unit)) - 1;
      if (s.ends) head.push(`${s.name} ${T.interval95}`);
      s.y.forEach((v, i) => {
        if (v === null) return;
        const at = xs[k][i];
        if (!rows.has(at)) rows.set(at, [p.x.unit === "percentile" ? share(at) : at]);
        rows.get(at)[column] = v;
        if (s.ends && s.ends[i]) rows.get(at)[column + 1] = s.ends[i].join(" – ");
      });
    }
    const sorted = [...rows].sort((a, b) => a[0] - b[0]).map(([, row]) => Array.from({ length: head.length }, (_, i) => row[i]));
    return { head, rows: sorted };
  }
  D.charts.forEach(figure);

  // A single remaining chart gets the full width.
  const halves = [...root.querySelectorAll("figure:not(.full)")];
  if (halves.length % 2) halves[halves.length - 1].classList.add("full");
  echarts.connect("time");

  // Visible charts are drawn at once, nearby ones when they come closer, the others one by one while the page is idle.
  const rest = () => { for (const draw of [...waiting.values()]) draw(); };
  const seen = new IntersectionObserver((entries) => {
    for (const e of entries) if (e.isIntersecting && waiting.has(e.target)) { seen.unobserve(e.target); waiting.get(e.target)(); }
  }, { rootMargin: "200px" });
  for (const box of waiting.keys()) seen.observe(box);
  const idle = window.requestIdleCallback || ((f) => setTimeout(f, 50));
  const next = () => {
    const [draw] = waiting.values();
    if (draw) { draw(); idle(next); }
  };
  requestAnimationFrame(() => idle(next));

  /* ---- tables, commands and data of the report ---- */
  // Headings of groups stay; the rows between them are sorted, each with the rows that belong to it, unknown values last.
  function sortable(table) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    const value = (row, column) => { const c = row.cells[column]; return c.dataset.v !== undefined ? Number(c.dataset.v) : /^[–-]?$/.test(c.textContent.trim()) ? null : c.textContent; };
    const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    function sort(column, sign) {
      const groups = [];
      for (const row of [...body.rows]) {
        if (row.cells.length === 1 || !groups.length) groups.push({ head: row.cells.length === 1 ? row : null, sets: [] });
        if (row.cells.length === 1) continue;
        const sets = groups[groups.length - 1].sets;
        if (row.classList.contains("sub") && sets.length) sets[sets.length - 1].push(row); else sets.push([row]);
      }
      for (const { head, sets } of groups) {
        const known = sets.filter(([row]) => value(row, column) !== null), rest = sets.filter((set) => !known.includes(set));
        known.sort(([a], [b]) => sign * compare(value(a, column), value(b, column)));
        body.append(...(head ? [head] : []), ...known.flat(), ...rest.flat());
      }
    }
    heads.forEach((head, column) => {
      if (!head.textContent) return;
      const button = element("button", { type: "button", className: "sort", textContent: head.textContent });
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") === "descending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        sort(column, up ? 1 : -1);
      });
      head.replaceChildren(button);
    });
  }
  document.querySelectorAll("table.sortable").forEach(sortable);

  for (const code of document.querySelectorAll("pre > code")) {
    const button = element("button", { type: "button", className: "copy", textContent: T.copy });
    const done = () => { button.textContent = T.copied; };
    // Without permission for the clipboard, the text is selected and copied as by hand.
    const select = () => { getSelection().selectAllChildren(code); if (document.execCommand("copy")) done(); };
    button.addEventListener("click", () => navigator.clipboard ? navigator.clipboard.writeText(code.textContent).then(done, select) : select());
    code.parentElement.after(button);
  }

  const json = document.getElementById("json");
  json.hidden = !D.tables;
  json.addEventListener("click", () => save(`secchi-${(D.tables.run || D.tables.kind).slice(0, 8)}.json`, new Blob([JSON.stringify({ ...D.tables, charts: D.charts }, null, 1)], { type: "application/json" })));

  const again = () => charts.forEach((c) => { if (c.made()) c.draw(); });
  let wait = 0;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(() => charts.forEach((c) => { c.resize(); if (c.made()) c.draw(); }), 80); });
  // Printing draws every chart; the style sheet scales them to the paper, which is narrower than the window.
  addEventListener("beforeprint", () => {
    rest();
    for (const svg of document.querySelectorAll(".chart svg")) {
      svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
    }
  });
  addEventListener("afterprint", () => charts.forEach((c) => c.resize()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  const theme = document.getElementById("theme");
  theme.hidden = false;
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; again(); });
})();
