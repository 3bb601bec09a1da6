import { describe, expect, it } from 'vitest';
import { runTests, type TestReport } from '../../../src/testing/scenario/run-tests.ts';

const http = (path: string): string => `http: { method: POST, url: 'http://127.0.0.1:4171/${path}' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    settlesWithin: 3s
    timeout: 2s`;

/** A parcel that is brought when its carrier says so, or somebody in the office lets it go. */
const PARCEL = `pawl: 1
workflow: parcel
version: 1
timeout: 1d
input: { type: object, required: [no], properties: { no: { type: string } } }
events:
  brought: { schema: { type: object, required: [to], properties: { to: { type: string } } }, keep: 1h }
actions:
  book:
    ${http('book')}
    compensate: { call: unbook, with: { no: =effect.input.no } }
  unbook:
    ${http('unbook')}
steps:
  - { id: book, call: book, with: { no: =input.no } }
  - { id: gate, approve: 'Let it go?', from: ['role:office'], expires: 10m }
  - { id: way, await: brought, timeout: 2h }
output: { to: =steps.way.output.to }
`;
/** Two of them, side by side. */
const SHOP = `pawl: 1
workflow: shop
version: 1
key: input.id
timeout: 2d
input: { type: object, required: [id], properties: { id: { type: string } } }
actions:
  mail: { ${http('mail').replaceAll('\n', ',')}, outcome: [{ when: response.status == 402, is: rejected, code: declined }], compensate: none }
steps:
  - id: both
    parallel:
      left: [{ id: left, child: parcel@1, with: { no: l } }]
      right: [{ id: right, child: parcel@1, with: { no: r } }]
  - { id: tell, call: mail, with: { left: =steps.left.output.to } }
output: { left: =steps.left.output.to, right: =steps.right.output.to }
`;

function play(scenario: string, crash = false): Promise<TestReport> {
  const files: Readonly<Record<string, string>> = {
    'shop.test.yaml': `children: [parcel.pawl.yaml]\nscenarios:\n  - name: one\n    input: { id: S-1 }\n${scenario}`,
    'shop.pawl.yaml': SHOP,
    'parcel.pawl.yaml': PARCEL,
  };
  return runTests({ files: ['shop.test.yaml'], crash, read: (file) => files[file] ?? '' });
}

/** What was not as it should be, as texts. */
async function wrongIn(scenario: string, crash = false): Promise<readonly string[]> {
  const { files } = await play(scenario, crash);
  return files.flatMap(({ result, problems }) => [
    ...problems.map(({ code, message }) => `${code} ${message}`),
    ...(result?.scenarios ?? []).flatMap((one) => [
      ...one.misses.map(({ what, expected, got }) => `${what}: expected ${expected}, got ${got}`),
      ...one.problems,
      ...(one.crashed?.misses ?? []).map(
        ({ words, misses }) => `${words}: ${misses.map(({ what, got }) => `${what} ${got}`).join()}`,
      ),
    ]),
  ]);
}

const ALL = `    events:
      - { at: 1m, child: left, approve: gate, by: ana, roles: [office] }
      - { at: 2m, child: right, approve: gate, by: ben, roles: [office] }
      - { at: 1h, child: left, signal: brought, data: { to: neighbour } }
      - { at: 90m, child: right, signal: brought, data: { to: door } }
`;

describe('what comes from outside for a child', () => {
  it('reaches the child of that step and no other, and what children do is counted as the run’s own', async () => {
    const expected = `    expect:
      effects: 'book x2, mail'
      sent: { book: [{ no: l }, { no: r }], mail: [{ left: neighbour }] }
      calls: { book: 2 }
      status: COMPLETED
      wholeOutput: { left: neighbour, right: door }
`;
    expect(await wrongIn(ALL + expected)).toEqual([]);
  });

  it('is told as every event is: by the child that waits, by one that has ended, by one that never was', async () => {
    const text = `    events:
      - { at: 1m, child: left, deny: gate, by: ana, roles: [office], answer: applied }
      - { at: 1h, child: left, signal: brought, data: { to: door }, answer: ended }
      - { at: 1h, child: 'left#2', signal: brought, data: { to: door }, answer: PAWL_RUN_NOT_FOUND }
    expect: { effects: 'book x2, unbook x2', status: FAILED, failure: denied }
`;
    expect(await wrongIn(text)).toEqual([]);
  });

  it('R14 a crash at each boundary of a run and of its children: the same ledger, one effect each', async () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const expected =
      "expect: { effects: 'book x2, unbook x2', status: COMPENSATED, failure: declined, sent: { unbook: [{ no: r }, { no: l }] } }";
    const text = `    provider: { mail: declined }\n${ALL}    ${expected}\n`;
    expect(await wrongIn(text, true)).toEqual([]);
    const { crashes } = await play(text, true);
    // The calls and commits of both children, not only those of the run.
    expect(crashes).toBeGreaterThan(30);
  }, 120_000);

  it('names a step that runs one, and what that child knows', async () => {
    const event = (more: string): string => `    events: [{ at: 1m, ${more} }]\n    expect: { status: WAITING }\n`;
    expect(await wrongIn(event('child: tell, signal: brought'))).toEqual(['PAWL-602 the workflow has no child `tell`']);
    expect(await wrongIn(event('child: left, signal: bought'))).toEqual([
      'PAWL-602 the workflow has no event `bought`',
    ]);
    expect(await wrongIn(event('child: left, worker: down'))).toEqual([
      expect.stringMatching(/^PAWL-115 `child` belongs to/),
    ]);
  });
});
