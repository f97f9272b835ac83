// Called in the page's own world on a list of all players: returns the addresses of those outside of the document that can be heard,
// for long. The list holds their prototype as well, of which most questions are errors, and whatever a page has made of any of them.
// `limits` bounds those that are looked at, those that are returned, and the characters of each.
function (limits) {
  const found = [];
  for (let index = 0; index < this.length && index < limits.seen && found.length < limits.kept; index += 1) {
    try {
      const player = this[index];
      const isHeard = !player.paused && !player.muted && player.volume > 0 && player.readyState > 1 && player.webkitAudioDecodedByteCount > 0;
      if (isHeard && !player.isConnected && (player.loop || player.duration > 3)) found.push(player.currentSrc.slice(0, limits.name));
    } catch {
      // It says nothing.
    }
  }
  return found;
}
