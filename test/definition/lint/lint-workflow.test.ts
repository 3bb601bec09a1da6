import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import { MISTAKES, type Place, PLACES } from './mistakes.ts';
import { type Placement, placeMistake } from './place-mistake.ts';

/** So many places a mistake is moved to: what is promised of every code. */
const PLACES_MIN = 20;

/** Ways to write a mistake at one of the places; the last is needed only where a mistake cannot stand at some place. */
const WAYS: readonly ((place: Place, index: number) => Placement)[] = [
  (place, index) => ({ place, style: 'block', newline: '\n', wide: false, lines: index }),
  (place, index) => ({ place, style: 'block', newline: '\r\n', wide: true, lines: 13 + index }),
  (place) => ({ place, style: 'flow', newline: '\n', wide: true, lines: 0 }),
  (place, index) => ({ place, style: 'flow', newline: '\r\n', wide: false, lines: index * 7 }),
  (place, index) => ({ place, style: 'block', newline: '\r\n', wide: false, lines: 40 + index }),
];
const PLACEMENTS: readonly Placement[] = WAYS.flatMap((way) => PLACES.map(way));

const inWords = ({ place, style, newline, wide }: Placement): string =>
  `${place}, ${style} style, ${newline === '\n' ? 'LF' : 'CRLF'}${wide ? ', wide text before it' : ''}`;

describe('lint', () => {
  it('finds nothing in the sample without a mistake', () => {
    const { text } = placeMistake(
      [
        ['id', 'planted'],
        ['call', 'shop.do'],
      ],
      { place: 'top', style: 'flow', newline: '\n', wide: false, lines: 0 },
    );
    expect(validateWorkflow(text, 'sample.pawl.yaml').problems).toEqual([]);
  });

  describe.each(MISTAKES)('$code', ({ code, step, mended, notIn = [] }) => {
    const placements = PLACEMENTS.filter(({ place }) => !notIn.includes(place)).slice(0, PLACES_MIN);

    it('is moved to 20 places', () => {
      const places = placements.map((placement) => placeMistake(step, placement));
      expect(new Set(places.map(({ line, column }) => `${line}:${column}`)).size).toBeGreaterThanOrEqual(PLACES_MIN);
    });

    it.each(placements.map((placement) => ({ placement, words: inWords(placement) })))(
      'is found with its caret: $words',
      ({ placement }) => {
        const planted = placeMistake(step, placement);
        const found = validateWorkflow(planted.text, 'sample.pawl.yaml').problems.filter(
          (problem) => problem.code === code,
        );
        expect(found.map((problem) => problem.range)).toEqual([
          { line: planted.line, column: planted.column, endLine: planted.endLine, endColumn: planted.endColumn },
        ]);
        expect(found[0]?.help).not.toBe('');
      },
    );

    it('is not said of the same step without the mistake', () => {
      for (const place of PLACES.filter((one) => !notIn.includes(one))) {
        const { text } = placeMistake(mended, { place, style: 'flow', newline: '\n', wide: true, lines: 0 });
        expect(validateWorkflow(text, 'sample.pawl.yaml').problems.map((problem) => problem.code)).not.toContain(code);
      }
    });
  });
});
