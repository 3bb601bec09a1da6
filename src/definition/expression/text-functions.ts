import { BOUNDS } from './bounds.ts';
import { refuse } from './expression-refusal.ts';

/** A whole number as an index; JSON without a schema gives doubles, so a whole double is taken too. */
function position(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number)
    ? number
    : refuse('takes whole numbers as positions');
}

function textArg(value: unknown): string {
  return typeof value === 'string' ? value : refuse('takes a text');
}

function bounded(text: string): string {
  return text.length > BOUNDS.textLength ? refuse(`a text of more than ${BOUNDS.textLength} characters`) : text;
}

/** Positions count code points, as CEL's `size` does; half of an emoji can never be cut off. */
function pointsOf(value: unknown): readonly string[] {
  return [...textArg(value)];
}

/** Elements `from` to before `to`. */
export function slice(list: unknown, from: unknown, to: unknown): readonly unknown[] {
  if (!Array.isArray(list)) return refuse('slice() takes a list');
  const [start, end] = [position(from), position(to)];
  if (start < 0 || end < start || end > list.length) refuse('slice() goes beyond the list');
  return list.slice(start, end);
}

/** The texts of a list, with a separator between them. */
export function join(list: unknown, separator: unknown): string {
  if (!Array.isArray(list)) return refuse('join() takes a list of texts');
  const items: readonly unknown[] = list;
  return bounded(
    items
      .map((item) => (typeof item === 'string' ? item : refuse('join() takes a list of texts')))
      .join(separator === undefined ? '' : textArg(separator)),
  );
}

/** Every `from` in a text becomes `to`. */
export function replace(text: unknown, from: unknown, to: unknown): string {
  const [whole, part, other] = [textArg(text), textArg(from), textArg(to)];
  const pieces = part === '' ? ['', ...whole, ''] : whole.split(part);
  // Measured first: three nested replaces could otherwise make a text of any size.
  const length = whole.length + (pieces.length - 1) * (other.length - part.length);
  if (length > BOUNDS.textLength) refuse(`a text of more than ${BOUNDS.textLength} characters`);
  return pieces.join(other);
}

/** The pieces of a text between separators; without a separator its characters. */
export function split(text: unknown, separator: unknown): readonly string[] {
  const mark = textArg(separator);
  const pieces = mark === '' ? [...textArg(text)] : textArg(text).split(mark);
  return pieces.length > BOUNDS.listElements ? refuse(`a list of more than ${BOUNDS.listElements} elements`) : pieces;
}

/** Without white space at both ends. */
export function trim(text: unknown): string {
  return textArg(text).trim();
}

/** ASCII letters to lower case, nothing else. */
export function lowerAscii(text: unknown): string {
  return textArg(text).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** ASCII letters to upper case, nothing else. */
export function upperAscii(text: unknown): string {
  return textArg(text).replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** Position of a text in another from `from` on, -1 = not there. */
export function indexOf(text: unknown, part: unknown, from: unknown): bigint {
  const points = pointsOf(text);
  const start = from === undefined ? 0 : position(from);
  if (start < 0 || start > points.length) refuse('indexOf() starts beyond the text');
  const found = points.slice(start).join('').indexOf(textArg(part));
  return found === -1 ? -1n : BigInt(start + [...points.slice(start).join('').slice(0, found)].length);
}

/** Last position of a text in another, -1 = not there. */
export function lastIndexOf(text: unknown, part: unknown): bigint {
  const found = textArg(text).lastIndexOf(textArg(part));
  return found === -1 ? -1n : BigInt([...textArg(text).slice(0, found)].length);
}

/** Characters `from` to before `to`. */
export function substring(text: unknown, from: unknown, to: unknown): string {
  const points = pointsOf(text);
  const start = position(from);
  const end = to === undefined ? points.length : position(to);
  if (start < 0 || end < start || end > points.length) refuse('substring() goes beyond the text');
  return points.slice(start, end).join('');
}
