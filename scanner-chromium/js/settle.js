// Resolves when the fonts are there, two frames were drawn and, where the document has scripts, no element has come or
// gone for `quiet` milliseconds; or after `limit` milliseconds: pages may load fonts for ever, a page that is never drawn
// gets no frames, and some never stop rebuilding themselves. Attributes and texts do not count: clocks and carousels
// change them all the time, and axe-core sees the same elements.
async (limit, quiet) => {
  const late = new Promise((resolve) => setTimeout(resolve, limit));
  const drawn = document.fonts.ready.then(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const built = document.scripts.length === 0 ? undefined : new Promise((resolve) => {
    let timer = setTimeout(resolve, quiet);
    new MutationObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, quiet);
    }).observe(document, { childList: true, subtree: true });
  });
  await Promise.race([late, Promise.all([drawn, built])]);
}
