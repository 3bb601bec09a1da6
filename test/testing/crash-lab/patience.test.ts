import { describe, expect, it } from 'vitest';
import { judgePlay } from '../../../src/testing/crash-lab/judge-play.ts';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { listCases } from '../../../src/testing/crash-lab/list-cases.ts';
import { play } from '../../../src/testing/crash-lab/play.ts';
import { opened } from './lab-support.ts';
import { WORKFLOWS } from './unsafe-workflows.ts';

/** A payment whose provider is away for ever, its worker dead once its intent was stored. */
async function away(text: string, word: string) {
  const lab = await opened(text, `provider: { bank.pay: ${word} }`);
  const [told] = (await findStories(lab)).told;
  const [one] = told === undefined ? [] : listCases(lab, [told]);
  const trouble = one?.troubles.find(({ boundary }) => boundary === 'intent');
  if (told === undefined || one === undefined || trouble === undefined) throw new Error('nothing was told');
  const played = await play({ lab, story: told.story, trouble, withNeighbour: false });
  return { played, faults: judgePlay(played, told.calm) };
}

describe('a provider that stays away for ever', () => {
  const retried = WORKFLOWS.keyed.replace('compensate', 'retry: { attempts: 3, delay: 1s }\n    compensate');

  it.each(['503', '"503"', '[503]', 'lost-not-done'])('%s is played until a person is asked', async (word) => {
    const { played, faults } = await away(retried, word);
    expect(faults).toEqual([]);
    expect([played.status, played.isUnderWay, played.incidents.map(({ kind }) => kind)]).toEqual([
      'HELD',
      false,
      ['unknown'],
    ]);
  });

  it('is played until the deadline of the run where it is tried again for ever', async () => {
    const forever = WORKFLOWS.blind.replace('compensate', 'retry: { attempts: forever, delay: 1m }\n    compensate');
    const { told } = await findStories(await opened(forever, 'provider: { bank.pay: refused }'));
    expect(told.map(({ calm }) => [calm.status, calm.failure, calm.isUnderWay])).toEqual([
      ['FAILED', 'timeout', false],
    ]);
  });
});
