"use strict";
/* Behaviour shared by all dashboard pages. again: redraws after a change of colours. */
const shell = (again = () => {}) => {
  const root = document.documentElement, button = document.getElementById("theme");
  const media = matchMedia("(prefers-color-scheme: dark)");
  // The choice applies to this tab; without session storage it is not kept.
  const kept = (value) => { try { if (value) sessionStorage.setItem("theme", value); return sessionStorage.getItem("theme"); } catch { return null; } };
  const before = kept();
  if (before) root.dataset.theme = before;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : media.matches;
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; kept(root.dataset.theme); again(); });
  media.addEventListener("change", again);
};
/* Calls act repeatedly, one call at a time, while the page is visible; act returns the delay in milliseconds until the next call, or 0 to stop. */
const whileSeen = (act) => {
  let timer = 0, busy = false;
  const turn = async () => {
    clearTimeout(timer);
    if (busy || document.hidden) return;
    busy = true;
    const wait = await act();
    busy = false;
    if (wait) timer = setTimeout(turn, wait);
    else if (wait === 0) document.removeEventListener("visibilitychange", turn);
  };
  document.addEventListener("visibilitychange", turn);
  turn();
};
