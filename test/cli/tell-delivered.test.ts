import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createCliContext } from '../../src/cli/cli-context.ts';
import { type Delivered, tellDelivered } from '../../src/cli/tell-delivered.ts';

/** What is said of an act and its answer, and how it exits. */
function told(
  asked: string,
  delivered: Pick<Delivered, 'outcome' | 'detail'> & Partial<Delivered>,
): { text: string; exit: number } {
  let text = '';
  const nothing = { write: () => undefined };
  const stderr = { write: (more: string) => (text += more) };
  const host = {
    env: {},
    folder: tmpdir(),
    stdout: nothing,
    stderr,
    terminal: null,
    stopped: new AbortController().signal,
  };
  const unsaid = { server: undefined, keyFile: undefined, data: undefined, config: undefined, by: undefined };
  const options = { ...unsaid, verb: 'approve', output: 'table', color: false };
  const context = createCliContext({ ...host, readInput: () => Promise.resolve('') }, options);
  tellDelivered(context, { done: asked }, { source: 's', eventId: 'e', code: null, again: false, ...delivered });
  return { text, exit: context.exit };
}

/** What is said of an order that is stored and not decided yet. */
function said(detail: Delivered['detail']): string {
  const { text, exit } = told('terminated', { outcome: 'pending', detail });
  expect(exit).toBe(0);
  return text;
}

describe('an order that is stored and not decided yet', () => {
  it('is not told as done, and names who holds the run and until when', () => {
    expect(said({ holder: 'w-1', until: '2026-01-03T00:00:00.000Z' })).toBe(
      '… not yet terminated: it is stored, w-1, whose lease ends 2026-01-03 00:00:00 UTC unless it renews it, holds the run and decides it between two steps (pawl why RUN)\n',
    );
    expect(said({ holder: 'w-1', until: null })).toContain('it is stored, w-1 holds the run and decides it');
    expect(said(null)).toContain('it is stored, whoever holds the run decides it');
  });
});

describe('an event for a run that has ended', () => {
  it('is told how the run ended, by which failure, and when (bug 103)', () => {
    const endedAtMs = Date.UTC(2026, 0, 3);
    const expired = { status: 'FAILED', endedAtMs, code: 'timeout' };
    expect(told('delivered', { outcome: 'ended', detail: expired }).text).toBe(
      '✘ not delivered (ended): the run has ended; FAILED (timeout), 2026-01-03 00:00:00 UTC\n',
    );
    expect(told('delivered', { outcome: 'ended', detail: { ...expired, code: null } }).text).toContain(
      '; FAILED, 2026',
    );
    expect(told('delivered', { outcome: 'ended', detail: null }).text).toBe(
      '✘ not delivered (ended): the run has ended\n',
    );
  });
});

describe('a vote after the expiry', () => {
  it('is told that it came too late, and what became of the question (bug 47)', () => {
    const decidedAtMs = Date.UTC(2026, 0, 3);
    const late = { outcome: 'already-decided', code: 'expired' } as const;
    expect(told('approved', { ...late, detail: { decision: 'held', decidedAtMs, votes: [] } })).toEqual({
      text: '✘ not approved (already-decided): it came after the expiry; nobody decided in time, the run is held, 2026-01-03 00:00:00 UTC\n',
      exit: 5,
    });
    expect(told('approved', { ...late, detail: { decision: 'expired', decidedAtMs, votes: [] } }).text).toContain(
      ': it came after the expiry; nobody decided in time, it expired, 2026',
    );
  });
});
