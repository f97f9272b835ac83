// Looks for players in the document that a script has started, and adds findings to `outcome.probes`. `addresses` are
// those of the players outside of the document, which `players.js` has returned.
(addresses) => {
  const id = 'a11ycheck-script-sound';
  const { probes } = outcome;
  const { all, has, isVisible, read } = probes.kit;

  const isPlaying = (media) => {
    const of = (property) => read(HTMLMediaElement, property, media);
    // A player that has reached its end is paused, but was heard before.
    // `readyState` says nothing here: it falls each time that a player goes back to its beginning.
    const isHeard = (!of('paused') || of('ended')) && !of('muted') && of('volume') > 0;
    return isHeard && of('webkitAudioDecodedByteCount') > 0 && (has(media, 'loop') || of('duration') > 3);
  };
  // Players with `autoplay` are those of the probe `a11ycheck-autoplay`.
  const players = all('audio:not([autoplay]), video:not([autoplay])').slice(0, 500).filter(isPlaying);
  const found = players.filter((media) => !has(media, 'controls') || !isVisible(media)).slice(0, 20);
  const nodes = found.map((element) => probes.node(id, { element, data: { messageKey: 'player' } }, true));
  // A `data:` address holds the file itself, and a query may hold a secret: neither is kept.
  const files = new Set(addresses.map((address) => (address.startsWith('data:') ? address.split(',') : address.split(/[?#]/))[0]));
  if (files.size > 0) {
    const element = Reflect.get(Document.prototype, 'documentElement', document);
    nodes.push(probes.node(id, { element, data: { messageKey: 'page', files: [...files].slice(0, 10) } }, true));
  }
  if (nodes.length > 0) probes.incomplete.push({ id, ...probes.facts[id], nodes });
  (players.length > 0 || files.size > 0 ? probes.passed : probes.inapplicable).push(id);
}
