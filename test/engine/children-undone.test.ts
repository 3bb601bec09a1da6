import { describe, expect, it } from 'vitest';
import { A, B, child, file, Household, LATE, REST } from './support/household.ts';

const SLOW = file('part', [A, REST, B]);
const PART = file('part', [A]);
const CHILD = child().replace(', with: { item: x }', '');
/** A child and a refused call side by side. */
const pair = (more: string): string =>
  `  - { id: both, parallel: { one: [${CHILD.slice(4)}], two: [{ id: soon, wait: 5s }, ${LATE.slice(4)}] }, ${more} }`;

describe('a child as an act of the plan that undoes its parent', () => {
  it.each(['drain', 'cancel'])(
    'R05 `%s` tells it to end: it starts nothing new, undoes itself, and is never cancelled by its parent alone',
    async (siblings) => {
      // R05: "`siblings: cancel`: rows not in flight become CANCELLED at once, retries and waits stop; a REQUESTED row is never cancelled locally."
      const home = new Household();
      home.refused.add('do.late').add('undo.a');
      const run = await home.begin(SLOW, file('whole', [pair(`siblings: ${siblings}`)]));
      await home.until('part', 'HELD');
      await home.pass(120_000);
      const row = async () => (await home.show(run)).effects.find(({ step }) => step === 'part');
      expect([home.statusOf('whole'), await row()]).toMatchObject(['WAITING', { state: 'UNKNOWN', code: 'recalled' }]);
      home.refused.delete('undo.a');
      await home.say(home.only('part'), (await home.show(home.only('part'))).incidents[0]?.effect ?? '', 'retry');
      await home.until('whole', 'FAILED');
      expect([home.statusOf('part'), await row()]).toMatchObject(['CANCELLED', { state: 'FAILED' }]);
      expect(home.done).toEqual(['do.a', 'undo.a']);
    },
  );

  it('R05 `finish` lets it run to its end, and then it is undone', async () => {
    // R05: "`finish`: branches run to their end first."
    const home = new Household();
    home.refused.add('do.late');
    await home.begin(SLOW, file('whole', [pair('siblings: finish')]));
    await home.until('part', 'COMPLETED');
    expect(home.done).toEqual(['do.a', 'do.b']);
    await home.until('whole', 'COMPENSATED');
    expect(home.statusOf('part')).toBe('COMPENSATED');
    expect(home.done).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
  });

  it('R07 in graph order it waits for the undo of whoever has read its output, and the others do not', async () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const home = new Household();
    home.refused.add('do.late').add('undo.b');
    const reader = "  - { id: b, call: do.b, with: { of: '${ steps.part.output }' } }";
    const other = '  - { id: first, call: do.a }';
    const run = await home.begin(PART, file('whole', [other, CHILD, reader, LATE], ['compensation: { order: graph }']));
    await home.until('whole', 'HELD');
    expect([home.statusOf('part'), home.done]).toEqual(['COMPLETED', ['do.a', 'do.a', 'do.b', 'undo.a']]);
    home.refused.delete('undo.b');
    await home.say(run, (await home.show(run)).incidents[0]?.effect ?? '', 'retry');
    await home.until('whole', 'COMPENSATED');
    expect([home.statusOf('part'), home.done.slice(4)]).toEqual(['COMPENSATED', ['undo.b', 'undo.a']]);
  });

  const race = (more: string): string =>
    `  - { id: race, parallel: { one: [${CHILD.slice(4)}], two: [{ id: soon, wait: 5s }] }, join: any${more} }`;
  const NEXT = '  - { id: next, call: do.b }';

  it('R08 a loser of a race has undone itself before the next step starts', async () => {
    // R08: "`losers: undo`: losers of a race settle and their confirmed effects are compensated before the next step starts."
    const home = new Household();
    await home.begin(SLOW, file('whole', [race(''), NEXT]));
    await home.until('whole', 'COMPLETED');
    expect(home.statusOf('part')).toBe('CANCELLED');
    expect(home.done).toEqual(['do.a', 'undo.a', 'do.b']);
  });

  it('R08 a loser that has completed before the race was over is undone before the next step starts', async () => {
    // R08: "`losers: undo`: losers of a race settle and their confirmed effects are compensated before the next step starts."
    const home = new Household();
    const behind = race('').replace(CHILD.slice(4), `${CHILD.slice(4)}, { id: rest, wait: 9s }`);
    await home.begin(PART, file('whole', [behind, NEXT]));
    await home.until('whole', 'COMPLETED');
    expect(home.statusOf('part')).toBe('COMPENSATED');
    expect(home.done).toEqual(['do.a', 'undo.a', 'do.b']);
  });

  it('R08 under `keep` the next step starts at once, and the run does not end before the child has', async () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const home = new Household();
    home.refused.add('undo.a');
    await home.begin(SLOW, file('whole', [race(', losers: keep'), NEXT]));
    await home.until('part', 'HELD');
    expect(home.done).toEqual(['do.a', 'do.b']);
    await home.pass(60_000);
    expect(home.statusOf('whole')).toBe('WAITING');
    home.refused.delete('undo.a');
    await home.say(home.only('part'), (await home.show(home.only('part'))).incidents[0]?.effect ?? '', 'retry');
    await home.until('whole', 'COMPLETED');
    expect([home.statusOf('part'), home.done]).toEqual(['CANCELLED', ['do.a', 'do.b', 'undo.a']]);
  });

  it('R17 goes on under `continue` where the child may not be undone, and a person is asked for it last', async () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const home = new Household();
    home.refused.add('do.late');
    const pivot = file('part', ['  - { id: a, call: do.a, pivot: true }']);
    const first = '  - { id: first, call: do.b }';
    const run = await home.begin(pivot, file('whole', [first, CHILD, LATE], ['compensation: { onFailure: continue }']));
    await home.until('whole', 'HELD');
    expect([home.statusOf('part'), home.done]).toEqual(['COMPLETED', ['do.b', 'do.a', 'undo.b']]);
    await home.say(run, (await home.show(run)).incidents[0]?.effect ?? '', 'waived');
    await home.until('whole', 'COMPENSATED_WITH_ERRORS');
  });

  it('R23 an undo of it that people must agree to waits PROPOSED; a denial holds the parent', async () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const agreed = "compensate: { child: part@1, approve: { title: 'Undo?', from: ['role:desk'] } }";
    const whole = file('whole', [CHILD.replace(' }', `, ${agreed} }`), LATE]);
    for (const decision of ['approve', 'deny'] as const) {
      const home = new Household();
      home.refused.add('do.late');
      const run = await home.begin(PART, whole);
      await home.until('whole', 'COMPENSATING');
      await home.pass(60_000);
      const undo = (await home.show(run)).effects.find(({ compensates }) => compensates !== null);
      expect([undo?.state, home.all('part').length]).toEqual(['PROPOSED', 1]);
      const vote = { approval: null, decision, subjectHash: null, principal: 'ann', roles: ['desk'], comment: null };
      await home.house.settled(home.verbs.vote(run, vote));
      await home.until('whole', decision === 'approve' ? 'COMPENSATED' : 'HELD');
      expect(home.all('part')).toHaveLength(decision === 'approve' ? 2 : 1);
    }
  });

  it('R23 people who must agree inside the child are waited for by its parent', async () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const home = new Household();
    home.refused.add('do.late');
    const undo = "compensate: { call: undo.a, approve: { title: 'Undo?', from: ['role:desk'] } }";
    await home.begin(file('part', [`  - { id: a, call: do.a, ${undo} }`]), file('whole', [CHILD, LATE]));
    await home.until('part', 'COMPENSATING');
    await home.pass(60_000);
    expect([home.statusOf('whole'), home.done]).toEqual(['COMPENSATING', ['do.a']]);
    const vote = { approval: null, subjectHash: null, principal: 'ann', roles: ['desk'], comment: null };
    await home.house.settled(home.verbs.vote(home.only('part'), { ...vote, decision: 'approve' }));
    await home.until('whole', 'COMPENSATED');
    expect(home.done).toEqual(['do.a', 'undo.a']);
  });
});
