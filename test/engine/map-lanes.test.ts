import { describe, expect, it } from 'vitest';
import type { Verbs } from '../../src/app/verbs.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse, type SmallHouse } from './support/small-house.ts';

const FILE = `
pawl: 1
workflow: lines
version: 1
timeout: 9d
events: { packed: { schema: { type: object, required: [of], properties: { of: { type: string } } }, by: event.data.of } }
actions:
  do.a: { http: { method: POST, url: 'http://p/a' }, idempotency: natural, compensate: { call: undo.a } }
  do.b: { http: { method: POST, url: 'http://p/b' }, idempotency: natural, compensate: none }
  undo.a: { http: { method: POST, url: 'http://p/undo-a' }, idempotency: natural, compensate: none }
steps:
  - id: each
    map: '["x", "y", "z"]'
    key: item
    concurrency: 2
    steps:
      - { id: a, call: do.a, with: { of: =item } }
      - { id: told, await: packed, match: =item }
      - { id: ask, approve: Send it, from: [role:desk] }
  - { id: b, call: do.b }
`;

/** A house with one worker, whose provider agrees to all but the last act where it is told so. */
class Lines {
  readonly house: SmallHouse = openSmallHouse();
  readonly verbs: Verbs;
  readonly done: string[] = [];
  run = '';

  constructor(refused: string | null = null) {
    const send = ({ contract }: { readonly contract: { readonly name: string } }) => {
      if (contract.name === refused) return answered(400, { error: 'no' });
      this.done.push(contract.name);
      return answered(200, { id: contract.name });
    };
    this.verbs = this.house.process({ works: true, outside: { send } }).verbs;
  }

  async begin(): Promise<void> {
    this.run = await this.house.begin(this.verbs, FILE);
  }

  /** Lets time pass until people see that. */
  async seen(isSeen: (view: RunView) => boolean): Promise<RunView> {
    for (;;) {
      const view = await this.house.settled(this.verbs.show(this.run));
      if (isSeen(view)) return view;
      const { world } = this.house;
      await world.run(() => false, world.nowMs() + 100);
    }
  }

  async signal(of: string): Promise<string> {
    const ask = { name: 'packed', data: { of }, source: 'shop', eventId: of, by: 'shop', waitMs: 0 };
    const told = await this.house.settled(this.verbs.signal(this.run, ask));
    return String(told.outcome);
  }

  async approve(approval: string): Promise<void> {
    const vote = { decision: 'approve', subjectHash: null, principal: 'ann', roles: ['desk'], comment: null } as const;
    await this.house.settled(this.verbs.vote(this.run, { approval, ...vote }));
  }
}

const waiting = ({ waitingFor }: RunView): readonly string[] =>
  waitingFor.map(({ kind, step, item }) => `${kind} ${String(step)} ${item ?? '-'}`).toSorted();

describe('a map with lanes in an engine', () => {
  it('does its items side by side, and what people see names the item and never the lane', async () => {
    const lines = new Lines();
    await lines.begin();
    const both = await lines.seen((view) => waiting(view).filter((one) => one.startsWith('event')).length === 2);
    expect(waiting(both)).toEqual(['event told x', 'event told y']);
    expect(both.effects.map(({ step, item }) => [step, item])).toEqual([
      ['a', 'x'],
      ['a', 'y'],
    ]);
    expect(both.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      'each active',
      'a completed',
      'told active',
      'ask pending',
      'b pending',
    ]);
    await lines.signal('y');
    const asked = await lines.seen(({ approvals }) => approvals.length === 1);
    expect(asked.approvals).toMatchObject([{ id: 'ask.v0.my', step: 'ask' }]);
    const why = await lines.house.settled(lines.verbs.why(lines.run));
    expect(why.reasons.map(({ text }) => text)).toEqual(
      expect.arrayContaining([
        'waits for an approval of ask [y]',
        'waits for an event at told [x] with event.data.of == "x"',
      ]),
    );
    await lines.approve('ask');
    await lines.signal('x');
    await lines.signal('z');
    const two = await lines.seen((view) => view.approvals.filter(({ state }) => state === 'open').length === 2);
    // Of two that ask the same, each is named by itself.
    expect(two.waitingFor.flatMap(({ kind, command }) => (kind === 'approval' ? [command] : []))).toEqual([
      expect.stringContaining("'ask.v0.mx'"),
      expect.stringContaining("'ask.v0.mz'"),
    ]);
    await lines.approve('ask.v0.mz');
    await lines.approve('ask.v0.mx');
    const done = await lines.seen(({ status }) => status === 'COMPLETED');
    expect(JSON.stringify(done)).not.toContain('@1');
    expect(lines.done).toEqual(['do.a', 'do.a', 'do.a', 'do.b']);
    const { journal } = await lines.house.settled(lines.verbs.history(lines.run));
    expect(journal.map(({ event }) => event.step).join()).not.toContain('@');
  });

  it('R09 undoes each item once, by its key', async () => {
    // R09: "each item with a confirmed effect is compensated once, by item key"
    const lines = new Lines('do.b');
    await lines.begin();
    for (const of of ['x', 'y', 'z']) await lines.signal(of);
    for (const of of ['x', 'y', 'z']) {
      await lines.seen(({ approvals }) => approvals.some(({ id }) => id === `ask.v0.m${of}`));
      await lines.approve(`ask.v0.m${of}`);
    }
    const undone = await lines.seen(({ status }) => status === 'COMPENSATED');
    const rows = undone.effects.filter(({ compensates }) => compensates !== null);
    expect(rows.map(({ item }) => item).toSorted()).toEqual(['x', 'y', 'z']);
    expect(lines.done.filter((name) => name === 'undo.a')).toHaveLength(3);
  });
});
