import { describe, expect, it } from 'vitest';
import { readRequest } from '../../src/decision/effect-key.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { LinkName } from '../../src/model/ids.ts';
import type { InboxAnswer } from '../../src/model/run-commit.ts';
import type { Json } from '../../src/model/json.ts';
import { approvalLink, awaitLink, linkPlaceholder } from '../../src/model/link.ts';
import { Play, workflow } from './support/play.ts';

const EVENTS = 'events: { paid: {}, go: {} }';
const withOf = (row: Effect): Json => readRequest(row).with;

/** The names of the waits whose addresses a row sends, in its order. */
const linksOf = (row: Effect): readonly LinkName[] => readRequest(row).links ?? [];

function byLink(run: Play, link: LinkName | undefined, data: Json = {}): InboxAnswer | null {
  const row = run.signalRow('paid', data, { source: `link:${link}` });
  if (row.payload.type !== 'signal' || link === undefined) throw new Error('no link');
  return run.deliver({ ...row, payload: { ...row.payload, by: 'link', link } });
}

describe('the root links', () => {
  it('P12 a request holds what stands for an address, the same for every run, and names its wait', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const text = workflow(
      "  - { id: a, call: do.a, with: { to: =links.pay, text: 'at ${ links.ok }' } }\n  - { id: pay, await: paid }\n  - { id: ok, approve: Sure, from: ['user:kai'] }",
      EVENTS,
    );
    const row = new Play(text).rowOf('a');
    const [ok, pay] = [approvalLink('ok', 'ok'), awaitLink('pay', [])];
    expect(withOf(row)).toEqual({ to: linkPlaceholder(pay), text: `at ${linkPlaceholder(ok)}` });
    expect(linksOf(row)).toEqual([ok, pay]);
    expect(new Play(text, { key: 'another' }).rowOf('a').requestHash).toBe(row.requestHash);
  });

  it('E02 the request of a call that sends none is what it was before there were any', () => {
    // E02: "`requestHash = sha256(JCS(request after templates, without secrets))`."
    const run = new Play(workflow('  - { id: a, call: do.a, with: { n: 1 } }', EVENTS));
    expect(Object.keys(readRequest(run.rowOf('a')))).not.toContain('links');
  });

  it('R12 an undo that tells its provider the address of the act names the same wait', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const undo = 'compensate: { call: undo.b, with: { stop: =effect.input.to } }';
    const run = new Play(
      workflow(`  - { id: a, call: do.a, with: { to: =links.pay }, ${undo} }\n  - { id: pay, await: paid }`, EVENTS),
    ).drive();
    run.cancel();
    const row = run.rowOf('a', 'undo');
    expect(withOf(row)).toEqual({ stop: linkPlaceholder(awaitLink('pay', [])) });
    expect(linksOf(row)).toEqual([awaitLink('pay', [])]);
  });

  it('E01 each item and each visit has an address of its own, also side by side', () => {
    // E01: "Frames are tagged (`[\"m\", itemKey]`, `[\"r\", n]`, `[\"v\", n]`), zeros left out."
    const steps = (concurrency: number): string =>
      `  - id: each\n    map: input.list\n    as: one\n    key: one\n    concurrency: ${concurrency}\n    steps:\n      - { id: a, call: do.a, with: { to: =links.pay } }\n      - { id: pay, await: paid }`;
    for (const concurrency of [1, 3]) {
      const run = new Play(workflow(steps(concurrency), EVENTS), { input: { list: ['x', 'y', 'z'] } }).drive();
      const names = ['x', 'y', 'z'].map((key) =>
        awaitLink('pay', [
          ['v', 0],
          ['m', key],
        ]),
      );
      expect(byLink(run, names[0])).toMatchObject({ outcome: 'applied' });
      if (concurrency === 1) continue;
      expect([...run.state.effects.values()].flatMap(linksOf).sort()).toEqual([...names].sort());
      expect(byLink(run, names[2], { n: 3 })).toMatchObject({ outcome: 'applied' });
      expect(byLink(run, names[1], { n: 2 })).toMatchObject({ outcome: 'applied' });
      expect(run.output('each')).toMatchObject([
        { key: 'x' },
        { key: 'y', output: { n: 2 } },
        { key: 'z', output: { n: 3 } },
      ]);
    }
  });
});

describe('an event that came by an address', () => {
  const TWO =
    '  - { id: a, call: do.a, with: { to: =links.second } }\n  - { id: first, await: paid }\n  - { id: second, await: paid }\n  - { id: last, await: go }';

  it('V01 is kept for its own wait and taken by no other, early or late', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(workflow(TWO, EVENTS)).drive();
    expect(byLink(run, awaitLink('second', []), { n: 2 })).toMatchObject({ outcome: 'kept' });
    expect(run.output('first')).toBeUndefined();
    expect(run.signal('paid', { n: 1 })).toMatchObject({ outcome: 'applied', detail: { step: 'first' } });
    expect(run.output('second')).toEqual({ n: 2 });
  });

  it('V05 is taken by no handler: an address is good for one wait', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const run = new Play(
      workflow(
        '  - { id: a, call: do.a, with: { to: =links.pay } }\n  - { id: w, await: go, on: [{ event: paid, then: end }] }\n  - { id: pay, await: paid }',
        EVENTS,
      ),
    ).drive();
    expect(byLink(run, awaitLink('pay', []))).toMatchObject({ outcome: 'kept' });
    expect(run.state.status).toBe('WAITING');
  });

  it('V11 after its wait it moves nothing, and its sender is told', () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    const run = new Play(workflow(TWO, EVENTS)).drive();
    run.signal('paid', { n: 1 });
    expect(byLink(run, awaitLink('second', []), { n: 2 })).toMatchObject({ outcome: 'applied' });
    const { revision } = run.state;
    expect(byLink(run, awaitLink('second', []), { n: 3 })).toMatchObject({
      outcome: 'unmatched',
      code: 'wait-over',
      consumed: true,
    });
    expect([run.state.revision, run.output('second'), run.state.kept]).toEqual([revision, { n: 2 }, []]);
    run.signal('go');
    expect(byLink(run, awaitLink('second', []))).toMatchObject({ outcome: 'ended' });
  });

  it('V01 is kept while a person may still let its step try again', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(
      workflow(
        '  - { id: a, call: do.a, with: { to: =links.pay } }\n  - { id: pay, await: paid, timeout: 1h }\n  - { id: last, await: go }',
        `${EVENTS}\nonFailure: hold`,
      ),
    ).drive();
    run.wait('2h');
    expect(run.state.status).toBe('HELD');
    expect(byLink(run, awaitLink('pay', []), { n: 1 })).toMatchObject({ outcome: 'kept' });
    run.retry('pay');
    expect(run.output('pay')).toEqual({ n: 1 });
  });

  it('V05 is from the source link, and still has to fit what the event and its wait ask for', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const declared =
      'events: { paid: { source: link, schema: { type: object, properties: { n: { type: integer } } } } }';
    const run = new Play(
      workflow(
        "  - { id: a, call: do.a, with: { to: =links.pay } }\n  - { id: pay, await: paid, from: [link], where: event.data.n > 0 && event.source == 'link' }",
        declared,
      ),
    ).drive();
    const name = awaitLink('pay', []);
    expect(byLink(run, name, { n: 'x' })).toMatchObject({ outcome: 'refused', code: 'schema' });
    expect(byLink(run, name, { n: 0 })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('paid', { n: 1 })).toMatchObject({ outcome: 'refused', code: 'source' });
    expect(byLink(run, name, { n: 2 })).toMatchObject({ outcome: 'applied' });
  });

  it('E01 in a later turn of a loop only the address of that turn counts', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back"
    const run = new Play(
      workflow(
        '  - { id: a, call: do.a, with: { to: =links.pay } }\n  - { id: pay, await: paid }\n  - { id: b, call: do.b, next: a, maxJumps: 1, when: steps.pay.output.again }\n  - { id: last, await: go }',
        EVENTS,
      ),
    ).drive();
    const before = run.rowOf('a');
    expect(byLink(run, linksOf(before)[0], { again: true })).toMatchObject({ outcome: 'applied' });
    const after = run.rowOf('a');
    expect(linksOf(after)).toEqual([awaitLink('pay', [['v', 1]])]);
    expect(byLink(run, linksOf(before)[0], { again: false })).toMatchObject({
      outcome: expect.stringMatching(/kept|unmatched/),
    });
    expect(run.state.effects.size).toBe(3);
    expect(byLink(run, linksOf(after)[0], { again: false })).toMatchObject({ outcome: 'applied' });
  });
});
