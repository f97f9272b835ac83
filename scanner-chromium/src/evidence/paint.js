// Returns a picture with rectangles painted over, as WebP in base64 like the picture itself. Nothing of the page
// changes.
async (picture, rectangles, colour, quality) => {
  const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/webp' }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d', { alpha: false });
  context.drawImage(bitmap, 0, 0);
  context.fillStyle = colour;
  for (const { x, y, width, height } of rectangles) context.fillRect(x, y, width, height);
  const painted = await canvas.convertToBlob({ type: 'image/webp', quality });
  let text = '';
  const all = new Uint8Array(await painted.arrayBuffer());
  // The greatest number at a time that a call may have as arguments.
  for (let from = 0; from < all.length; from += 30_000) text += String.fromCharCode(...all.subarray(from, from + 30_000));
  return btoa(text);
}
