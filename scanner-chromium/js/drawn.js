// Resolves when the fonts are there and two frames were drawn, or after `limit` milliseconds: pages may load fonts for ever,
// and a page that is never drawn gets no frames. Tells what is to be expected of the page: it is "built" where there is
// nothing that could build it, "still" if nothing has changed since its load and nothing is about to that would not be
// noticed, and else "moving".
async (limit) => {
  watch.until = performance.now() + limit;
  const late = new Promise((resolve) => setTimeout(resolve, limit));
  const drawn = document.fonts.ready.then(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
  );
  const isDrawn = await Promise.race([late, drawn]);
  const hasFrames = document.querySelector('iframe, frame, object, embed') !== null;
  if (document.scripts.length === 0 && !hasFrames) return 'built';

  // What changes inside of frames and shadow trees is not noticed from outside, and what fades in changes by itself.
  const ends = ({ effect }) => effect?.getComputedTiming().endTime !== Infinity;
  const isStill =
    isDrawn &&
    watch.isUnchanged() &&
    !document.getAnimations().some((animation) => animation.playState === 'running' && ends(animation)) &&
    !hasFrames &&
    !Array.prototype.some.call(document.querySelectorAll('*'), (element) => element.shadowRoot);
  return isStill ? 'still' : 'moving';
}
