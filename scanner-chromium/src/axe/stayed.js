// Returns whether the document stays unchanged until `early` milliseconds after its load.
async (early) => {
  // Timers that are already due run first.
  await new Promise((resolve) => setTimeout(resolve, watch.since + early - performance.now()));
  return watch.isUnchanged();
}
