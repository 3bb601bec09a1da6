import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createCliContext } from '../../src/cli/cli-context.ts';
import { type Delivered, tellDelivered } from '../../src/cli/tell-delivered.ts';

/** What is said of an order that is stored and not decided yet. */
function said(detail: Delivered['detail']): string {
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
  const options = { data: undefined, config: undefined, by: undefined, output: 'table', color: false };
  const context = createCliContext({ ...host, readInput: () => Promise.resolve('') }, options);
  const delivered = { source: 's', eventId: 'e', outcome: 'pending', code: null, detail, again: false } as const;
  tellDelivered(context, { done: 'terminated' }, delivered);
  expect(context.exit).toBe(0);
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
