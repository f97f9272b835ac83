// Resolves when the fonts are there and two frames were drawn, or after `limit` milliseconds: pages may load fonts for ever,
// and a page that is never drawn gets no frames. Tells what is to be expected of the page: it is "built" where there is
// nothing that could build it, "still" if nothing has changed since its load and nothing is about to that would not be
// noticed, and else "moving".
async (limit) => {
  const late = new Promise((resolve) => setTimeout(resolve, limit));
  // They are not said to be ready before the document has loaded, which one with a part that hangs never does.
  const fonts = async () => {
    if (Reflect.get(Document.prototype, 'readyState', document) === 'complete') return document.fonts.ready;
    while (document.fonts.status !== 'loaded') await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const drawn = fonts().then(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
  );
  const isDrawn = await Promise.race([late, drawn]);
  const hasFrames = document.querySelector('iframe, frame, object, embed') !== null;
  if (document.scripts.length === 0 && !hasFrames) return 'built';

  // What changes inside of frames is not noticed from outside, and what fades in changes by itself.
  const ends = ({ effect }) => effect?.getComputedTiming().endTime !== Infinity;
  const isStill =
    isDrawn &&
    watch.isUnchanged() &&
    !document.getAnimations().some((animation) => animation.playState === 'running' && ends(animation)) &&
    !hasFrames;
  return isStill ? 'still' : 'moving';
}
