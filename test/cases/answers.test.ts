import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { Play, workflow } from '../decision/support/play.ts';
import { begin, type House, openHouse, untilRun } from '../engine/support/house.ts';
import { type Answering, startAnswering } from './support/answering.ts';

let house: House;
let provider: Answering;
let answer: (response: ServerResponse) => void = (response) => response.end();
beforeAll(async () => {
  house = await openHouse();
  provider = await startAnswering((_request, response) => answer(response));
});
afterEach(() => house.rest());
afterAll(async () => {
  await house.close();
  await provider.close();
});

const JSON_TYPE = { 'content-type': 'application/json' };

describe('bug 79 a 2xx that may say no', () => {
  const post = (more: string): string =>
    `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nactions:\n  post:\n    http: { method: POST, url: '${provider.url}/post' }\n    idempotency: { header: Idempotency-Key, remembers: 24h }\n    settlesWithin: 1s\n    compensate: none\n${more}steps:\n  - { id: post, call: post, with: {} }\n`;
  const tested = `    outcome:\n      - { when: response.status == 200 && (!has(response.body.ok) || response.body.ok != true), is: rejected, code: said-no }\n`;

  it.each([
    ['ok: false', 200, '{"ok":false,"error":"channel_not_found"}', 'FAILED', 'said-no'],
    ['a list of errors', 200, '{"errors":["channel_not_found"]}', 'FAILED', 'said-no'],
    ['ok: true', 200, '{"ok":true}', 'COMPLETED', null],
    ['204 without a body', 204, '', 'COMPLETED', null],
  ])(
    'is judged by the test of the action: %s',
    async (_name, status, body, end, code) => {
      answer = (response) => response.writeHead(status, JSON_TYPE).end(body);
      const process = await house.process();
      await process.app.runWorker();
      const run = await begin(process, post(tested));
      const view = await untilRun(process, run, (seen) => seen.endedAt !== null);
      expect(view.status).toBe(end);
      expect(view.effects).toMatchObject([{ code, sent: 1 }]);
      if (code !== null) {
        const { part, runId } = await process.app.find(run);
        const [receipt] = await house.store.receipts(part, runId);
        expect(Buffer.from(receipt?.resultBase64 ?? '', 'base64').toString()).toContain('channel_not_found');
      }
    },
    30_000,
  );

  it('is taken as done without a test, and the file is warned of', () => {
    const schema = '    output: { type: object, properties: { ok: { type: boolean }, error: { type: string } } }\n';
    const codes = (text: string): readonly string[] =>
      validateWorkflow(text, 'post.pawl.yaml').problems.map(({ code }) => code);
    expect(codes(post(schema))).toContain('PAWL-356');
    expect(codes(post(`${schema}${tested}`))).not.toContain('PAWL-356');
  });

  it('an accepted 202 is not done: it is a doubt, never a success', async () => {
    answer = (response) => response.writeHead(202, JSON_TYPE).end('{"state":"queued"}');
    const process = await house.process();
    await process.app.runWorker();
    const run = await begin(process, post(''));
    const view = await untilRun(process, run, ({ effects }) => effects[0]?.state === 'UNKNOWN');
    expect(view.endedAt).toBeNull();
  }, 30_000);
});

describe('bug 45 an older word that comes after a newer one', () => {
  const text = workflow(
    `  - { id: pay, await: paid, timeout: 1d, on: [{ event: refused, set: { seen: '\${ vars.seen + 1 }' } }] }\n  - { id: ship, call: do.a }\n  - { id: rest, await: refunded, timeout: 1d }\n  - { id: book, call: do.b }`,
    'vars: { seen: { type: integer, default: 0 } }\nevents: { paid: { schema: { type: object } }, refused: { schema: { type: object } }, refunded: { schema: { type: object } } }',
  );

  it('changes neither paid nor refunded, is kept in the inbox and answered', () => {
    const run = new Play(text);
    expect(run.signal('refused', {}, { id: 'attempt-1' })).toMatchObject({ outcome: 'applied' });
    expect(run.signal('paid', {}, { id: 'attempt-2' })).toMatchObject({ outcome: 'applied' });
    run.sleep('30m');
    const late = run.signal('refused', {}, { id: 'attempt-1-again' });
    expect(late).not.toBeNull();
    expect(late?.outcome).not.toBe('applied');
    expect(run.happened).toEqual(['do.a']);
    expect(run.signal('refunded')).toMatchObject({ outcome: 'applied' });
    expect(run.signal('paid', {}, { id: 'late-approval' })?.outcome).toBe('ended');
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.head().status).toBe('COMPLETED');
  });
});
