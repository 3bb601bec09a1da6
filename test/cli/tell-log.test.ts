import { describe, expect, it } from 'vitest';
import { createTeller } from '../../src/cli/tell-log.ts';

/** What is said of one entry. */
function told(
  level: 'info' | 'warn' | 'error',
  facts: Parameters<ReturnType<typeof createTeller>['error']>[0],
  event: string,
) {
  const said: string[] = [];
  createTeller((line) => said.push(line))[level](facts, event as 'run.broken');
  return said;
}

describe('what a command tells of faults', () => {
  it('is one line in words, with who is meant', () => {
    expect(told('error', { runId: 'r-1', code: 'PAWL_INVARIANT' }, 'run.broken')).toEqual([
      '! a run could not be decided and is parked: pawl ls --needs human (runId r-1, code PAWL_INVARIANT)',
    ]);
    expect(told('error', { part: 2 }, 'seat.lost')[0]).toMatch(/^! this process was silent .* \(part 2\)$/);
  });

  it('is the event itself where there are no words for it, without facts where none is known', () => {
    expect(told('error', {}, 'seat.unheard-of')).toEqual(['! seat.unheard-of']);
  });

  it('has no text from outside in it, only identities, and none that acts on the terminal', () => {
    const said = told('error', { message: 'secret', runId: 'r\u001b[2J', step: null }, 'action.fault');
    expect(said).toEqual(['! an action could not be carried out for a fault of its adapter (runId r�[2J)']);
  });

  it('is nothing for what is no fault', () => {
    expect([...told('info', {}, 'run.broken'), ...told('warn', {}, 'run.broken')]).toEqual([]);
  });
});
