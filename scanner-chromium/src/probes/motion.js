// Probe of motion that goes on although the browser says that visitors want less of it, as it does in every check.
(kit) => {
  const { attribute, box, closest, isVisible, matches } = kit;
  // What says that something is under way moves for a reason.
  const busy = /spin|load|progress|busy|pending|skeleton|shimmer|placeholder/i;
  const shifts = ['transform', 'translate', 'rotate', 'scale', 'left', 'right', 'top', 'bottom', 'marginLeft', 'marginTop', 'backgroundPositionX', 'backgroundPositionY', 'offsetDistance'];
  // A part of a property's value is another at another time.
  const moves = (frames) => shifts.some((name) => new Set(frames.map((frame) => frame[name]).filter((value) => value !== undefined)).size > 1);
  const isBusy = (element) => {
    for (let [each, left] = [element, 3]; each && left > 0; each = kit.parent(each), left -= 1) {
      if (busy.test(`${attribute(each, 'class') ?? ''} ${attribute(each, 'id') ?? ''}`)) return true;
    }
    return closest(element, '[aria-busy="true"], [role="progressbar"], [role="status"]') !== null;
  };

  const reducedMotion = () => {
    const failed = new Map();
    let isApplicable = false;
    for (const { effect, playState } of Document.prototype.getAnimations.call(document).slice(0, 500)) {
      const element = effect?.target;
      if (playState !== 'running' || !(element instanceof Element) || !(effect instanceof KeyframeEffect)) continue;
      const { activeDuration, duration } = effect.getComputedTiming();
      // One run of it that takes longer than minutes is nothing that anybody sees.
      if (!(activeDuration > 5_000) || !(duration < 120_000) || !moves(effect.getKeyframes()) || !isVisible(element)) continue;
      const { width, height } = box(element);
      if (width < 8 || height < 8 || matches(element, ':hover') || isBusy(element)) continue;
      isApplicable = true;
      failed.set(element, { element });
    }
    return { failed: [...failed.values()], isApplicable };
  };

  return { 'a11ycheck-reduced-motion': reducedMotion };
}
