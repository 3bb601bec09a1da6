import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import type { WorkflowDefinition } from '../../src/model/definition.ts';

const ACTIONS = `actions:
  basic:
    http: { method: GET, url: 'https://x.example/a' }
    auth: { basic: { user: ann, password: '\${ secrets.token }' } }
    idempotency: { remembers: 1h, field: key }
    compensate: { call: undo, with: { id: =effect.output.id }, onFailure: continue, retry: { attempts: 2, delay: [1s, 2s], on: [unavailable] } }
  header:
    http: { method: PUT, url: 'https://x.example/b' }
    auth: { header: { name: X-Key, value: '\${ secrets.token }' } }
    idempotency: natural
    compensate: none
  undo:
    function: undo@2
    idempotency: { remembers: 1h }
    compensate: none
`;
const HEAD = 'pawl: 1\nworkflow: sample\nversion: 1\ntimeout: 1h\nsecrets: [token]\n';

function built(text: string): WorkflowDefinition {
  const { definition, problems } = validateWorkflow(text, 'sample.pawl.yaml');
  if (definition === null) throw new Error(problems.map(({ code, message }) => `${code} ${message}`).join('; '));
  return definition;
}

describe('an action', () => {
  it('is built with its ways to say who asks, to be repeated and to be undone', () => {
    const [basic, header, undo] = built(`${HEAD}${ACTIONS}steps:\n  - { id: a, call: basic }\n`).actions;
    expect(basic?.transport).toMatchObject({ kind: 'http', method: 'GET', body: null });
    expect(basic?.auth).toMatchObject({
      kind: 'basic',
      user: { kind: 'literal', value: 'ann' },
      password: { kind: 'expression' },
    });
    expect(basic?.idempotency).toEqual({ kind: 'field', name: 'key', remembersMs: 3_600_000 });
    expect(basic?.compensate).toMatchObject({
      kind: 'call',
      action: 'undo',
      onFailure: 'continue',
      retry: { attempts: 2, delayMs: [1_000, 2_000], on: ['unavailable'] },
    });
    expect(header?.transport).toMatchObject({ method: 'PUT' });
    expect(header?.auth).toMatchObject({ kind: 'header', name: 'X-Key' });
    expect(header?.idempotency).toEqual({ kind: 'natural' });
    expect([undo?.contract, undo?.idempotency]).toEqual([2, { kind: 'key', remembersMs: 3_600_000 }]);
  });

  it('is built with client credentials, whose secret is checked like any other', () => {
    const auth =
      'auth: { oauth2: { tokenUrl: "https://x.example/token", clientId: pawl, clientSecret: =secrets.token } }';
    const text = `${HEAD}actions:\n  a:\n    http: { method: GET, url: 'https://x.example/a' }\n    effect: read\n    ${auth}\nsteps:\n  - { id: a, call: a }\n`;
    expect(built(text).actions[0]?.auth).toMatchObject({
      kind: 'oauth2',
      tokenUrl: 'https://x.example/token',
      clientId: { kind: 'literal', value: 'pawl' },
      clientSecret: { kind: 'expression' },
      scope: null,
    });
    const codes = (from: string, to: string) =>
      validateWorkflow(text.replace(from, to), 'x').problems.map(({ code }) => code);
    expect(codes('=secrets.token', '=secrets.tokn')).toContain('PAWL-704');
    expect(codes('clientId: pawl', "clientId: '${ secrets.token + }'")).toContain('PAWL-401');
    expect(codes('https://x.example/token', 'x.example/token')).toEqual(['PAWL-112']);
  });

  it('has its expressions checked wherever they stand: auth, compensation and its retry', () => {
    const codes = (from: string, to: string): readonly string[] => {
      const text = `${HEAD}${ACTIONS}steps:\n  - { id: a, call: basic }\n`;
      expect(text).toContain(from);
      return validateWorkflow(text.replace(from, to), 'x').problems.map(({ code }) => code);
    };
    expect(codes("password: '${ secrets.token }'", "password: '${ secrets.token + }'")).toContain('PAWL-401');
    expect(codes("value: '${ secrets.token }'", "value: '${ secrets.token + }'")).toContain('PAWL-401');
    expect(codes('on: [unavailable] }', 'on: [unavailable], when: "failure.code +" }')).toContain('PAWL-401');
    expect(codes('=effect.output.id', '=vars.id')).toContain('PAWL-309');
  });
});

describe('a file with holes', () => {
  it('is told of all of them, and nothing is built from what is not there', () => {
    const text = `pawl: 1
version: 1
vars: { n: 5 }
actions:
  a: { http: {}, auth: { basic: {} }, idempotency: {} }
  b: { http: { url: [1] }, auth: { header: {} }, outcome: [{ is: rejected }] }
  c: { auth: { bearer: 5 }, retry: { delay: soon } }
  d: { auth: { oauth2: {} } }
steps:
  - { id: s1, call: [] }
  - { id: s2, wait: { until: '\${ }' } }
  - { id: s3, await: {} }
  - { id: s4, approve: {}, from: [5] }
  - { id: s5, fail: {} }
  - { id: s6, choose: [{ when: 5 }, {}] }
  - { id: s7, wait: 1h, on: [{}], catch: [{}] }
`;
    const { definition, problems } = validateWorkflow(text, 'holes.pawl.yaml');
    expect(definition).toBeNull();
    const told = new Set(problems.map(({ range }) => range.line));
    for (const line of [5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16])
      expect({ line, told: told.has(line) }).toEqual({ line, told: true });
    expect(problems.every(({ help, message }) => help !== '' && message !== '')).toBe(true);
  });
});

describe('the digest', () => {
  it('counts what an approval asks, wherever the step stands, as policy', () => {
    const text = (quorum: number, inside: string): string =>
      `${HEAD}${ACTIONS}steps:\n  - { id: x, choose: [{ when: 'run.version == 1', steps: [{ id: p, approve: ok, from: ['role:a', 'role:b', 'user:c'], quorum: ${quorum}, expires: 1h }, { id: e, ${inside} }] }, { else: [] }] }\n  - { id: a, call: basic }\n`;
    const parts = (file: string) => digestsOf(lower(built(file))).parts;
    const [one, two, other] = [
      parts(text(1, 'wait: 1h')),
      parts(text(2, 'wait: 1h')),
      parts(text(1, 'wait: 1h, timeout: 2h')),
    ];
    expect(one.policy).not.toBe(two.policy);
    expect(one.effects).toBe(two.effects);
    expect(one.policy).not.toBe(other.policy);
  });
});
