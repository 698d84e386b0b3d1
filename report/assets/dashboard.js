"use strict";
/* What every page of the dashboard does. again: draws once more in other colours. */
const shell = (again = () => {}) => {
  const root = document.documentElement, button = document.getElementById("theme");
  const media = matchMedia("(prefers-color-scheme: dark)");
  // As chosen in this tab; a browser that keeps nothing keeps nothing.
  const kept = (value) => { try { if (value) sessionStorage.setItem("theme", value); return sessionStorage.getItem("theme"); } catch { return null; } };
  const before = kept();
  if (before) root.dataset.theme = before;
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : media.matches;
  button.hidden = false;
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; kept(root.dataset.theme); again(); });
  media.addEventListener("change", again);
};
/* Calls what it is given every so often while somebody looks, one call after the other; it returns the wait in milliseconds until the next, or 0. */
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
