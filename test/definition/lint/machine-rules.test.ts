import { describe, expect, it } from 'vitest';
import { placeInForm } from '../../../src/definition/lint/machine-rules.ts';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import type { JsonObject } from '../../../src/model/json.ts';

const HEAD = `pawl: 1
workflow: sample
version: 1
timeout: 1d
events: { go: {} }
actions: { act: { function: act@1, idempotency: natural, compensate: none } }
`;

const told = (machine: JsonObject): readonly string[] =>
  validateWorkflow(`${HEAD}machine: ${JSON.stringify(machine)}\n`, 'x').problems.map(
    ({ code, pointer }) => `${code} ${pointer}`,
  );

describe('what a machine may say', () => {
  it('lets a region rest: another one may lead out of it', () => {
    const both = { type: 'parallel', states: { l: {}, r: { on: { go: '#end' } } } };
    expect(told({ initial: 'both', states: { both, end: { id: 'end', type: 'final' } } })).toEqual([]);
  });

  it('lets a state rest in which something around it takes an event, or its time comes', () => {
    const inner = { initial: 'b', states: { b: {} } };
    const end = { type: 'final' };
    expect(told({ initial: 'a', states: { a: { ...inner, on: { go: 'end' } }, end } })).toEqual([]);
    expect(told({ initial: 'a', states: { a: { ...inner, after: { '1h': 'end' } }, end } })).toEqual([]);
    expect(told({ initial: 'a', states: { a: inner } })).toEqual(['PAWL-205 /machine/states/a/states/b']);
  });

  it('reaches what a history leads to, a raised event, and all regions', () => {
    const a = { on: { go: 'p.back' } };
    const p = {
      type: 'parallel',
      states: {
        x: { on: { own: '#end' } },
        y: { entry: { type: 'raise', params: { event: 'own' } } },
        back: { type: 'history' },
      },
    };
    expect(told({ initial: 'a', states: { a, p, end: { id: 'end', type: 'final' } } })).toEqual([]);
  });

  it('needs steps or a machine, and not both', () => {
    const codes = (text: string): readonly string[] =>
      validateWorkflow(`${HEAD}${text}`, 'x').problems.map(({ code, message }) => `${code} ${message}`);
    expect(codes('')).toEqual(['PAWL-102 the workflow needs `steps` or `machine`']);
    expect(codes('steps: [{ end: done }]\nmachine: { initial: a, states: { a: { type: final } } }\n')).toEqual([
      'PAWL-111 `steps` and `machine` exclude each other',
    ]);
    expect(codes('machine: 3\n')[0]).toMatch(/^PAWL-103/);
  });

  it('says what is wrong with a call where the machine says it', () => {
    expect(placeInForm('/machine/states/a/invoke/call')).toBe('/machine/states/a/invoke/src');
    expect(placeInForm('/machine/states/a/states/b/invoke/with/x')).toBe('/machine/states/a/states/b/invoke/input/x');
    expect(placeInForm('/machine/invoke/retry')).toBe('/machine/meta/pawl/retry');
    expect(placeInForm('/steps/0/invoke/call')).toBe('/steps/0/invoke/call');
  });

  it('reads a config alone as its document, with the places of its file', () => {
    const document = { pawl: 1, workflow: 'x', version: 1, timeout: '1d', events: { go: {} } };
    const config = (states: JsonObject, more: JsonObject = {}): string =>
      JSON.stringify({ initial: 'a', states, meta: { pawl: { ...document, ...more }, other: 'kept' } }, null, 1);
    const sound = validateWorkflow(config({ a: { on: { go: 'b' } }, b: { type: 'final' } }), 'x.json');
    expect([sound.definition?.workflow, sound.problems]).toEqual(['x', []]);
    const text = config({ a: { on: { go: 'c' } }, b: { type: 'final' } }, { timeout: 'soon' });
    const lines = text.split('\n');
    const places = validateWorkflow(text, 'x.json').problems.map(({ code, range }) => [
      code,
      lines[range.line - 1]?.trim(),
    ]);
    expect(places).toEqual([
      ['PAWL-202', '"go": "c"'],
      ['PAWL-110', '"timeout": "soon",'],
    ]);
  });

  it('finds names, expressions and secrets of a config alone where they are written', () => {
    const actions = { act: { function: 'act@1', idempotency: 'natural', compensate: 'none' } };
    const pawl = { pawl: 1, workflow: 'x', version: 1, timeout: '1d', events: { go: {} }, actions };
    const states = {
      a: {
        invoke: { id: 'x', src: 'actt', input: { token: 'sk_live_4242424242424242' }, onDone: 'b' },
        on: { og: 'b' },
      },
      b: { on: { go: { target: 'c', guard: 'vars.n > 1' } } },
      c: { type: 'final' },
    };
    const text = JSON.stringify({ initial: 'a', states, meta: { pawl } }, null, 1);
    const lines = text.split('\n');
    const found = validateWorkflow(text, 'x.json').problems.map(({ code, range, file }) => [
      code,
      file,
      lines[range.line - 1]?.slice(range.column - 1, range.endColumn - 1),
    ]);
    expect(found).toEqual([
      ['PAWL-301', 'x.json', '"actt"'],
      ['PAWL-702', 'x.json', '"sk_live_4242424242424242"'],
      ['PAWL-209', 'x.json', '"og"'],
      ['PAWL-403', 'x.json', 'n'],
    ]);
  });
});
