(() => {
  const T = JSON.parse(document.getElementById("data").textContent).texts;
  const at = (id) => document.getElementById(id);
  const query = at("q"), list = at("list"), count = at("count"), lost = at("lost"), hint = at("hint"), go = at("go"), clear = at("clear");
  const MOST = 3, EVERY = 5000, BATCH = 4;
  const ticked = new Set();
  const rows = () => [...list.querySelectorAll("tr[data-id]")];

  /* ---- selection, kept while the list changes ---- */
  function chosen() {
    for (const row of rows()) {
      const box = row.querySelector("input"), on = ticked.has(row.dataset.id);
      box.checked = on;
      if (row.dataset.state !== "unreadable") box.disabled = !on && ticked.size >= MOST;
      row.classList.toggle("chosen", on);
    }
    go.disabled = ticked.size < 2;
    clear.hidden = !ticked.size;
    hint.textContent = ticked.size ? `${ticked.size} ${T.chosen}${ticked.size === MOST ? " (" + T.too_many + ")" : ""}` : T.compare_hint;
  }
  list.addEventListener("change", (e) => {
    const row = e.target.closest("tr[data-id]");
    if (!row) return;
    if (e.target.checked) ticked.add(row.dataset.id); else ticked.delete(row.dataset.id);
    chosen();
  });
  clear.addEventListener("click", () => { ticked.clear(); chosen(); query.focus(); });
  at("compare").addEventListener("submit", (e) => {
    e.preventDefault();
    // In the order of selection: the first run is the reference.
    if (ticked.size > 1) location.assign("/compare?" + [...ticked].map((id) => "run=" + encodeURIComponent(id)).join("&"));
  });

  /* ---- figures, judged by the server on the first request ---- */
  let asking = false;
  async function figures() {
    if (asking) return;
    asking = true;
    try {
      for (;;) {
        const wanted = rows().filter((r) => !("known" in r.dataset) && r.dataset.state !== "running").slice(0, BATCH);
        if (!wanted.length) break;
        wanted.forEach((r) => { r.dataset.known = ""; r.dataset.wait = ""; });
        const answer = await fetch("/api/figures?" + wanted.map((r) => "run=" + r.dataset.id).join("&"));
        if (!answer.ok) throw new Error(String(answer.status));
        const told = (await answer.json()).figures;
        for (const row of rows()) if (row.dataset.id in told) put(row, told[row.dataset.id]);
      }
    } catch { rows().forEach((r) => { delete r.dataset.wait; }); } finally { asking = false; }
  }
  const BADGE = { pass: ["pass", "met"], fail: ["fail", "not_met"], undecided: ["open", "undecided"] };
  function put(row, f) {
    delete row.dataset.wait;
    row.dataset.known = "";
    if (!f) return;
    ["iops", "mbps", "p99"].forEach((name, i) => { row.querySelector("." + name).textContent = f.shown[i]; });
    if (f.rate[1]) row.querySelector(".iops").removeAttribute("data-label");
    row.querySelector(".label").textContent = f.label + (f.more ? `, ${f.more} ${T.more}` : "");
    const badge = row.querySelector(".badge");
    if (row.dataset.state === "complete" && (f.needs || f.outcome !== "pass")) [badge.className, badge.textContent] = ["badge " + BADGE[f.outcome][0], T[BADGE[f.outcome][1]]];
  }

  /* ---- searching: the listed runs at once, the whole store a moment later ---- */
  let typed = 0, shown = query.value.trim();
  const words = () => query.value.toLowerCase().split(/\s+/).filter(Boolean);
  // Only the server can evaluate a filter.
  const filtered = () => "filter" in list.dataset || /[=~<>]/.test(query.value);
  function filter() {
    const all = filtered() ? [] : words();
    for (const row of rows()) {
      const text = (row.textContent + " " + row.dataset.id).toLowerCase();
      row.hidden = !all.every((w) => text.includes(w));
    }
  }
  const address = (page) => {
    const asked = new URLSearchParams();
    if (query.value.trim()) asked.set("q", query.value.trim());
    if (page > 1) asked.set("page", page);
    return "/" + (asked.size ? "?" + asked : "");
  };
  async function refresh() {
    const same = query.value.trim() === shown, page = same ? Number(list.dataset.page) : 1, url = address(page);
    const asked = query.value.trim();
    try {
      const answer = await fetch(url);
      const told = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!told.getElementById("list")) {
        // The store is remote and unreachable: show the server's message and keep the list.
        lost.textContent = [...told.querySelectorAll("h1, .meta")].map((e) => e.textContent).join(" · ") || T.no_answer;
        lost.hidden = false;
        return EVERY;
      }
      lost.hidden = true;
      if (query.value.trim() !== asked) return EVERY;
      const fresh = told.getElementById("list"), focus = document.activeElement && document.activeElement.closest("tr[data-id]");
      const within = focus && list.contains(focus) ? [focus.id, document.activeElement.tagName] : null;
      if (!same) { shown = asked; history.replaceState(null, "", url); }
      list.dataset.page = fresh.dataset.page;
      if ("filter" in fresh.dataset) list.dataset.filter = ""; else delete list.dataset.filter;
      // Keep the figures already shown: the server may not have stored them.
      if (fresh.innerHTML !== list.dataset.was) {
        list.dataset.was = fresh.innerHTML;
        list.replaceChildren(...fresh.childNodes);
        const ids = new Set(rows().map((r) => r.dataset.id));
        if (!asked && list.dataset.page === "1") for (const id of ticked) if (!ids.has(id) && gone(id, told)) ticked.delete(id);
        if (within) { const back = document.getElementById(within[0]); if (back) back.querySelector(within[1])?.focus(); }
        chosen();
        filter();
      }
      count.textContent = told.getElementById("count").textContent;
      figures();
    } catch {
      lost.textContent = T.no_answer;
      lost.hidden = false;
    }
    return EVERY;
  }
  // With several pages, a missing run may be on another page; with a single page it is gone.
  const gone = (_, told) => !told.querySelector(".pager");
  query.addEventListener("input", () => { filter(); clearTimeout(typed); typed = setTimeout(refresh, 250); });
  at("find").addEventListener("submit", (e) => { e.preventDefault(); clearTimeout(typed); refresh(); });

  shell();
  chosen();
  figures();
  let first = true;
  whileSeen(() => { if (first) { first = false; return EVERY; } return refresh(); });
})();
