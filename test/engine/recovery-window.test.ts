import { describe, expect, it } from 'vitest';
import { openSmallHouse } from './support/small-house.ts';
import { httpAction } from './support/workflows.ts';

function workflow(name: string, lines: readonly string[]): string {
  return ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 1h', ...lines, ''].join('\n');
}

const KEYED = httpAction('http://shop.test', 'charge', ['compensate: none']);
const KEYLESS = KEYED.replace(/idempotency: .*/, 'idempotency: none');
const paying = (name: string, action: string): string =>
  workflow(name, ['actions:', action, 'steps:', '  - { id: charge, call: shop.charge, with: { n: 5 } }']);
const ASKING = workflow('asking', ['steps:', "  - { id: sign, approve: 'Go on?', from: ['role:boss'], expires: 30m }"]);

describe('the window of a database that may have forgotten commits', () => {
  it('P14 lists what may have happened in it: what is in doubt first, then what is held back, then runs that may have gone on', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { store, world, process, begin, settled, until } = openSmallHouse();
    const watcher = process({ works: false });
    const before = process({ works: true });
    await begin(before.verbs, paying('done', KEYLESS));
    await begin(before.verbs, ASKING);
    await until(() => [...store.peek().runs.values()].filter(({ head }) => head.status === 'COMPLETED').length === 1);
    before.kill();
    const waits = await begin(watcher.verbs, paying('waits', KEYLESS));
    expect(await settled(watcher.verbs.recoveryWindow())).toBeNull();
    const seenMs = world.nowMs();
    await world.run(() => false, seenMs + 5_000);
    store.become({ systemIdentifier: 'another', timeline: 2 });
    const sent: string[] = [];
    const after = process({
      works: true,
      outside: {
        send: ({ run }) => {
          sent.push(run.workflow);
          return { kind: 'declared', outcome: 'confirmed', code: null, afterMs: null, data: { id: 'x' } };
        },
      },
    });
    await until(() => after.logged.some(({ event }) => event === 'recovery.opened'));
    await world.run(() => false, world.nowMs() + 10);
    await begin(after.verbs, paying('keyed', KEYED));
    await begin(after.verbs, paying('late', KEYLESS));
    const held = (): number =>
      [...store.peek().runs.values()]
        .flatMap(({ effects }) => [...effects.values()])
        .filter(({ code }) => code === 'recovery' || code === 'forgotten').length;
    await until(() => held() === 2 && sent.length === 1);
    const found = await settled(watcher.verbs.recoveryWindow());
    expect(found).toMatchObject({ lastSeen: new Date(Date.UTC(2030, 0, 1) + seenMs).toISOString(), more: false });
    const row = { key: expect.stringMatching(/^eff_/), step: 'charge', action: 'shop.charge', request: { n: 5 } };
    const command = (as: string): unknown =>
      expect.stringMatching(new RegExp(`^pawl resolve run_\\w+ charge --as ${as} --evidence TEXT$`));
    const doubted = { ...row, state: 'UNKNOWN', doubted: true, heldBack: false };
    const heldBack = { ...row, state: 'AUTHORIZED', doubted: false, heldBack: true };
    expect(found?.forgotten.map(({ workflow: name, effect }) => [name, effect])).toEqual([
      ['waits', { ...doubted, command: command('confirmed\\|absent') }],
      ['late', { ...heldBack, command: command('confirmed') }],
      ['asking', null],
    ]);
    expect((await settled(watcher.verbs.why(waits))).reasons[0]).toMatchObject({
      kind: 'unknown',
      command: expect.stringContaining(' charge --as confirmed|absent|'),
    });
    expect((await settled(watcher.verbs.pulse())).recoverySince).toBe(found?.since);
    await settled(watcher.verbs.endRecovery({ by: 'ana', reason: 'compared with the statement' }));
    await until(() => sent.length === 2);
    const left = await settled(watcher.verbs.recoveryWindow());
    expect([left?.open, left?.forgotten.map(({ workflow: name }) => name)]).toEqual([false, ['waits']]);
    expect((await settled(watcher.verbs.why(waits))).reasons[0]).toMatchObject({ kind: 'unknown' });
    const word = { effect: 'charge', as: 'absent', evidence: 'not in the book', output: undefined } as const;
    await settled(watcher.verbs.resolve(waits, { ...word, by: 'ana', roles: ['operator'] }));
    expect(await settled(watcher.verbs.recoveryWindow())).toBeNull();
    await until(() => sent.length === 3);
    expect(sent.sort()).toEqual(['keyed', 'late', 'waits']);
  });
});
