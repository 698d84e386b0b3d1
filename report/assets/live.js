(() => {
  const D = JSON.parse(document.getElementById("data").textContent), T = D.texts;
  const at = (id) => document.getElementById(id), root = at("charts");
  const { three, count, ns, size, mb, sec, unit, css, palette, axis, latencyAxis, timeAxis, base, line, flat, lines, element } = look(T, root);
  // Indices into a second as sent by the server.
  const AT = 0, LENGTH = 1, BYTES = 3, FAILED = 4, IOPS = 5, BW = 6, MEAN = 7, P50 = 8, P99 = 9, P999 = 10, MAX = 11, KIND = 12;
  const KEPT = 7200, EVERY = 1000;
  let seconds = [], looks = [], counters = [], stretches = [], next = "", span = 120, group = 0, failed = 0;

  /* ---- charts ---- */
  const from = () => { const last = seconds.length ? seconds[seconds.length - 1][AT] : 0; return span ? Math.max(0, last - span) : 0; };
  const until = () => Math.max(from() + 30, looks.length ? looks[looks.length - 1][0] : 0, seconds.length ? seconds[seconds.length - 1][AT] : 0);
  // A gap between two seconds is a gap in the curve.
  function curve(key, factor = 1) {
    const points = [], begin = from() - 2;
    let before = null;
    for (const s of seconds) {
      if (s[AT] < begin) continue;
      if (before !== null && s[AT] - before > 2.5 * s[LENGTH]) points.push([before + 0.001, null]);
      points.push([s[AT], s[KIND] === 2 || s[key] === null ? null : s[key] * factor]);
      before = s[AT];
    }
    return points;
  }
  const SHADE = { fill: "--soft", hold: "--pass", step: "--accent", now: "--accent", phase: "--open" };
  const areas = () => ({
    silent: true,
    data: stretches.filter((s) => s.until > from()).map((s, i) => [
      { name: s.kind === "phase" ? s.name : "", xAxis: Math.max(s.from, from()), itemStyle: { color: css(SHADE[s.kind]), opacity: s.kind === "phase" ? 0.2 : s.kind === "hold" || s.kind === "fill" ? 0.12 : i % 2 ? 0.08 : 0.03 }, label: { show: s.kind === "phase", color: css("--soft"), fontSize: 10 } },
      { xAxis: Math.min(s.until, until()) }]),
  });
  const x = () => timeAxis({ min: from(), max: until() });
  const charts = [];
  function figure(id, title, hint, option, full = false) {
    const box = element("div", { className: "chart", role: "img" });
    box.setAttribute("aria-label", title);
    const tools = element("div", { className: "tools" });
    root.append(element("figure", { id: "chart-" + id, className: full ? "full" : "" }, element("h2", { textContent: title }), element("p", { className: "hint", textContent: hint }), box, tools));
    const chart = echarts.init(box, null, { renderer: "svg" });
    chart.group = "live";
    charts.push({ chart, box, draw: () => chart.setOption(option(), { replaceMerge: ["series"] }) });
    return tools;
  }
  // Room for the lines of the legend at this width.
  const room = (entries) => 16 + 22 * Math.ceil(entries * 118 / Math.max(240, root.clientWidth - 40));
  const plain = { showSymbol: false, symbol: "circle" };
  const axisCaps = (key, f) => {
    const top = Math.max(1, ...seconds.map((s) => s[key === 1 ? IOPS : BW]));
    const near = D.limits.filter((l) => l[key] && l[key] < top * 1.6).slice(0, 2);
    return near.length ? lines(near.map((l) => flat(l[0], l[key], css(key === 1 ? "--fail" : "--open"), f, key === 1 ? "insideEndTop" : "insideStartTop"))) : undefined;
  };
  const tools = figure("rate", T.chart_rate, T.hint_rate, () => base({
    grid: { left: 58, right: 58, top: 58, bottom: 30 }, xAxis: x(),
    yAxis: [axis({ type: "value", name: "IOPS", min: 0, axisLabel: { formatter: count } }), axis({ type: "value", name: "MB/s", min: 0, grid: false, axisLabel: { formatter: (v) => count(v / 1e6) } })],
    series: [
      line("IOPS", curve(IOPS), count, { ...plain, color: palette()[0], markArea: areas(), markLine: axisCaps(1, count) }),
      line("MB/s", curve(BW), mb, { ...plain, color: palette()[1], yAxisIndex: 1, lineStyle: { width: 1.5 }, markLine: axisCaps(2, mb) }),
    ],
  }), true);
  figure("latency", T.chart_latency, T.hint_latency, () => base({
    grid: { left: 66, right: 20, top: room(5), bottom: 30 }, xAxis: x(), yAxis: latencyAxis({ name: "" }),
    series: [[T.mean, MEAN], ["p50", P50], ["p99", P99], ["p99.9", P999], [T.maximum, MAX]].map(([name, key], i) =>
      line(name, curve(key), ns, { ...plain, color: palette()[[2, 0, 3, 5, 4][i]], lineStyle: { width: i === 4 ? 1 : 1.75, type: i > 1 ? "dashed" : "solid" }, markArea: i ? undefined : areas() })),
  }), true);

  /* ---- counters, grouped by device or file ---- */
  const stem = (name) => { const cut = name.lastIndexOf("."); return cut > 0 ? name.slice(0, cut) : name; };
  const groups = () => {
    const found = [];
    counters.forEach(([name, u], i) => {
      const key = `${stem(name)} (${u})`, own = found.find((g) => g.key === key);
      if (own) own.list.push(i); else found.push({ key, unit: u, list: [i] });
    });
    return found;
  };
  const pick = element("select");
  pick.setAttribute("aria-label", T.chart_counters);
  let figured = null;
  function counterFigure() {
    figured = figure("counters", T.chart_counters, T.hint_counters, () => {
      const g = groups()[group] || { key: "", unit: "", list: [] }, begin = from();
      const points = (i) => looks.filter((l) => l[0] >= begin).map((l) => [l[0], (l[1].find((v) => v[0] === i) || [0, null])[1]]);
      return base({
        grid: { left: 66, right: 20, top: room(Math.min(8, g.list.length)) + 18, bottom: 30 }, xAxis: x(),
        yAxis: axis({ type: "value", name: g.unit, axisLabel: { formatter: g.unit === "B/s" ? (v) => count(v / 1e6) + " MB" : g.unit === "bytes" ? size : count } }),
        series: g.list.slice(0, 8).map((i, k) => line(counters[i][0].slice(stem(counters[i][0]).length + 1) || counters[i][0], points(i), unit(g.unit), { ...plain, markArea: k ? undefined : areas() })),
      });
    }, true);
    figured.append(pick);
    pick.addEventListener("change", () => { group = Number(pick.value); draw(); });
    echarts.connect("live");
  }
  function choices() {
    const names = groups().map((g) => g.key);
    if (pick.dataset.names === String(names.length)) return;
    pick.dataset.names = String(names.length);
    pick.replaceChildren(...names.map((n, i) => element("option", { value: String(i), textContent: n, selected: i === group })));
  }

  const spans = element("select", { id: "span" });
  [[120, T.last_2], [600, T.last_10], [0, T.whole]].forEach(([v, text]) => spans.append(element("option", { value: String(v), textContent: text })));
  spans.addEventListener("change", () => { span = Number(spans.value); draw(); });
  tools.append(element("label", { htmlFor: "span", textContent: T.span }), spans);

  /* ---- texts ---- */
  const clock = (s) => { const n = Math.round(s), m = String(Math.floor(n / 60) % 60), h = Math.floor(n / 3600); return `${h ? h + ":" + m.padStart(2, "0") : m}:${String(n % 60).padStart(2, "0")}`; };
  const put = (id, text) => { const e = at(id); if (e.textContent !== text) e.textContent = text; };
  const maybe = (f, v) => v === null || v === undefined ? "–" : f(v);
  const whole = (v) => v >= 99999.5 ? count(v) : Math.round(v).toLocaleString("en").replaceAll(",", document.documentElement.lang === "ru" ? "\u202f" : ",");
  function say(news) {
    const what = news.label ? `${news.label} × ${news.in_flight}: ${T[news.doing]}` : T[news.doing];
    put("where", news.stages ? `${what} (${T.stage} ${news.stage} ${T.of} ${news.stages}${news.step ? `, ${T.steps} ${news.step}` : ""})` : what);
    const bar = at("progress");
    if (news.left === null) bar.removeAttribute("value"); else bar.value = news.at / Math.max(news.at + news.left, 0.1);
    put("clock", `${clock(news.at)} ${T.elapsed}, ${news.left === null ? T.left_unknown : `${clock(news.left)} ${T.left}`}`);
    const last = seconds[seconds.length - 1];
    if (last) {
      put("now-iops", whole(last[IOPS]));
      put("now-mbps", three(last[BW] / 1e6));
      put("now-mean", maybe(ns, last[MEAN])); put("now-p50", maybe(ns, last[P50])); put("now-p99", maybe(ns, last[P99])); put("now-max", maybe(ns, last[MAX]));
    }
    put("now-depth", String(news.in_flight));
    put("now-errors", String(failed));
    at("now-errors").parentElement.classList.toggle("fail", failed > 0);
    const doubts = at("doubts"), told = [...new Set(news.doubts)];
    doubts.hidden = !told.length;
    if (doubts.dataset.n !== String(told.length)) {
      doubts.dataset.n = String(told.length);
      doubts.querySelector("ul").replaceChildren(...told.map((d) => element("li", { className: "open", lang: "en" }, element("p", { textContent: d }))));
    }
    const table = at("seconds");
    if (table.closest("details").open) table.tBodies[0].replaceChildren(...seconds.slice(-10).reverse().map((s) => element("tr", {},
      element("th", { scope: "row", textContent: sec(s[AT]) }), ...[whole(s[IOPS]), three(s[BW] / 1e6), ...[MEAN, P50, P99, P999, MAX].map((k) => maybe(ns, s[k])), String(s[FAILED])].map((v) => element("td", { textContent: v })))));
  }
  const notice = (text) => { const n = at("notice"); n.hidden = !text; if (n.textContent !== text) n.textContent = text; };

  function draw() {
    if (counters.length && !figured) counterFigure();
    choices();
    charts.forEach((c) => c.draw());
  }

  /* ---- updates, every second ---- */
  const keep = (list, more) => { const all = list.concat(more); return all.length > KEPT ? all.slice(all.length - KEPT) : all; };
  let silent = 0;
  async function turn() {
    let news;
    try {
      const answer = await fetch(`/api/run/${D.id}/live?from=${next}`);
      news = await answer.json();
      if (!answer.ok) { notice(news.error); return end(); }
    } catch {
      silent += 1;
      if (silent > 1) notice(T.no_answer);
      return Math.min(EVERY * silent, 10_000);
    }
    silent = 0;
    if (!next) { seconds = []; looks = []; failed = 0; }
    seconds = keep(seconds, news.seconds);
    looks = keep(looks, news.looks);
    counters = news.counters;
    news.seconds.forEach((s) => { failed += s[FAILED]; });
    if (news.stretches) stretches = news.stretches;
    const now = stretches.find((s) => s.kind === "now");
    if (now) now.until = Math.max(now.until, news.at);
    next = news.next;
    say(news);
    draw();
    if (news.behind) return 50;
    if (news.state === "running") {
      notice(news.quiet > 5 ? `${T.quiet} ${clock(news.quiet)}: ${T.quiet_why}.` : news.damage ? `${T.damaged}: ${news.damage}` : "");
      return EVERY;
    }
    if (news.state === "interrupted") {
      notice(T.killed + (news.damage ? ` ${T.damaged}: ${news.damage}` : ""));
      return end();
    }
    notice(T.over);
    end();
    setTimeout(() => location.replace(`/run/${D.id}`), 1200);
    return 0;
  }
  function end() {
    document.body.classList.add("over");
    put("title", T.run);
    put("so-far", T.report);
    return 0;
  }

  shell(draw);
  let wait = 0;
  addEventListener("resize", () => { clearTimeout(wait); wait = setTimeout(() => charts.forEach((c) => { c.chart.resize(); c.draw(); }), 80); });
  echarts.connect("live");
  draw();
  whileSeen(turn);
})();
