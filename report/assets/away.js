(() => {
  shell();
  let first = true;
  whileSeen(async () => {
    if (first) { first = false; return 3000; }
    try {
      const answer = await fetch(location.href);
      if (answer.status !== 503) { location.reload(); return 0; }
    } catch { /* secchi itself is unreachable: try again */ }
    return 3000;
  });
})();
