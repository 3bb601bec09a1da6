import { describe, expect, it } from 'vitest';
import { DefinitionError, StoreError } from '../../src/model/errors.ts';
import { parseRunId } from '../../src/model/run-id.ts';
import type { RunId } from '../../src/model/ids.ts';
import { A, B, child, file, Household, ITEM, LATE, PART, REST, SLOW, WHOLE } from './support/household.ts';
import { openSmallHouse } from './support/small-house.ts';

const ORDER = { by: 'ops', reason: 'not wanted' };

describe('a child', () => {
  it("V08 its run id is chosen in the parent's commit and carried by the outbox, and its output is the step's", async () => {
    // V08: "A child's run id is a fresh UUIDv7 chosen in the parent's commit and carried by the outbox"
    const home = new Household();
    const run = await home.begin(PART, WHOLE);
    await home.until('whole', 'COMPLETED');
    const view = await home.show(run);
    const start = view.messages.find(({ topic }) => topic === 'child.start');
    const part = home.only('part');
    expect(start).toMatchObject({ step: 'part', state: 'delivered', key: part });
    expect(part).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(parseRunId(view.children?.[0]?.id ?? '')).toBe(part);
    expect(view.children).toMatchObject([{ step: 'part', workflow: 'part', version: 1, status: 'COMPLETED' }]);
    expect(view.steps.find(({ id }) => id === 'part')?.output).toEqual({ got: 'x' });
    expect(home.done).toEqual(['do.a', 'do.late']);
    const own = await home.show(part);
    expect(own).toMatchObject({ key: `${run}/part`, startedBy: 'starter' });
    expect(own.parent).toEqual({ id: view.id, step: 'part', detached: false });
  });

  it('V08 a message that comes twice starts one child, and the parent learns its end exactly once', async () => {
    // V08: "idempotency is the child's start key (parent run, step address). The parent learns its end exactly once."
    const home = new Household((store) => ({
      ...store,
      // Whoever has brought a message dies before that is written down.
      settleOutbox: async (address, attempt, result) => {
        if (attempt > 1) await store.settleOutbox(address, attempt, result);
      },
    }));
    const run = await home.begin(PART, WHOLE);
    await home.until('whole', 'COMPLETED');
    await home.pass(120_000);
    const view = await home.show(run);
    expect(view.messages.map(({ topic, state, attempts }) => [topic, state, attempts])).toEqual([
      ['child.start', 'delivered', 2],
    ]);
    expect(home.all('part')).toHaveLength(1);
    const journal = await home.house.store.journal(0, run as RunId);
    expect(journal.filter(({ event }) => event.type === 'effect' && event.step === 'part')).toHaveLength(1);
    const inbox = await home.house.store.inbox(0, run as RunId);
    expect(inbox.filter(({ payload }) => payload?.type === 'child.ended')).toHaveLength(1);
    expect(home.done).toEqual(['do.a', 'do.late']);
  });

  it('V08 an end that is told again, under whatever name, moves nothing', async () => {
    // V08: "The parent learns its end exactly once."
    const home = new Household();
    const run = (await home.begin(PART, WHOLE)) as RunId;
    await home.until('whole', 'COMPLETED');
    const { store } = home.house;
    const [told] = (await store.inbox(0, run)).filter(({ payload }) => payload?.type === 'child.ended');
    if (told === undefined || told.payload === null) throw new Error('nothing was told');
    const delivery = { part: 0, runId: run, source: told.source, payload: told.payload, payloadHash: told.payloadHash };
    await store.deliver(0, [{ ...delivery, eventId: 'again' }]);
    await home.house.until(() => home.all('whole')[0]?.inbox.size === 2);
    await home.pass(10_000);
    expect((await store.inbox(0, run)).map(({ outcome }) => outcome).sort()).toEqual(['already-decided', 'applied']);
    expect(home.statusOf('whole')).toBe('COMPLETED');
  });

  it('V08 items of a map have children of their own, and a person who tries again gets another one', async () => {
    // V08: "idempotency is the child's start key (parent run, step address)"
    const home = new Household();
    const each = `  - { id: each, map: '["x", "${'y'.repeat(300)}"]', key: item, steps: [{ id: part, child: part@1, with: { item: =item } }] }`;
    const run = await home.begin(PART, file('whole', [each]));
    await home.until('whole', 'COMPLETED');
    expect(home.all('part').map((one) => one.run.key)).toEqual([
      `${run}/part/[["v",0],["m","x"]]`,
      expect.stringMatching(new RegExp(`^${run}/part/[0-9a-f]{64}$`)),
    ]);
    const again = new Household();
    again.refused.add('do.a');
    const held = await again.begin(PART, WHOLE.replace('timeout: 9d', 'timeout: 9d\nonFailure: hold'));
    await again.until('whole', 'HELD');
    again.refused.clear();
    await again.house.settled(again.verbs.retry(held, 'part', ORDER));
    await again.until('whole', 'COMPLETED');
    expect(again.all('part').map((one) => one.run.key)).toEqual([`${held}/part`, `${held}/part~1`]);
  });

  it('R10 one that completed is undone on its own version when its parent is, which waits for it', async () => {
    // R10: "goes COMPLETED -> COMPENSATING on its own version; the parent waits"
    const home = new Household();
    home.refused.add('do.late');
    const run = await home.begin(
      file('part', [A, B]),
      file('whole', ['  - { id: first, call: do.a }', child().replace(', with: { item: x }', ''), LATE]),
    );
    await home.until('part', 'COMPLETED');
    await home.publish(file('part', ['  - { id: other, call: do.late }']).replace('version: 1', 'version: 2'));
    await home.until('part', 'COMPENSATED');
    expect(home.statusOf('whole')).toBe('COMPENSATING');
    await home.until('whole', 'COMPENSATED');
    expect(home.done).toEqual(['do.a', 'do.a', 'do.b', 'undo.b', 'undo.a', 'undo.a']);
    const part = await home.show(home.only('part'));
    expect([part.version, part.status]).toEqual([1, 'COMPENSATED']);
    const view = await home.show(run);
    expect(view.failure).toMatchObject({ undone: ['first', 'part'], standing: [] });
  });

  it("R10 the child's confirmed pivot holds the parent, until a person lets it stand", async () => {
    // R10: "the child's confirmed pivot holds the parent"
    const home = new Household();
    home.refused.add('do.late');
    const run = await home.begin(
      file('part', [A, '  - { id: b, call: do.b, pivot: true }']),
      WHOLE.replace(', with: { item: x }', ''),
    );
    await home.until('whole', 'HELD');
    const [incident] = (await home.show(run)).incidents;
    expect(incident).toMatchObject({
      kind: 'compensation',
      step: 'part',
      acts: ['retry', 'undone', 'waived', 'terminate'],
    });
    expect(incident?.message).toContain('pivot');
    expect(home.statusOf('part')).toBe('COMPLETED');
    await home.say(run, incident?.effect ?? '', 'waived');
    await home.until('whole', 'COMPENSATED_WITH_ERRORS');
    expect(home.done).toEqual(['do.a', 'do.b']);
  });

  it('R10 a child that has nothing to undo says so, and one whose undo a person let stand holds the parent', async () => {
    // R10: "the parent waits"
    const none = new Household();
    none.refused.add('do.late');
    await none.begin(file('part', ['  - { id: rest, wait: 1s }']), WHOLE.replace(', with: { item: x }', ''));
    await none.until('whole', 'COMPENSATED');
    expect(none.statusOf('part')).toBe('COMPLETED');
    const some = new Household();
    some.refused.add('do.late').add('undo.a');
    const run = await some.begin(PART, WHOLE);
    await some.until('part', 'HELD');
    expect(some.statusOf('whole')).toBe('COMPENSATING');
    const why = await some.house.settled(some.verbs.why(run));
    expect(why.reasons[0]).toMatchObject({ kind: 'child', text: 'waits for the child of part, which is HELD' });
    const [incident] = (await some.show(some.only('part'))).incidents;
    await some.say(some.only('part'), incident?.effect ?? '', 'waived');
    await some.until('whole', 'HELD');
    expect((await some.show(run)).incidents[0]?.message).toContain('child-stands');
  });

  it('R10 one that a person is undoing already is waited for, and one that is undone says so', async () => {
    // R10: "goes COMPLETED -> COMPENSATING on its own version; the parent waits"
    const ends = { COMPENSATED: 'COMPENSATED', COMPENSATED_WITH_ERRORS: 'HELD' } as const;
    for (const [end, whole] of Object.entries(ends)) {
      const home = new Household();
      home.refused.add('do.late');
      if (whole === 'HELD') home.refused.add('undo.a');
      await home.begin(PART, file('whole', [child(), REST, LATE]));
      await home.until('part', 'COMPLETED');
      const part = home.only('part');
      const { planHash } = await home.house.settled(home.verbs.previewCompensation(part));
      await home.house.settled(home.verbs.compensate(part, ORDER, planHash));
      await home.until('part', whole);
      if (whole === 'HELD') {
        await home.until('whole', 'COMPENSATING');
        await home.pass(5_000);
        const [incident] = (await home.show(part)).incidents;
        await home.say(part, incident?.effect ?? '', 'waived');
      }
      await home.until('whole', whole);
      expect(home.statusOf('part')).toBe(end);
    }
  });

  it('R10 an undo of the child that cannot be computed holds the parent', async () => {
    // R10: "the parent waits"
    const home = new Household();
    home.refused.add('do.late');
    const broken = PART.replace(
      'call: do.a }',
      "call: do.a, compensate: { call: undo.a, with: { id: '${ effect.output.none.id }' } } }",
    );
    const run = await home.begin(broken, WHOLE);
    await home.until('whole', 'HELD');
    expect((await home.show(run)).incidents[0]?.message).toContain('(plan)');
  });

  it('A run undoes what a call did: done when it is COMPLETED, and what it is given is what was recorded', async () => {
    // 2-language: "Compensation on the step: `none`, or `{call | child, with, …}`"
    const home = new Household();
    home.refused.add('do.late');
    const undo = "compensate: { child: part@1, with: { item: '${ effect.output.id }' } }";
    const run = await home.begin(PART, file('whole', [`  - { id: a, call: do.b, ${undo} }`, LATE]));
    await home.until('whole', 'COMPENSATED');
    expect(home.done).toEqual(['do.b', 'do.a']);
    const part = await home.show(home.only('part'));
    expect([part.status, part.input, part.parent?.step]).toEqual(['COMPLETED', { item: 'do.b' }, 'a']);
    expect(home.all('part')[0]?.run.key).toBe(`${run}/a/undo`);
    const view = await home.show(run);
    expect(view.failure).toMatchObject({ undone: ['a'], standing: [] });
    expect(view.children).toMatchObject([{ step: 'a', workflow: 'part', status: 'COMPLETED' }]);
  });

  it('R16 an undo by a run that fails is refused, and a person who tries again gets another run', async () => {
    // R16: "a person retries (next generation)"
    const home = new Household();
    home.refused.add('do.late');
    const whole = file('whole', [child(', compensate: { child: part@1, with: { item: y } }'), REST, LATE]);
    const run = await home.begin(PART, whole);
    await home.until('part', 'COMPLETED');
    home.refused.add('do.a');
    await home.until('whole', 'HELD');
    const [incident] = (await home.show(run)).incidents;
    expect(incident).toMatchObject({
      kind: 'compensation',
      step: 'part',
      acts: ['retry', 'undone', 'waived', 'terminate'],
    });
    home.refused.delete('do.a');
    await home.say(run, incident?.effect ?? '', 'retry');
    await home.until('whole', 'COMPENSATED');
    expect(home.all('part').map((one) => [one.run.key, one.head.status])).toEqual([
      [`${run}/part`, 'COMPLETED'],
      [`${run}/part/undo`, 'FAILED'],
      [`${run}/part/undo~1`, 'COMPLETED'],
    ]);
  });

  it('R11 one that failed has undone itself, and the parent adds nothing', async () => {
    // R11: "A child that failed has compensated itself; the parent adds nothing."
    const home = new Household();
    home.refused.add('do.b');
    const run = await home.begin(file('part', [A, B]), WHOLE.replace(', with: { item: x }', ''));
    await home.until('whole', 'FAILED');
    expect(home.statusOf('part')).toBe('COMPENSATED');
    expect(home.done).toEqual(['do.a', 'undo.a']);
    const view = await home.show(run);
    expect(view.failure).toMatchObject({ code: 'http-400', step: 'part' });
    expect(view.effects.map(({ state, compensates }) => [state, compensates])).toEqual([['FAILED', null]]);
  });

  it('A failed child raises its code with class child, which a catch takes', async () => {
    const home = new Household();
    home.refused.add('do.b');
    const caught = child(', catch: [{ on: [child], do: [{ id: after, call: do.a }] }]').replace(
      ', with: { item: x }',
      '',
    );
    await home.begin(
      file('part', [A, '  - { id: no, fail: { code: sold-out } }']),
      file('whole', [caught, '  - { id: e, end: { as: x, output: { code: =steps.part.code } } }']),
    );
    await home.until('whole', 'COMPLETED');
    expect(home.done).toEqual(['do.a', 'undo.a', 'do.a']);
    expect((await home.show(home.only('whole'))).output).toEqual({ code: 'sold-out' });
  });

  it.each(['terminated', 'let stand'])(
    'What a child leaves that was %s stands by its parent, which is not undone whole',
    async (how) => {
      const home = new Household();
      const first = '  - { id: first, call: do.b }';
      home.refused.add('undo.a');
      if (how === 'let stand') home.refused.add('do.late');
      const run = await home.begin(
        file('part', [A, ...(how === 'let stand' ? [LATE] : [REST])], ITEM),
        file('whole', [first, child()]),
      );
      await home.until('part', how === 'let stand' ? 'HELD' : 'WAITING');
      const part = home.only('part');
      if (how === 'terminated') await home.house.settled(home.verbs.terminate(part, ORDER));
      else await home.say(part, (await home.show(part)).incidents[0]?.effect ?? '', 'waived');
      await home.until('whole', 'COMPENSATED_WITH_ERRORS');
      expect((await home.show(run)).failure).toMatchObject({ step: 'part', undone: ['first'], standing: ['part'] });
      expect(home.done).toEqual(['do.b', 'do.a', 'undo.b']);
    },
  );

  it('A child that a person terminates has failed for its parent', async () => {
    const home = new Household();
    const run = await home.begin(SLOW, WHOLE);
    await home.until('part', 'WAITING');
    await home.house.settled(home.verbs.terminate(home.only('part'), ORDER));
    await home.until('whole', 'COMPENSATED_WITH_ERRORS');
    expect((await home.show(run)).failure).toMatchObject({ code: 'terminated', step: 'part', standing: ['part'] });
  });

  it('A child that is undone and terminated meanwhile holds its parent', async () => {
    const home = new Household();
    home.refused.add('do.late').add('undo.a');
    const run = await home.begin(PART, WHOLE);
    await home.until('part', 'HELD');
    await home.house.settled(home.verbs.terminate(home.only('part'), ORDER));
    await home.until('whole', 'HELD');
    expect((await home.show(run)).incidents[0]?.message).toContain('child-terminated');
  });

  it('A start that the database does not take is tried again', async () => {
    let refusals = 4;
    const home = new Household((store) => ({
      ...store,
      start: async (part, starts) => {
        if (starts[0]?.run.workflow === 'part' && refusals > 0) {
          refusals -= 1;
          throw new StoreError('PAWL_STORE_UNAVAILABLE', 'gone', {});
        }
        return store.start(part, starts);
      },
    }));
    await home.begin(PART, WHOLE);
    await home.until('whole', 'COMPLETED');
    expect(home.process.logged.filter(({ event }) => event === 'message.failed')).toHaveLength(1);
    expect(home.all('part')).toHaveLength(1);
  });

  it('A clause that undoes its group undoes the children in it, and the run goes on', async () => {
    const home = new Household();
    home.refused.add('do.late');
    const group = `  - { id: group, scope: [${child().slice(4)}, ${LATE.slice(4)}], catch: [{ on: [any], undo: true, do: [${B.slice(4)}] }] }`;
    await home.begin(PART, file('whole', [group]));
    await home.until('whole', 'COMPLETED');
    expect(home.statusOf('part')).toBe('COMPENSATED');
    expect(home.done).toEqual(['do.a', 'undo.a', 'do.b']);
  });

  it('A cancel of the parent goes down, and the parent waits until the child has undone itself', async () => {
    const home = new Household();
    const run = await home.begin(SLOW, WHOLE);
    await home.until('part', 'WAITING');
    const waits = (await home.show(run)).waitingFor;
    expect(waits).toMatchObject([{ kind: 'child', step: 'part', progress: 'WAITING' }]);
    await home.house.settled(home.verbs.cancel(run, ORDER));
    expect(home.statusOf('whole')).toBe('COMPENSATING');
    await home.until('whole', 'CANCELLED');
    expect(home.statusOf('part')).toBe('CANCELLED');
    expect(home.done).toEqual(['do.a', 'undo.a']);
  });

  it('A child that completes although it was told to end is undone with its parent', async () => {
    const home = new Household();
    const pivot = file('part', ['  - { id: a, call: do.a, pivot: true }', REST], ITEM);
    const run = await home.begin(pivot, WHOLE);
    await home.until('part', 'WAITING');
    await home.house.settled(home.verbs.cancel(run, ORDER));
    await home.until('part', 'COMPLETED');
    await home.until('whole', 'HELD');
    expect((await home.show(run)).incidents[0]).toMatchObject({ kind: 'compensation', step: 'part' });
  });

  it('A terminate of the parent says which children go on by themselves, and still learns their end', async () => {
    const home = new Household();
    const run = await home.begin(SLOW, WHOLE);
    await home.until('part', 'WAITING');
    const told = await home.house.settled(home.verbs.terminate(run, ORDER));
    expect(told.detail).toMatchObject({ children: [{ step: 'part', runId: home.only('part') }] });
    await home.until('part', 'COMPLETED');
    await home.house.until(() => home.all('whole')[0]?.effects.values().next().value?.state === 'CONFIRMED');
    expect(home.statusOf('whole')).toBe('TERMINATED');
  });

  it('One that is detached is started, not waited for and not undone', async () => {
    const home = new Household();
    home.refused.add('do.late');
    const run = await home.begin(SLOW, file('whole', [child(', detach: true'), LATE]));
    await home.until('whole', 'FAILED');
    const view = await home.show(run);
    expect(view.steps[0]?.output).toEqual({ runId: home.only('part') });
    await home.until('part', 'COMPLETED');
    expect(home.done).toEqual(['do.a', 'do.b']);
    expect((await home.show(home.only('part'))).parent).toMatchObject({ detached: true });
  });

  it('A child that takes too long is told to end, and its step fails with timeout', async () => {
    const home = new Household();
    const run = await home.begin(SLOW, file('whole', [child(', timeout: 10s'), LATE]));
    await home.until('whole', 'FAILED');
    expect(home.statusOf('part')).toBe('CANCELLED');
    expect((await home.show(run)).failure).toMatchObject({ code: 'timeout', step: 'part' });
    expect(home.done).toEqual(['do.a', 'undo.a']);
  });

  it('A child that was not started in its time is not started any more', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false });
    await house.settled(verbs.publish({ text: SLOW, file: 'test.pawl.yaml', by: 'author' }));
    const run = await house.begin(verbs, file('whole', [child(', timeout: 10s'), LATE]));
    await house.world.run(() => false, house.world.nowMs() + 20_000);
    house.process({ works: true });
    const heads = () => [...house.store.peek().runs.values()];
    await house.until(() => heads().every(({ head }) => head.endedAtMs !== null));
    expect(heads().map(({ run: { workflow } }) => workflow)).toEqual(['whole']);
    expect((await house.settled(verbs.show(run))).failure).toMatchObject({ code: 'timeout', step: 'part' });
  });

  it('What becomes of a running child is not for a person to say: it tells its end', async () => {
    const home = new Household();
    const run = await home.begin(SLOW, WHOLE);
    await home.until('part', 'WAITING');
    await home.pass(1_000);
    const word = {
      effect: 'part',
      as: 'absent',
      evidence: 'no',
      output: undefined,
      by: 'ops',
      roles: ['operator'],
    } as const;
    const told = await home.house.settled(home.verbs.resolve(run, word));
    expect(told).toMatchObject({
      code: 'not-offered',
      detail: { message: expect.stringContaining('tells its end itself') },
    });
    await home.until('whole', 'COMPLETED');
  });

  it('A detached child asks for a lock of its own: that of its parent ends with it', async () => {
    const home = new Household();
    const lock = ['lock: house'];
    await home.begin(file('part', [A], [...ITEM, ...lock]), file('whole', [child(', detach: true'), REST], lock));
    await home.until('part', 'QUEUED');
    await home.until('part', 'COMPLETED');
    expect(home.statusOf('whole')).toBe('COMPLETED');
  });

  it('A child takes no place of its own for a lock that its parent holds', async () => {
    const home = new Household();
    const lock = ['lock: house'];
    const run = await home.begin(file('part', [A], [...ITEM, ...lock]), file('whole', [child()], lock));
    await home.until('whole', 'COMPLETED');
    expect((await home.show(home.only('part'))).lock).toBeNull();
    expect((await home.show(run)).lock).toMatchObject({ name: 'house' });
    await home.house.settled(home.verbs.start({ workflow: 'part', version: 1, input: { item: 'y' }, by: 'ana' }));
    await home.house.until(() => home.all('part').every(({ head }) => head.status === 'COMPLETED'));
    expect(home.all('part').filter(({ run: { lock: own } }) => own !== undefined)).toHaveLength(1);
    const other = new Household();
    await other.begin(file('part', [A], [...ITEM, 'lock: shed']), file('whole', [child()], lock));
    await other.until('whole', 'COMPLETED');
    expect((await other.show(other.only('part'))).lock).toMatchObject({ name: 'shed' });
  });

  it('The key that a step names is the run key of the child; where it is taken, the child is refused', async () => {
    const home = new Household();
    const keyed = file('whole', [child(`, key: '"k-1"'`)]);
    await home.begin(PART, keyed);
    await home.until('whole', 'COMPLETED');
    expect(home.all('part')[0]?.run.key).toBe('k-1');
    const { run } = await home.house.settled(home.verbs.start({ workflow: 'whole', version: 1, input: {}, by: 'ana' }));
    await home.house.until(() => home.all('whole').every(({ head }) => head.endedAtMs !== null));
    expect((await home.show(run.runId)).failure).toMatchObject({ code: 'run-key-conflict', step: 'part' });
    expect(home.all('part')).toHaveLength(1);
  });

  it('A child has the trace of its parent, and none where that has none', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const home = new Household();
    await home.publish(PART);
    await home.publish(WHOLE);
    const start = { workflow: 'whole', version: 1, input: {}, by: 'ana' };
    await home.house.settled(home.verbs.start({ ...start, traceparent }));
    await home.house.settled(home.verbs.start(start));
    await home.house.until(() => home.all('part').length === 2);
    const parents = new Map(home.all('whole').map(({ run }) => [run.runId, run.traceparent]));
    // The key of a child that names none begins with the id of its parent's run.
    const told = home.all('part').map(({ run }) => [run.traceparent, parents.get(run.key.split('/')[0] as RunId)]);
    expect(told).toHaveLength(2);
    const traces = [traceparent, undefined];
    expect(told).toEqual(expect.arrayContaining(traces.map((trace) => [trace, trace])));
  });

  it('S14 a child is of the tenant of its parent, and no file can name another', async () => {
    // "parent starts a child in another tenant [compile error or 403]"
    const home = new Household();
    await home.begin(PART, WHOLE);
    await home.until('whole', 'COMPLETED');
    expect(home.all('part').map(({ run }) => run.tenant)).toEqual(home.all('whole').map(({ run }) => run.tenant));
    for (const whole of [file('whole', [child(', tenant: other')]), file('whole', [child()], ['tenant: other'])])
      await expect(home.publish(whole)).rejects.toMatchObject({ problems: [{ code: 'PAWL-101' }] });
    for (const name of ['other/part@1', 'other:part@1'])
      await expect(home.publish(WHOLE.replace('part@1', name))).rejects.toBeInstanceOf(DefinitionError);
  });

  it('A detached child whose start is refused is a dead letter', async () => {
    const home = new Household();
    const keyed = file('whole', [child(`, detach: true, key: '"k-1"'`)]);
    await home.begin(PART, keyed);
    const { run } = await home.house.settled(home.verbs.start({ workflow: 'whole', version: 1, input: {}, by: 'ana' }));
    await home.house.until(() => home.all('whole').length === 2 && home.all('part').length === 1);
    await home.pass(60_000);
    const states = [...home.all('whole')].map(({ run: { runId } }) => runId);
    const messages = await Promise.all(states.map((id) => home.house.store.outbox(0, id)));
    expect(
      messages
        .flat()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['dead', 'delivered']);
    const dead = (await home.show(run.runId)).messages[0];
    expect(dead?.lastError).toContain('PAWL_RUN_KEY_CONFLICT');
    await home.house.settled(home.verbs.actOnMessage(run.runId, dead?.id ?? '', { act: 'drop', ...ORDER }));
    expect((await home.show(run.runId)).messages[0]?.state).toBe('dropped');
  });
});

describe('publishing a parent', () => {
  const refusal = async (part: string | null, parent: string) => {
    const home = new Household();
    if (part !== null) await home.publish(part);
    const error = await home.publish(parent).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) return [];
    if (!(error instanceof DefinitionError)) throw new Error(String(error));
    return error.problems.map(({ code, pointer }) => [code, pointer]);
  };

  it('A child is published before its parent', async () => {
    expect(await refusal(null, WHOLE)).toEqual([['PAWL-241', '/steps/0/child']]);
    expect(await refusal(PART, WHOLE)).toEqual([]);
  });

  it('What it is given fits what it takes', async () => {
    const wants = file(
      'part',
      [A],
      ['input: { type: object, required: [item], properties: { item: { type: integer } } }'],
    );
    expect(await refusal(wants, WHOLE)).toEqual([['PAWL-412', '/steps/0/with/item']]);
    expect(await refusal(wants, WHOLE.replace('item: x', 'item: 1'))).toEqual([]);
    expect(await refusal(wants, WHOLE.replace('item: x', 'other: 1'))).toEqual([
      ['PAWL-411', '/steps/0/with'],
      ['PAWL-411', '/steps/0/with/other'],
    ]);
  });
});
