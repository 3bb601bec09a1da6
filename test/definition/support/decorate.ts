import { fc } from '../../support/fast-check.ts';

/** One line more or another line end: what authors do to a file without changing what it says. */
export interface Decoration {
  readonly line: number;
  readonly kind: 'above' | 'behind' | 'blank';
  readonly depth: number;
}

/** Decorations of a file, some of which find no room. */
export const decorations: fc.Arbitrary<readonly Decoration[]> = fc.array(
  fc.record({
    line: fc.nat(200),
    kind: fc.constantFrom('above', 'behind', 'blank'),
    depth: fc.nat(9),
  }),
  { maxLength: 12 },
);

/** Puts comments and empty lines into a file that has no text over several lines. */
export function decorate(text: string, wished: readonly Decoration[]): string {
  const lines = text.trimEnd().split('\n');
  for (const [index, { line, kind, depth }] of wished.entries()) {
    const at = line % lines.length;
    if (kind === 'blank') lines.splice(at, 0, ' '.repeat(depth % 3));
    else if (kind === 'above') lines.splice(at, 0, `${' '.repeat(depth)}# above ${index}`);
    else if (!/#|^\s*$/.test(lines[at] ?? '')) lines[at] = `${lines[at] ?? ''} # behind ${index}`;
  }
  return `${lines.join('\n')}\n`;
}
