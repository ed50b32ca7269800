// While one version of the gateway takes the place of another, a page may come from a replica of the one and ask a replica of the other for
// its files, whose names have a hash in them: it is answered with 404. Then the page is loaded again, a few times, later and later. Once it is
// there it is never loaded again by itself: somebody may have begun to write.
//
// This file has the same name in every version, and is kept by browsers for a year: a change of it needs another name.
(() => {
  const key = "loaded-again";
  const most = 6;
  const again = ({ target }) => {
    if (!(target instanceof HTMLScriptElement || target instanceof HTMLLinkElement)) return;
    try {
      const times = Number(sessionStorage.getItem(key));
      if (times >= most) return;
      sessionStorage.setItem(key, String(times + 1));
      setTimeout(() => location.reload(), 250 * 2 ** times);
    } catch {
      // Without storage nobody counts, and a page that is loaded again without end is worse than one that is not.
    }
  };
  addEventListener("error", again, true);
  addEventListener("page-is-there", () => {
    removeEventListener("error", again, true);
    try {
      sessionStorage.removeItem(key);
    } catch {
      // there is nothing to forget
    }
  });
})();
