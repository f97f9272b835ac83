// Resolves when the fonts are loaded and two frames were drawn, or after `limit` milliseconds: pages may load fonts
// without end, and a page that is never drawn gets no frames. The value is what to expect of the page: "built" if there
// is nothing that could change it, "still" if nothing has changed since its load and no change is about to happen that
// would go unnoticed, and else "moving".
async (limit) => {
  // Getters and methods are called directly, since elements may hide properties of the document with their names.
  const read = (name) => Reflect.get(Document.prototype, name, document);
  const late = new Promise((resolve) => setTimeout(resolve, limit));
  // They do not count as ready before the document has loaded, which never happens if a part of it hangs.
  const fonts = async () => {
    if (read('readyState') === 'complete') return read('fonts').ready;
    while (read('fonts').status !== 'loaded') await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const drawn = fonts().then(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
  );
  const isDrawn = await Promise.race([late, drawn]);
  const hasFrames = Document.prototype.querySelector.call(document, 'iframe, frame, object, embed') !== null;
  if (read('scripts').length === 0 && !hasFrames) return 'built';

  // Changes inside frames are not noticed from outside, and what fades in changes by itself.
  const ends = ({ effect }) => effect?.getComputedTiming().endTime !== Infinity;
  const isStill =
    isDrawn &&
    watch.isUnchanged() &&
    !Document.prototype.getAnimations.call(document).some((animation) => animation.playState === 'running' && ends(animation)) &&
    !hasFrames;
  return isStill ? 'still' : 'moving';
}
