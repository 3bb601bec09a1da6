import { describe, expect, it } from 'vitest';
import type { RunRecords } from '../../../src/model/run-records.ts';
import { judgeLocks } from '../../../src/testing/simulator/judge-locks.ts';

/** What the judge reads of a run that wants the lock, as far as it has come. */
function runThat(...events: readonly string[]): RunRecords {
  const leaves = (type: string): readonly string[] => (type === 'reopened' ? ['$ended'] : []);
  const ended = events.includes('ended');
  const records = {
    run: { lock: { name: 'gate', limit: 1 } },
    head: { endedAtMs: ended ? 1 : null, phase: events.includes('undone') ? 'compensating' : 'forward' },
    journal: events.map((type) => ({ event: { type }, delta: { left: leaves(type), entered: [] } })),
  };
  return records as unknown as RunRecords;
}

describe('the judge of locks', () => {
  it('counts the runs that have begun and not ended', () => {
    const found = judgeLocks([runThat('lock.granted'), runThat('lock.granted'), runThat('run.started')]);
    expect(found).toMatchObject([{ rule: 'lock', subject: 'gate', message: '2 runs are inside, and its limit is 1' }]);
    expect(judgeLocks([runThat('lock.granted'), runThat('run.started')])).toEqual([]);
    expect(judgeLocks([runThat('lock.granted'), runThat('lock.granted', 'ended')])).toEqual([]);
  });

  it('does not count a run that is undone, nor one that goes on after its end by order, with the `finally` that follows', () => {
    expect(judgeLocks([runThat('lock.granted'), runThat('lock.granted', 'undone')])).toEqual([]);
    expect(judgeLocks([runThat('lock.granted'), runThat('lock.granted', 'reopened')])).toEqual([]);
  });
});
