import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { Play, workflow } from './support/play.ts';

const VARS = [
  'input: { type: object }',
  'vars:',
  '  n: { type: integer, minimum: 0, default: 1 }',
  '  text: { type: string }',
  '  address: { type: object, properties: { street: { type: string }, country: { type: string, default: CH } } }',
  'events: { note: { schema: { type: object } } }',
].join('\n');
const SET = (values: string): string =>
  workflow(
    `  - { id: s, set: { ${values} }, catch: [{ on: [expression], do: [{ id: c, call: do.a }] }] }\n  - { id: e, end: { as: told, output: { n: =vars.n } } }`,
    VARS,
  );

describe('a value that is set', () => {
  it.each<[string, Json, string]>([
    ['n: =input.v', 1.5, 'the var n'],
    ['n: =input.v', '2', 'the var n'],
    ['n: =input.v', null, 'the var n'],
    ['n: =input.v', -1, 'the var n'],
    ['text: =input.v', 7, 'the var text'],
  ])('fits the schema of its var, or the step fails with expression and nothing is set: %s of %j', (set, v) => {
    const run = new Play(SET(set), { input: { v } }).drive();
    expect(run.happened).toEqual(['do.a']);
    expect(run.state.snapshot.data.vars).toEqual({ n: 1 });
    expect(run.head().output).toEqual({ n: 1 });
  });

  it('is said by name and kind, never by value', () => {
    const text = workflow('  - { id: s, set: { n: =input.v } }', VARS);
    const { failure } = new Play(text, { input: { v: 'hunter2' } }).head();
    expect(failure).toMatchObject({ code: 'expression', step: 's' });
    expect(JSON.stringify(failure)).toContain('the var n');
    expect(JSON.stringify(failure)).not.toContain('hunter2');
  });

  it('has the defaults of its schema written in', () => {
    const run = new Play(SET('address: { street: A }')).drive();
    expect(run.state.snapshot.data.vars['address']).toEqual({ street: 'A', country: 'CH' });
  });

  it('P11 can be stored, or the step fails with expression', () => {
    // P11: "What JSON or PostgreSQL cannot hold (NUL, lone surrogates, NaN, depth, size) is refused at the edge with the pointer named; `__proto__` is plain data."
    const long = Array.from({ length: 300 }, () => 'input.kilo').join(' + ');
    const run = new Play(SET(`text: '\${ ${long} }'`), { input: { kilo: 'k'.repeat(1_024) } }).drive();
    expect(run.happened).toEqual(['do.a']);
    expect(run.state.snapshot.data.vars).toEqual({ n: 1 });
  });

  it('by a handler is held to the same', () => {
    const steps = '  - { id: w, wait: 1h, on: [{ event: note, set: { n: =event.data.n } }] }';
    const run = new Play(workflow(steps, VARS));
    run.signal('note', { n: 4 });
    expect(run.state.snapshot.data.vars['n']).toBe(4);
    run.signal('note', { n: 'five' });
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'w' });
    expect(run.state.snapshot.data.vars['n']).toBe(4);
  });
});

describe('a var without default', () => {
  const read = (expression: string): Play =>
    new Play(workflow(`  - { id: e, end: { as: told, output: { v: '\${ ${expression} }' } } }`, VARS));

  it('is missing until it is set: reading it is a fault of the expression, or() and has() ask first', () => {
    expect(read('or(vars.text, "none")').head().output).toEqual({ v: 'none' });
    expect(read('has(vars.text)').head().output).toEqual({ v: false });
    expect(read('vars.text').state.status).toBe('HELD');
    expect(read('vars.n').head().output).toEqual({ v: 1 });
  });
});
