// Resolves when the fonts are there and two frames were drawn, or after `limit` milliseconds: pages may load fonts for
// ever, and a page that is never drawn gets no frames.
(limit) => new Promise((resolve) => {
  setTimeout(resolve, limit);
  document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));
})
