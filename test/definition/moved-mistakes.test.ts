import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../src/definition/problem-codes.ts';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { DOCUMENTS } from './lint/documents.ts';
import { EXPRESSIONS } from './lint/expression-documents.ts';
import { LINKS } from './lint/link-documents.ts';
import { MACHINES } from './lint/machine-documents.ts';
import { STATEMENTS } from './lint/statement-documents.ts';
import { WORKERS } from './lint/worker-documents.ts';
import { MISTAKES } from './lint/mistakes.ts';
import { KEY_MISTAKES } from './support/key-mistakes.ts';
import { expected, shown } from './support/marked.ts';
import { moveAbout, movePiece } from './support/move-file.ts';
import { YAML_MISTAKES } from './support/yaml-mistakes.ts';

/** Codes that have no place to be moved to, what the store refuses, and what is wrong with test files (test/testing/scenario has those). */
const NOT_MOVED = /^PAWL-(?:001|021|241|501|6\d\d)$/;

/** Mistakes that can only be made at the margin of a file, or that say how deep they are themselves. */
const WHERE: Readonly<Record<string, 'first' | 'margin'>> = {
  'PAWL-002': 'margin',
  'PAWL-018': 'margin',
  'PAWL-020': 'first',
};

const distinct = (places: readonly { readonly line: number; readonly column: number }[]): number =>
  new Set(places.map(({ line, column }) => `${line}:${column}`)).size;

describe('a mistake that is moved about', () => {
  it('is one of every code', () => {
    const tables = [YAML_MISTAKES, KEY_MISTAKES].flatMap((table) => table.map(([code]) => code));
    const moved = [
      ...tables,
      ...MISTAKES.map(({ code }) => code),
      ...[...DOCUMENTS, ...EXPRESSIONS, ...LINKS, ...MACHINES, ...STATEMENTS, ...WORKERS].map(({ code }) => code),
    ];
    const codes = Object.keys(PROBLEM_CODES).filter((code) => !NOT_MOVED.test(code));
    expect([...new Set(moved)].sort()).toEqual(codes.sort());
  });

  it.each(YAML_MISTAKES)('%s, %s: is told alone and at its place, at 20 places of a file', (code, _why, source) => {
    const places = movePiece(source, WHERE[code] ?? 'any');
    expect(distinct(places)).toBeGreaterThanOrEqual(20);
    for (const place of places) {
      const found = shown(readYamlFile(place.text, 'x').problems);
      expect({ text: place.text, found }).toEqual({ text: place.text, found: [expected(code, place)] });
    }
  });

  it.each(KEY_MISTAKES)('%s, %s: is told alone and at its place, in 20 shapes of a file', (code, _why, source) => {
    const moved = moveAbout(source, source.includes('⟦⟧') ? ['block'] : ['block', 'one line', 'flow']);
    expect(distinct(moved.map(({ place }) => place))).toBeGreaterThanOrEqual(20);
    for (const { shape, place } of moved) {
      const found = shown(validateWorkflow(place.text, 'x').problems);
      expect({ shape, text: place.text, found }).toEqual({ shape, text: place.text, found: [expected(code, place)] });
    }
  });
});
