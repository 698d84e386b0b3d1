"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const T = D.texts, runs = D.runs, root = document.getElementById("charts"), lead = document.getElementById("lead");
  const charts = [];
  // Charts not drawn yet, by their boxes; the time range shown by linked charts.
  const waiting = new Map(), spans = new Map();

  const {
    trim, three, count, ns, size, mb, sec, share, unit, dark, css, palette,
    axis, latencyAxis, timeAxis, tip, room, base, words, line, flat, lines, zoom, element,
  } = look(T, root);
  const named = (run, what) => runs.length > 1 ? `${run.name}: ${what}` : what;

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

  function figure(id, title, hint, make, { choices = null, full = false, tall = false, group = null } = {}) {
    const box = element("div", { className: tall ? "chart tall" : "chart", role: "img" });
    box.setAttribute("aria-label", title);
    const data = element("div", { className: "data", hidden: true, tabIndex: 0 });
    const tools = element("div", { className: "tools" });
    const fig = element("figure", { id: "chart-" + id, className: full ? "full" : "" },
      element("h2", { textContent: title }), element("p", { className: "hint", textContent: hint }), box, data, tools);
    // The first chart shows what binds: it is placed above the doubts.
    const first = lead && !lead.firstChild;
    if (first) fig.classList.add("full");
    (first ? lead : root).append(fig);
    let chosen = 0, chart = null, made = null;
    charts.push({ draw, resize, made: () => chart !== null });
    waiting.set(box, drawn);
    if (choices && choices.length > 1) {
      const select = element("select");
      select.setAttribute("aria-label", title);
      choices.forEach((c, i) => select.append(element("option", { value: String(i), textContent: c })));
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
      return made ??= make(chosen);
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
      box.hidden = hidden;
    }
    function resize() {
      if (chart && !box.hidden) chart.resize();
    }
  }

  /* ---- charts ---- */
  const mode = (p) => p.label.replace(/^\S+\s+/, "");
  const rising = (p) => p.levels.filter((l) => !l.hold && !l.struck);

  // If lines coincide, the first one gets the labels of all.
  const said = (caps, near, words) => {
    const first = caps.map((c) => caps.findIndex((o) => Math.abs(o[1] - c[1]) <= near));
    return caps.map((_, i) => caps.filter((_, k) => first[i] === i && first[k] === i).map(words).join(", "));
  };

  function ramps() {
    const labels = [];
    for (const run of runs) for (const p of run.patterns) if (rising(p).length > 1 && !labels.includes(p.label)) labels.push(p.label);
    if (!labels.length) return;
    const chosen = (i) => runs.flatMap((run) => run.patterns.filter((p) => p.label === labels[i] && rising(p).length > 1).slice(0, 1).map((p) => ({ run, p })));
    const table = (found) => ({
      head: [T.run, T.in_flight, "IOPS", T.interval95, "B/s", `${T.mean} ns`, "p50 ns", "p99 ns", "p99.9 ns", `${T.maximum} ns`, T.held],
      rows: found.flatMap(({ run, p }) => p.levels.filter((l) => !l.struck).map((l) => [run.name, l.n, l.iops, l.ci ? l.ci.join(" – ") : null, l.bw, l.mean, l.p50, l.p99, l.p999, l.max, l.hold ? T.held : ""])),
    });
    figure("ramp", T.chart_ramp, T.hint_ramp, (i) => {
      const found = chosen(i), colours = palette(), series = [];
      found.forEach(({ run, p }, k) => {
        // With one run each figure has its colour; with several, each run.
        const several = found.length > 1;
        const levels = rising(p), colour = colours[k % colours.length], second = several ? colour : colours[1];
        const marks = [];
        if (k === 0) {
          const top = Math.max(...levels.map((l) => l.iops));
          const caps = p.caps.filter((c) => c[1] < top * 1.6).slice(0, 3), labels = said(caps, top * 0.06, (c) => `${c[0]} ${count(c[1])}`);
          caps.forEach((c, i) => {
            const mark = flat(c[0], c[1], css("--fail"), count);
            marks.push({ ...mark, label: { ...mark.label, show: labels[i] !== "", formatter: labels[i] } });
          });
          const last = levels[levels.length - 1].n;
          if (p.n_star && p.n_star > levels[0].n * 1.05 && p.n_star <= last) marks.push({ xAxis: p.n_star, lineStyle: { color: css("--soft"), type: "dotted" }, label: { formatter: `N* ${three(p.n_star)}`, color: css("--soft"), fontSize: 11 } });
        }
        series.push(line(named(run, "IOPS"), levels.map((l) => [l.n, l.iops]), count, {
          color: colour, markLine: marks.length ? lines(marks) : undefined,
          markArea: k === 0 && p.knee ? { silent: true, itemStyle: { color: colour, opacity: 0.1 }, data: [[{ xAxis: p.knee[0] }, { xAxis: p.knee[1] }]] } : undefined,
        }));
        const intervals = levels.filter((l) => l.ci).map((l) => [l.n, l.ci[0], l.ci[1]]);
        if (intervals.length) series.push({
          type: "custom", silent: true, color: colour, data: intervals, encode: { x: 0, y: [1, 2] }, tooltip: { show: false },
          renderItem: (_, api) => {
            const a = api.coord([api.value(0), api.value(1)]), b = api.coord([api.value(0), api.value(2)]), style = { stroke: colour, lineWidth: 1.5, fill: null };
            const bar = (y) => ({ type: "line", shape: { x1: a[0] - 4, x2: a[0] + 4, y1: y, y2: y }, style });
            return { type: "group", children: [{ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style }, bar(a[1]), bar(b[1])] };
          },
        });
        const late = (word, key, kind) => line(named(run, word), levels.map((l) => [l.n, l[key]]), ns, { yAxisIndex: 1, color: second, lineStyle: { width: 1.75, type: kind } });
        if (!several) series.push(late(T.mean, "mean", "solid"));
        series.push(late("p99", "p99", "dashed"));
      });
      const ns0 = [...new Set(found.flatMap(({ p }) => rising(p).map((l) => l.n)))];
      return {
        option: base({
          xAxis: axis({ type: "log", logBase: 2, name: T.in_flight, nameLocation: "middle", nameGap: 28, grid: false, min: Math.min(...ns0), max: Math.max(...ns0), axisLabel: { formatter: (v) => three(v) } }),
          yAxis: [axis({ type: "value", name: "IOPS", min: 0, axisLabel: { formatter: count } }), latencyAxis({ grid: false })], series,
        }),
        table: table(found),
      };
    }, { choices: labels });
    figure("curve", T.chart_curve, T.hint_curve, (i) => {
      const found = chosen(i), colours = palette(), series = [];
      found.forEach(({ run, p }, k) => {
        const levels = rising(p), top = Math.max(...levels.map((l) => l.iops));
        const caps = p.caps.filter((c) => c[1] < top * 1.3).slice(0, 2), labels = said(caps, top * 0.04, (c) => c[0]);
        const walls = caps.map((c, i) => ({ xAxis: c[1], lineStyle: { color: css("--fail"), type: "dashed" }, label: { show: labels[i] !== "", formatter: labels[i], color: css("--soft"), fontSize: 11, position: "insideEndBottom" } }));
        ["p50", "p99"].forEach((key, j) => series.push(line(named(run, key), levels.map((l) => [l.iops, l[key]]), ns, {
          color: colours[(found.length > 1 ? k : j) % colours.length], lineStyle: { width: 2, type: j ? "dashed" : "solid" }, showSymbol: true,
          markLine: k === 0 && j === 0 && walls.length ? lines(walls) : undefined,
        })));
      });
      return { option: base({ xAxis: axis({ type: "value", name: "IOPS", nameLocation: "middle", nameGap: 28, min: 0, axisLabel: { formatter: count } }), yAxis: latencyAxis(), series, tooltip: tip({ trigger: "item", formatter: (e) => `${e.seriesName}\n${count(e.value[0])} IOPS\n${ns(e.value[1])}` }) }), table: table(found) };
    }, { choices: labels });
  }

  function sizes() {
    const modes = [];
    for (const run of runs) for (const p of run.patterns) {
      const of = new Set(run.patterns.filter((q) => mode(q) === mode(p) && q.role !== "probe").map((q) => q.size));
      if (of.size > 1 && !modes.includes(mode(p))) modes.push(mode(p));
    }
    if (!modes.length) return;
    figure("sizes", T.chart_sizes, T.hint_sizes, (i) => {
      const colours = palette(), series = [], rows = [];
      runs.forEach((run, k) => {
        const best = run.patterns.filter((p) => mode(p) === modes[i] && p.role !== "probe").map((p) => {
          const levels = p.levels.filter((l) => !l.struck);
          return levels.length ? { size: p.size, ...levels.reduce((a, b) => b.iops > a.iops ? b : a) } : null;
        }).filter(Boolean).sort((a, b) => a.size - b.size);
        best.forEach((b) => rows.push([run.name, b.size, b.iops, b.bw, b.n]));
        const told = (key, colour, f, where) => {
          const caps = k ? [] : run.limits.filter((l) => l[key]).slice(0, 3).map((l) => [l.name, l[key]]), top = Math.max(0, ...best.map((b) => b[key]), ...caps.map((c) => c[1]));
          const labels = said(caps, top * 0.06, (c) => `${c[0]} ${f(c[1])}`);
          return caps.map((c, j) => { const mark = flat(c[0], c[1], colour, f, where); return { ...mark, label: { ...mark.label, show: labels[j] !== "", formatter: labels[j] } }; });
        };
        const iops = told("iops", css("--fail"), count, "insideEndTop"), bw = told("bw", css("--open"), mb, "insideStartTop");
        series.push(line(named(run, "IOPS"), best.map((b) => [b.size, b.iops]), count, { color: colours[k % colours.length], markLine: iops.length ? lines(iops) : undefined }));
        series.push(line(named(run, "MB/s"), best.map((b) => [b.size, b.bw]), mb, { color: colours[runs.length > 1 ? k % colours.length : 1], yAxisIndex: 1, lineStyle: { type: "dashed", width: 2 }, markLine: bw.length ? lines(bw) : undefined }));
      });
      const all = rows.map((r) => r[1]);
      return {
        option: base({
          xAxis: axis({ type: "log", logBase: 2, name: T.block, nameLocation: "middle", nameGap: 28, grid: false, min: Math.min(...all), max: Math.max(...all), axisLabel: { formatter: size } }),
          yAxis: [axis({ type: "value", name: "IOPS", min: 0, axisLabel: { formatter: count } }), axis({ type: "value", name: "MB/s", min: 0, grid: false, axisLabel: { formatter: (v) => count(v / 1e6) } })], series,
        }),
        table: { head: [T.run, `${T.block} B`, "IOPS", "B/s", T.in_flight], rows },
      };
    }, { choices: modes });
  }

  // The representative level of a workload, as in the table.
  const standing = (p) => p.levels.find((l) => l.hold) || p.levels.filter((l) => !l.struck).reduce((a, b) => !a || b.iops > a.iops ? b : a, null) || p.levels[p.levels.length - 1];

  function bars() {
    if (runs.length < 2) return;
    const told = (run) => run.patterns.filter((p) => p.role !== "probe" || !run.patterns.some((q) => q.label === p.label && q.role !== "probe"));
    const labels = [...new Set(runs.flatMap((run) => told(run).map((p) => p.label)))];
    if (!labels.length) return;
    const figures = [["IOPS", "iops", count], ["MB/s", "bw", mb], [T.mean, "mean", ns], ["p99", "p99", ns], [T.in_flight, "n", three]];
    const of = (run, label) => { const p = told(run).find((q) => q.label === label), l = p && standing(p); return l && !l.struck ? l : null; };
    figure("bars", T.chart_bars, T.hint_bars, (i) => {
      const [name, key, f] = figures[i], long = labels.length * 110 > root.clientWidth;
      return {
        option: base({
          grid: { ...room(), top: 52, bottom: long ? 90 : 46 },
          xAxis: axis({ type: "category", data: labels, grid: false, axisLabel: { interval: 0, rotate: long ? 40 : 0 } }),
          yAxis: axis({ type: "value", name, min: 0, axisLabel: { formatter: f } }),
          series: runs.map((run) => ({ type: "bar", name: run.name, tooltip: words(f), data: labels.map((l) => { const v = of(run, l); return v ? v[key] : null; }) })),
        }),
        table: { head: [T.workload, T.run, "IOPS", "B/s", `${T.mean} ns`, "p99 ns", T.in_flight], rows: labels.flatMap((l) => runs.map((run) => { const v = of(run, l); return v ? [l, run.name, v.iops, v.bw, v.mean, v.p99, v.n] : [l, run.name]; })) },
      };
    }, { choices: figures.map((f) => f[0]) });
  }

  function changes() {
    const c = D.comparison;
    if (!c || !c.figures.length) return;
    const percent = (v) => `${v > 1 ? "+" : ""}${trim((v - 1) * 100, 1)} %`;
    const colour = (f) => css(f.answer === "same" ? "--soft" : f.answer === "changed" ? f.better ? "--pass" : "--fail" : "--open");
    const far = Math.max(...c.figures.flatMap((f) => [f.ratio, ...(f.ci || [])]).map((v) => Math.abs(v - 1)), c.within * 2);
    // An extreme value must not compress the others.
    const reach = Math.min(far * 1.1, 1), low = 1 - reach, high = 1 + reach, names = c.figures.map((f) => f.name).reverse();
    const inside = (v) => Math.min(high, Math.max(low, v));
    const wide = Math.min(220, 14 + 7 * Math.max(...names.map((n) => n.length)));
    figure("changes", T.chart_changes, T.hint_changes, () => ({
      option: base({
        grid: { left: wide, right: 40, top: 20, bottom: 46 }, legend: { show: false },
        xAxis: axis({ type: "value", min: low, max: high, axisLabel: { formatter: percent } }),
        yAxis: axis({ type: "category", data: names, grid: false, axisLabel: { width: wide - 10, overflow: "truncate" } }),
        tooltip: tip({ trigger: "item", formatter: (e) => { const f = c.figures[c.figures.length - 1 - e.value[0]]; return `${f.name}: ${percent(f.ratio)}${f.ci ? `\n${T.interval95}: ${percent(f.ci[0])} … ${percent(f.ci[1])}` : ""}`; } }),
        series: [{
          type: "custom", name: T.change, encode: { x: [1, 2, 3], y: 0 },
          data: c.figures.map((f, i) => [c.figures.length - 1 - i, f.ratio, f.ci ? f.ci[0] : f.ratio, f.ci ? f.ci[1] : f.ratio]),
          markArea: { silent: true, itemStyle: { color: css("--note"), opacity: 0.12 }, data: [[{ xAxis: 1 - c.within }, { xAxis: 1 + c.within }]] },
          markLine: lines([{ xAxis: 1, lineStyle: { color: css("--soft"), type: "solid" }, label: { show: false } }]),
          renderItem: (_, api) => {
            const f = c.figures[c.figures.length - 1 - api.value(0)], stroke = colour(f);
            const at = (v) => api.coord([inside(v), api.value(0)]), mid = at(api.value(1)), a = at(api.value(2)), b = at(api.value(3)), style = { stroke, lineWidth: 2, fill: null };
            const bar = (x) => ({ type: "line", shape: { x1: x, x2: x, y1: mid[1] - 5, y2: mid[1] + 5 }, style });
            return { type: "group", children: [{ type: "line", shape: { x1: a[0], y1: mid[1], x2: b[0], y2: mid[1] }, style }, bar(a[0]), bar(b[0]), { type: "circle", shape: { cx: mid[0], cy: mid[1], r: 4.5 }, style: { fill: stroke } }] };
          },
        }],
      }),
      table: { head: [T.name, T.change, `${T.interval95} ≥`, `${T.interval95} <`, T.verdict], rows: c.figures.map((f) => [f.name, f.ratio, ...(f.ci || [null, null]), f.answer]) },
    }));
  }

  // Counts of the heat map, over the whole time.
  function histogram() {
    const shown = runs.filter((r) => r.heat && r.heat.cells.length);
    if (!shown.length) return;
    figure("histogram", T.chart_histogram, T.hint_histogram, () => {
      const of = shown.map((run) => {
        const sums = new Map();
        for (const [, row, n] of run.heat.cells) { const from = run.heat.rows[row]; sums.set(from, (sums.get(from) || 0) + n); }
        return { run, sums };
      });
      const rows = [...new Set(of.flatMap(({ run }) => run.heat.rows))].sort((a, b) => a - b);
      return {
        option: base({
          xAxis: axis({ type: "category", name: T.latency, nameLocation: "middle", nameGap: 28, data: rows.map(ns), grid: false }),
          yAxis: axis({ type: "value", name: T.operations, axisLabel: { formatter: count } }),
          series: of.map(({ run, sums }) => ({ type: "bar", name: runs.length > 1 ? run.name : T.operations, barCategoryGap: "8%", tooltip: words(count), data: rows.map((r) => sums.get(r) || 0) })),
        }),
        table: { head: [T.run, `${T.latency} ns ≥`, T.operations], rows: of.flatMap(({ run, sums }) => rows.filter((r) => sums.has(r)).map((r) => [run.name, Math.round(r), sums.get(r)])) },
      };
    });
  }

  function percentiles() {
    // A probe adds nothing to a ramp of the same workload.
    const told = (run) => run.patterns.filter((p) => p.role !== "probe" || !run.patterns.some((q) => q.label === p.label && q.role !== "probe"));
    const all = runs.flatMap((run) => [
      ...told(run).map((p) => ({ of: p.label, name: named(run, p.struck ? `${p.label} (${T.invalid})` : p.label), points: p.percentiles, struck: p.struck })),
      ...run.waves.map((w) => ({ of: w.name, name: named(run, w.name), points: w.percentiles })),
    ]).filter((f) => f.points.length > 1);
    if (!all.length) return;
    // With several runs, one workload at a time.
    const labels = runs.length > 1 ? [...new Set(all.map((f) => f.of))] : null;
    const kinds = ["solid", "dashed", "dotted"], colours = palette().length;
    figure("percentiles", T.chart_percentiles, T.hint_percentiles, (i) => {
      const found = labels ? all.filter((f) => f.of === labels[i]) : all;
      return {
      option: base({
        xAxis: axis({ type: "value", name: T.percentile, nameLocation: "middle", nameGap: 28, min: 0, grid: false, axisLabel: { formatter: (v) => share(1 - 10 ** -v) }, interval: 1 }),
        yAxis: latencyAxis(),
        // Invalid figures are drawn and labelled as such.
        series: found.map(({ name, points, struck }, k) => line(name, points.map(([p, v]) => [-Math.log10(1 - p), v]), ns, { showSymbol: false, step: "end", lineStyle: struck ? { width: 1.5, type: "dotted", opacity: 0.6 } : { width: 2, type: kinds[Math.min(2, Math.floor(k / colours))] } })),
        tooltip: tip({ formatter: (list) => share(1 - 10 ** -list[0].value[0]) + "\n" + list.map((e) => `${e.seriesName}: ${ns(e.value[1])}`).join("\n") }),
      }),
      table: { head: [T.name, T.percentile, "ns"], rows: found.flatMap(({ name, points }) => points.map(([p, v]) => [name, share(p), v])) },
      };
    }, { choices: labels });
  }

  const KIND = { fill: "--soft", hold: "--pass", step: "--accent", phase: "--open" };
  const stretches = (run, kinds) => ({
    silent: true,
    data: run.stretches.filter((s) => kinds.includes(s.kind)).map((s, i, all) => [{
      name: s.kind === "fill" ? T.fill : s.kind === "phase" ? s.name : "", xAxis: s.from,
      itemStyle: { color: css(KIND[s.kind]), opacity: s.kind === "phase" ? 0.22 : s.kind === "hold" ? 0.12 : s.kind === "fill" ? 0.12 : i % 2 ? 0.07 : 0.02 },
      label: { show: s.kind === "fill" || (s.kind === "phase" && all.findIndex((o) => o.name === s.name) === i), color: css("--soft"), fontSize: 10, position: "insideTop" },
    }, { xAxis: s.until }]),
  });
  // Meaning of the shades, as legend entries without data.
  const KEYS = [["fill", T.fill], ["step", T.level], ["hold", T.held], ["phase", T.phase]];
  const shades = (run, kinds) => KEYS.filter(([kind]) => kinds.includes(kind) && run.stretches.some((s) => s.kind === kind)).map(([kind, name]) => ({
    type: "bar", name, data: [], itemStyle: { color: css(KIND[kind]), opacity: 0.3 }, tooltip: { show: false },
  }));
  const reach = (run) => {
    const at = [...run.steps.flatMap((s) => s.at), ...run.stretches.flatMap((s) => [s.from, s.until]), ...run.counters.flatMap((c) => [c.points[0][0], c.points[c.points.length - 1][0]])];
    return at.length ? [Math.min(...at), Math.max(...at)] : [0, 1];
  };

  function overTime() {
    const shown = runs.filter((r) => r.steps.length);
    if (!shown.length) return;
    figure("time", T.chart_time, T.hint_time, (i) => {
      const run = shown[i], colours = palette(), [from, until] = reach(run);
      // A gap between two steps is a gap in the curve.
      const join = (key) => run.steps.flatMap((s) => [...s.at.map((at, k) => [at, s.measured[k] ? s[key][k] : null]), [s.at[s.at.length - 1] + 0.001, null]]);
      const areas = stretches(run, ["fill", "step", "hold", "phase"]);
      const two = (over) => ({ min: from, max: until, ...over });
      const x = (index, label) => timeAxis(two({ gridIndex: index, axisLabel: { show: label, formatter: sec } }));
      return {
        option: base({
          grid: [{ first: true, ...room(), top: 46, height: "32%" }, { ...room(), bottom: 58, height: "30%" }],
          axisPointer: { link: [{ xAxisIndex: "all" }] },
          xAxis: [x(0, false), x(1, true)],
          yAxis: [axis({ type: "value", name: "IOPS", min: 0, axisLabel: { formatter: count } }), axis({ type: "value", name: "MB/s", min: 0, grid: false, axisLabel: { formatter: (v) => count(v / 1e6) } }), latencyAxis({ gridIndex: 1 })],
          dataZoom: zoom([0, 1]),
          series: [
            line("IOPS", join("iops"), count, { color: colours[0], showSymbol: false, markArea: areas }),
            line("MB/s", join("bw"), mb, { color: colours[1], yAxisIndex: 1, showSymbol: false, lineStyle: { width: 1.5 } }),
            line(`${T.mean}`, join("mean"), ns, { color: colours[2], xAxisIndex: 1, yAxisIndex: 2, showSymbol: false, markArea: areas }),
            line("p99", join("p99"), ns, { color: colours[3], xAxisIndex: 1, yAxisIndex: 2, showSymbol: false, lineStyle: { width: 1.5, type: "dashed" } }),
            ...shades(run, ["fill", "step", "hold", "phase"]),
          ],
        }),
        table: {
          head: [T.time, T.stage, T.in_flight, "IOPS", "B/s", `${T.mean} ns`, "p99 ns", T.measured],
          rows: run.steps.flatMap((s) => s.at.map((at, k) => [at, s.label, s.n, s.iops[k], s.bw[k], s.mean[k] === null ? null : Math.round(s.mean[k]), s.p99[k], s.measured[k] ? "✓" : T.ramp_up])),
        },
      };
    }, { choices: shown.map((r) => r.name), full: true, tall: true, group: "time" });
  }

  function heat() {
    const shown = runs.filter((r) => r.heat && r.heat.cells.length);
    if (!shown.length) return;
    figure("heat", T.chart_heat, T.hint_heat, (i) => {
      const run = shown[i], h = run.heat, most = Math.max(...h.cells.map((c) => c[2])), [from, until] = reach(run);
      const ratio = h.rows.length > 1 ? h.rows[1] / h.rows[0] : 1.19, colour = css("--accent");
      const cells = h.cells.map(([c, r, n]) => [h.at[c][0], h.at[c][0] + h.at[c][1], h.rows[r], h.rows[r] * ratio, n]);
      return {
        option: base({
          legend: { show: false }, grid: { ...room(), top: 34, bottom: 58 },
          xAxis: timeAxis({ min: from, max: until }), yAxis: latencyAxis({ min: h.rows[0], max: h.rows[h.rows.length - 1] * ratio }), dataZoom: zoom([0]),
          tooltip: tip({ trigger: "item", formatter: (e) => `${sec(e.value[0])}\n${ns(e.value[2])} – ${ns(e.value[3])}\n${count(e.value[4])} ${T.operations}` }),
          series: [{
            type: "custom", name: T.operations, data: cells, encode: { x: [0, 1], y: [2, 3] }, clip: true,
            renderItem: (p, api) => {
              const a = api.coord([api.value(0), api.value(3)]), b = api.coord([api.value(1), api.value(2)]);
              const left = Math.max(a[0], p.coordSys.x), right = Math.min(b[0], p.coordSys.x + p.coordSys.width);
              if (right <= left) return null;
              const weight = 0.12 + 0.88 * Math.log1p(api.value(4)) / Math.log1p(most);
              return { type: "rect", shape: { x: left, y: a[1], width: right - left + 0.4, height: b[1] - a[1] + 0.4 }, style: { fill: colour, opacity: weight } };
            },
          }],
        }),
        table: { head: [T.time, `${T.latency} ns ≥`, `${T.latency} ns <`, T.operations], rows: cells.map((c) => [c[0], Math.round(c[2]), Math.round(c[3]), c[4]]) },
      };
    }, { choices: shown.map((r) => r.name), full: true, group: "time" });
  }

  function counters() {
    const groups = [];
    for (const run of runs) for (const c of run.counters) {
      const cut = c.name.lastIndexOf("."), stem = cut > 0 ? c.name.slice(0, cut) : c.name;
      const name = named(run, `${stem} (${c.unit})`);
      const found = groups.find((g) => g.name === name);
      if (found) found.list.push(c); else groups.push({ name, run, unit: c.unit, list: [c], stem });
    }
    if (!groups.length) return;
    figure("counters", T.chart_counters, T.hint_counters, (i) => {
      const g = groups[i], [from, until] = reach(g.run);
      return {
        option: base({
          grid: { ...room(), top: 46, bottom: 58 }, xAxis: timeAxis({ min: from, max: until }), dataZoom: zoom([0]),
          yAxis: axis({ type: "value", name: g.unit, axisLabel: { formatter: g.unit === "B/s" ? (v) => count(v / 1e6) + " MB" : g.unit === "bytes" ? size : count } }),
          series: [
            ...g.list.map((c, k) => line(c.name.slice(g.stem.length + 1) || c.name, c.points, unit(c.unit), { showSymbol: false, markArea: k ? undefined : stretches(g.run, ["step", "hold", "phase"]) })),
            ...shades(g.run, ["step", "hold", "phase"]),
          ],
        }),
        table: { head: [T.time, T.counter, T.value, ""], rows: g.list.flatMap((c) => c.points.map((p) => [p[0], c.name, p[1], c.unit])) },
      };
    }, { choices: groups.map((g) => g.name), full: true, group: "time" });
  }

  function requests() {
    const found = runs.flatMap((run) => run.sizes.map((s) => ({ run, s })));
    if (!found.length) return;
    const used = [...new Set(found.flatMap(({ s }) => s.buckets.filter((b) => b[1]).map((b) => b[0])))].sort((a, b) => a - b);
    figure("requests", T.chart_requests, T.hint_requests, () => ({
      option: base({
        xAxis: axis({ type: "category", data: used.map(size), grid: false }), yAxis: axis({ type: "value", name: T.requests, axisLabel: { formatter: count } }),
        series: found.map(({ run, s }) => ({ type: "bar", name: named(run, [s.device, s.role, s.kind].filter(Boolean).join(" ")), tooltip: words(count), data: used.map((u) => (s.buckets.find((b) => b[0] === u) || [0, 0])[1]) })),
      }),
      table: { head: [T.run, T.device, T.role, T.operation, "B ≥", T.requests, "B"], rows: found.flatMap(({ run, s }) => s.buckets.filter((b) => b[1]).map((b) => [run.name, s.device, s.role, s.kind, ...b])) },
    }));
  }

  function shares() {
    const found = runs.flatMap((run) => run.patterns.filter((p) => p.shares.length > 1).map((p) => ({ name: named(run, p.label), p })));
    if (!found.length) return;
    const targets = [...new Set(found.flatMap(({ p }) => p.shares.map((s) => s[0])))];
    figure("shares", T.chart_shares, T.hint_shares, () => ({
      option: base({
        grid: { left: 150, right: 40, top: 46, bottom: 40 }, xAxis: axis({ type: "value", name: "IOPS", axisLabel: { formatter: count } }),
        yAxis: axis({ type: "category", data: found.map((f) => f.name), grid: false }),
        series: targets.map((t) => ({ type: "bar", stack: "all", name: t, tooltip: words(count), data: found.map(({ p }) => (p.shares.find((s) => s[0] === t) || [t, 0])[1]) })),
      }),
      table: { head: [T.name, T.target, "IOPS", "%"], rows: found.flatMap(({ name, p }) => p.shares.map((s) => [name, s[0], s[1], trim(s[2] * 100, 1)])) },
    }));
  }

  function databases() {
    const found = runs.flatMap((run) => run.waves.map((w) => ({ run, w })));
    if (!found.length || new Set(found.map(({ w }) => w.workers)).size < 2) return;
    const names = [...new Set(found.flatMap(({ w }) => w.rows.map((r) => r[0])))];
    figure("database", T.chart_database, T.hint_database, (i) => {
      const points = (run, k) => found.filter((f) => f.run === run).map(({ w }) => [w.workers, (w.rows.find((r) => r[0] === names[i]) || [])[k]]).filter((p) => p[1] !== undefined);
      const series = runs.flatMap((run) => [line(named(run, T.rate), points(run, 1), count), line(named(run, T.mean), points(run, 2), ns, { yAxisIndex: 1 }), line(named(run, "p99"), points(run, 3), ns, { yAxisIndex: 1, lineStyle: { type: "dashed", width: 2 } })]);
      return {
        option: base({ xAxis: axis({ type: "log", logBase: 2, name: T.in_flight, nameLocation: "middle", nameGap: 28, grid: false, axisLabel: { formatter: three } }), yAxis: [axis({ type: "value", name: T.rate, min: 0, axisLabel: { formatter: count } }), latencyAxis({ grid: false })], series }),
        table: { head: [T.run, T.name, T.operation, T.rate, `${T.mean} ns`, "p99 ns"], rows: found.flatMap(({ run, w }) => w.rows.map((r) => [run.name, w.name, ...r])) },
      };
    }, { choices: names });
  }

  // One figure for each quantity, with all devices and the caps that apply to them.
  function devices() {
    const shown = runs.filter((run) => run.devices.length);
    if (!shown.length) return;
    const points = (run, device, what) => (run.counters.find((c) => c.name === `device.${device}.${what}`) || { points: [] }).points;
    const added = (all) => {
      const sums = new Map();
      for (const one of all) for (const [at, v] of one) sums.set(at, (sums.get(at) || 0) + v);
      return [...sums].sort((a, b) => a[0] - b[0]);
    };
    const total = (run, device, whats) => added(whats.map((what) => points(run, device, what)));
    const rates = (key, title, whats, f, formatter) => ({
      key, title, f, formatter, caps: (run) => run.limits.filter((l) => l[key]).slice(0, 3),
      series: (run) => {
        const all = run.devices.map(([name, shown]) => [shown, total(run, name, whats), "solid"]);
        // Devices stacked on others are excluded from the sum.
        const summed = all.filter((a) => run.summed.includes(a[0]));
        return summed.length > 1 ? [...all, [T.sum, added(summed.map((a) => a[1])), "dotted"]] : all;
      },
    });
    const apart = (key, title, whats, f, scale) => ({
      key, title, f, formatter: f, caps: () => [],
      series: (run) => run.devices.flatMap(([name, shown]) => whats.map(([what, word], k) =>
        [word ? `${shown}: ${word}` : shown, points(run, name, what).map(([at, v]) => [at, v * scale]), k ? "dashed" : "solid"])),
    });
    const percent = (v) => `${three(v)} %`;
    const looks = [
      rates("iops", "IOPS", ["read_ops", "write_ops"], count, count),
      rates("bw", "MB/s", ["read", "write"], mb, (v) => count(v / 1e6)),
      apart("await", `${T.latency}: ${T.mean}`, [["read_await", T.read], ["write_await", T.write]], ns, 1e6),
      apart("queue", T.in_flight, [["queue", ""]], three, 1),
      apart("busy", T.busy, [["busy", ""]], percent, 1),
    ];
    for (const look of looks) {
      if (!shown.some((run) => look.series(run).some((s) => s[1].length))) continue;
      figure(`devices-${look.key}`, `${T.chart_devices}: ${look.title}`, T.hint_devices, (i) => {
        const run = shown[i], colours = palette(), all = look.series(run).filter((s) => s[1].length), [from, until] = reach(run);
        const top = Math.max(0, ...all.flatMap((s) => s[1].map((p) => p[1])));
        const caps = look.caps(run).map((l) => [l.name, l[look.key]]), words = said(caps, top * 0.06, (c) => `${c[0]} ${look.f(c[1])}`);
        const marks = caps.map((c, k) => { const mark = flat(c[0], c[1], css("--fail"), look.f); return { ...mark, label: { ...mark.label, show: words[k] !== "", formatter: words[k] } }; });
        // A cap is shown if it is not far above the measured values.
        const most = Math.max(top, ...caps.filter((c) => c[1] < top * 3).map((c) => c[1])) * 1.05, step = 10 ** Math.floor(Math.log10(most)) / 2;
        const high = Math.ceil(most / step) * step;
        return {
          option: base({
            grid: { ...room(), top: 46, bottom: 58 }, xAxis: timeAxis({ min: from, max: until }), dataZoom: zoom([0]),
            yAxis: axis({ type: "value", name: look.title, min: 0, max: most > top * 1.05 ? high : undefined, axisLabel: { formatter: look.formatter } }),
            series: all.map(([name, data, kind], k) => line(name, data, look.f, { color: colours[k % colours.length], showSymbol: false, lineStyle: { width: 2, type: kind }, markLine: k === 0 && marks.length ? lines(marks) : undefined })),
          }),
          table: { head: [T.time, T.device, look.title], rows: all.flatMap(([name, data]) => data.map(([at, v]) => [at, name, v])) },
        };
      }, { choices: shown.map((r) => r.name), group: "time", full: look.key === "iops" });
    }
  }

  /* ---- demand on the storage ---- */
  function asked() {
    const found = runs.flatMap((run) => run.asked || []);
    if (!found.length) return;
    figure("asked", T.chart_asked, T.hint_asked, (i) => {
      const role = found[i], colours = palette(), both = role.bw.length > 0;
      // Each interval is drawn to its end; intervals that do not touch are not connected.
      const steps = (points, k) => points.flatMap((p, n) => n + 1 < points.length && points[n + 1][0] <= p[1] + 0.001 ? [[p[0], p[k]]] : [[p[0], p[k]], [p[1], p[k]], [p[1] + 0.001, null]]);
      const lines = (name, points, f, colour, over) => [
        line(name, steps(points, 2), f, { color: colour, showSymbol: false, step: "end", ...over }),
        ...(points.some((p) => p[3] !== p[2]) ? [line(`${name}: ${T.busiest}`, steps(points, 3), f, { color: colour, showSymbol: false, step: "end", lineStyle: { width: 1, opacity: 0.45 }, ...over })] : []),
      ];
      const [from, until] = [role.iops[0][0], role.iops[role.iops.length - 1][1]];
      const x = (index) => timeAxis({ min: from, max: until, gridIndex: index, axisLabel: { show: !both || index === 1, formatter: sec } });
      const band = role.busiest && { silent: true, itemStyle: { color: colours[1], opacity: 0.18 }, data: [[{ xAxis: role.busiest[0], name: count(role.busiest[2]), label: { color: css("--soft"), fontSize: 11, position: "insideTop" } }, { xAxis: role.busiest[1] }]] };
      const series = lines("IOPS", role.iops, count, colours[0], {});
      if (band) series[0].markArea = band;
      if (both) series.push(...lines("MB/s", role.bw, mb, colours[2], { xAxisIndex: 1, yAxisIndex: 1 }));
      return {
        option: base({
          grid: both ? [{ first: true, ...room(), top: 46, height: "36%" }, { ...room(), bottom: 58, height: "26%" }] : { ...room(), top: 46, bottom: 58 },
          axisPointer: { link: [{ xAxisIndex: "all" }] },
          xAxis: both ? [x(0), x(1)] : x(0),
          yAxis: [axis({ type: "value", name: "IOPS", min: 0, axisLabel: { formatter: count } }), ...(both ? [axis({ type: "value", name: "MB/s", min: 0, gridIndex: 1, axisLabel: { formatter: (v) => count(v / 1e6) } })] : [])],
          dataZoom: zoom(both ? [0, 1] : [0]),
          series,
        }),
        table: { head: [T.time, "", `IOPS ${T.mean}`, `IOPS ${T.busiest}`, `B/s ${T.mean}`, `B/s ${T.busiest}`], rows: role.iops.map((p, n) => [...p, ...(role.bw[n] || [0, 0]).slice(2)]) },
      };
    }, { choices: found.map((r) => r.name), full: true, tall: true, group: "time" });
  }

  function caches() {
    const found = runs.flatMap((run) => run.asked || []).filter((r) => r.cached.some((c) => c[1] > 0));
    if (!found.length) return;
    const percent = (v) => `${trim(v * 100, 1)} %`;
    figure("caches", T.chart_caches, T.hint_caches, () => ({
      option: base({
        xAxis: axis({ type: "log", logBase: 2, name: T.cache, nameLocation: "middle", nameGap: 28, grid: false, axisLabel: { formatter: size } }),
        yAxis: axis({ type: "value", min: 0, axisLabel: { formatter: percent } }),
        series: found.map((r) => line(r.name, r.cached, percent, { showSymbol: false, step: "end" })),
        tooltip: tip({ formatter: (list) => size(list[0].value[0]) + "\n" + list.map((e) => `${e.seriesName}: ${percent(e.value[1])}`).join("\n") }),
      }),
      table: { head: [T.role, `${T.cache} B`, "%"], rows: found.flatMap((r) => r.cached.map(([bytes, held]) => [r.name, bytes, trim(held * 100, 2)])) },
    }));
  }

  // The charts that readers look for come first.
  const ORDER = {
    ping: [heat, histogram, percentiles, overTime, counters],
    database: [overTime, databases, percentiles, requests, counters, heat, histogram],
    jobs: [overTime, percentiles, bars, ramps, sizes, requests, counters, heat],
    mark: [percentiles, bars, sizes, overTime, requests, counters, heat],
    watch: [devices, requests, counters],
    needs: [asked, requests, percentiles, caches],
    workloads: [ramps, bars, sizes, percentiles, requests, shares, overTime, counters, heat],
  };
  const drawing = ORDER[runs.length ? runs[0].kind : "workloads"];
  [changes, ...(runs.length > 1 ? [bars] : []), ...drawing.filter((d) => runs.length < 2 || d !== bars)].forEach((draw) => draw());
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
