import { describe, expect, it } from 'vitest';
import { findFaults } from '../../../src/decision/invariants/find-faults.ts';
import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import { PRUNED_REQUEST } from '../../../src/model/retention.ts';
import { withEffects } from '../support/checked-run.ts';
import { asking, done, keyed, sleeping, stopped, withHead } from '../support/checked-stories.ts';
import { T0 } from '../support/play.ts';

/** A run as pruning leaves it. */
function pruned(run: CheckedRun = done()): CheckedRun {
  const gone = withEffects(withHead(run, { prunedAtMs: T0, snapshot: '', output: undefined }), () => true, {
    request: PRUNED_REQUEST,
    output: undefined,
    lastError: null,
  });
  return { ...gone, run: { ...gone.run, input: null }, journal: [], inbox: [], outbox: [] };
}

const told = (run: CheckedRun): readonly string[] =>
  findFaults(run, T0).map(({ check, row, what }) => `${check}: ${row.replace(/ [0-9a-f]{64}$/, '')}: ${what}`);

describe('the invariants of a run without its state', () => {
  it('P10 nothing is found in what pruning leaves', () => {
    // P10: "Retention never touches … a receipt, an observation, a start key, a key tombstone or the audit."
    expect(told(pruned())).toEqual([]);
    const { runId } = done().run;
    expect(told(pruned(keyed({ runId })))).toEqual([]);
  });

  it('P10 what is left of the state is found', () => {
    // P10: what goes, goes whole.
    const run = pruned();
    const before = done();
    expect(told({ ...run, run: before.run })).toEqual(['pruned: input: it is left']);
    expect(told(withHead(run, { snapshot: before.head.snapshot }))).toEqual(['pruned: snapshot: it is left']);
    expect(told(withHead(run, { output: null }))).toEqual(['pruned: output: it is left']);
    expect(told({ ...run, journal: before.journal.slice(0, 1) })).toEqual(['pruned: journal 1: it is left']);
    const [request = ''] = before.effects.map((effect) => effect.request);
    expect(told(withEffects(run, ({ step }) => step === before.effects[0]?.step, { request }))).toEqual([
      `pruned: effect ${before.effects[0]?.step}: its request or its output is left`,
    ]);
  });

  it('P10 what is kept is still what it was: keys, receipts, the start key', () => {
    // P10: "a receipt, … a start key, a key tombstone"
    const run = pruned();
    expect(told({ ...run, receipts: run.receipts.slice(1) })).not.toEqual([]);
    expect(told(withEffects(run, () => true, { frames: [['m', 'x']] }))).not.toEqual([]);
    const inbox = stopped().inbox.map((row) => ({ ...row, payload: null as never, detail: null }));
    const acted = { ...pruned(stopped()), inbox };
    expect(told(acted).filter((line) => line.startsWith('audit'))).toEqual([]);
    const forged = acted.audit.map((act) => ({ ...act, actor: 'mallory' }));
    expect(told({ ...acted, audit: forged })).toContain('audit: act 1: its content does not match its integrity');
    expect(told(pruned(keyed(null)))).toEqual([expect.stringMatching(/^start-key: .*it is missing/)]);
  });

  it('V19 what was on its way, or had not ended, is found', () => {
    // V19: "retention never deletes a row reachable from a non-terminal run, an open key window, or an unsent outbox row."
    expect(told(withHead(pruned(), { endedAtMs: null }))).toEqual(['pruned: head: it had not ended']);
    expect(told(withHead(pruned(), { status: 'RUNNING' }))).toEqual(['pruned: head: it had not ended']);
    const open = withEffects(pruned(), () => true, { state: 'AUTHORIZED', settledAtMs: null, receiptNo: null });
    expect(told(open)).toContain(`pruned: effect ${open.effects[0]?.step}: it is open`);
    expect(told(pruned(sleeping()))).toContain('pruned: timer w:wait: it is armed');
    expect(told(pruned(asking())).some((line) => line.startsWith('pruned: approval '))).toBe(true);
    const message = {
      revision: 1,
      ordinal: 0,
      messageId: 'm',
      topic: 'event',
      outward: true,
      key: null,
      step: null,
      frames: [],
      body: '{}',
      atMs: T0,
      attempts: 1,
      dueAtMs: T0,
      lastError: null,
      settledAtMs: null,
    } as const;
    expect(told({ ...pruned(), outbox: [{ ...message, state: 'dead' }] })).toEqual([
      'pruned: message m: it has not arrived',
    ]);
    expect(told({ ...pruned(), outbox: [{ ...message, state: 'delivered' }] })).toEqual([
      'pruned: message m: it is left',
    ]);
  });
});
