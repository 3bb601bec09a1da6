/** A half of a surrogate pair at the end of what was cut off. */
const HALF = /[\ud800-\udbff]$/;

/** The beginning of a text, at most so many UTF-16 units, cut between characters: half of one cannot be stored (P11). */
export function cutText(text: string, unitsMax: number): string {
  return text.length <= unitsMax ? text : text.slice(0, unitsMax).replace(HALF, '');
}
