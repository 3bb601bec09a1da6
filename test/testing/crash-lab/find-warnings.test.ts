import { describe, expect, it } from 'vitest';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { distinct, findWarnings } from '../../../src/testing/crash-lab/find-warnings.ts';
import { findLateEvents } from '../../../src/testing/crash-lab/late-events.ts';
import { Tally } from '../../../src/testing/crash-lab/lab-report.ts';
import { findSameRequests } from '../../../src/testing/crash-lab/same-requests.ts';
import { opened } from './lab-support.ts';
import { PLANS } from './unsafe-plans.ts';

/** What stands although nobody undoes it is warned of by its own tests. */
const BY_NONE = 'by `compensate: none`';

async function warned(text: string): Promise<readonly string[]> {
  const lab = await opened(text);
  const { told, delays, problems } = await findStories(lab);
  expect(problems).toEqual([]);
  const tally = new Tally([]);
  const all = [
    ...findWarnings(lab, [...told, ...delays]),
    ...(await findLateEvents(lab, told, tally)),
    ...(await findSameRequests(lab, told, tally)),
  ];
  return distinct(all)
    .filter(({ message }) => !message.includes(BY_NONE))
    .map(({ effect, message }) => `${effect}: ${message}`);
}

describe('what the author may not have meant is said, and not of what is meant', () => {
  it.each(Object.entries(PLANS))(
    '%s',
    async (_name, { unsafe, says, safe }) => {
      expect([...(await warned(unsafe))].sort()).toEqual(says);
      for (const twin of safe) expect(await warned(twin)).toEqual([]);
    },
    60_000,
  );
});
