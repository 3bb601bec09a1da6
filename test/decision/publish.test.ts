import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { OutboxRecord } from '../../src/model/outbox.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, T0, workflow } from './support/play.ts';

const INPUT = 'input: { type: object, properties: { order: { type: string } } }\n';
const TELL = workflow(
  [
    '  - { id: a, call: do.a }',
    "  - { id: tell, publish: order.paid, key: input.order, data: { order: =input.order, by: '${ run.startedBy }' } }",
    '  - { id: e, end: { as: told, output: { id: =steps.tell.output.messageId } } }',
  ].join('\n'),
  INPUT,
);
const LOOP = workflow(
  [
    '  - id: turning',
    '    repeat: 3',
    "    while: 'true'",
    '    catch: [{ on: [limit] }]',
    '    steps:',
    '      - { id: tell, publish: turned, data: 1 }',
  ].join('\n'),
);

const messagesOf = (run: Play): readonly OutboxRecord[] => checkedRun(run).outbox;

describe('publish', () => {
  it('V09 its message is written by the commit that takes the step, once, and with that the step is done', () => {
    // V09: "Outbox rows carry (run, revision, ordinal)"
    const run = new Play(TELL, { input: { order: 'o-1' } }).drive();
    expect(run.state.status).toBe('COMPLETED');
    const [message, ...others] = messagesOf(run);
    expect(others).toEqual([]);
    const entered = run.stored.journal.find(({ commands }) => JSON.stringify(commands).includes('"tell"'));
    expect(message).toMatchObject({
      topic: 'event',
      key: 'o-1',
      step: 'tell',
      frames: [],
      revision: entered?.revision,
      ordinal: 0,
    });
    const commit = run.commits.find(({ outbox }) => outbox.length > 0);
    expect(commit?.transitions.map(({ revision }) => revision)).toContain(message?.revision);
    expect(run.output('tell')).toEqual({ messageId: message?.messageId });
    expect(JSON.parse(String(message?.body))).toEqual({
      specversion: '1.0',
      id: message?.messageId,
      type: 'order.paid',
      source: `pawl/${run.state.run.workflow}/${run.state.run.runId}`,
      subject: run.state.run.key,
      time: new Date(T0).toISOString(),
      data: { order: 'o-1', by: 'starter' },
    });
  });

  it('V09 its id is the same however often the step is decided, and another in every turn', () => {
    // V09: "relayed at least once": whoever listens knows a message by its id.
    const id = (run: Play) => messagesOf(run).map(({ messageId }) => messageId);
    const first = new Play(TELL, { input: { order: 'o-1' } }).drive();
    expect(id(new Play(TELL, { input: { order: 'o-1' } }).crash().wait('1m'))).toEqual(id(first));
    const turns = new Play(LOOP).drive();
    expect(turns.state.status).toBe('COMPLETED');
    expect(new Set(id(turns)).size).toBe(3);
    expect(messagesOf(turns).map(({ frames }) => frames.find(([kind]) => kind === 'r')?.[1])).toEqual([
      undefined,
      1,
      2,
    ]);
  });

  it('V09 several of one commit are numbered in their order, and what cannot be computed is the failure of the step', () => {
    // V09: "Outbox rows carry (run, revision, ordinal); order is promised per (run, key)"
    const two = workflow(
      ['  - { id: one, publish: a }', '  - { id: two, publish: b, key: "string(run.version)" }'].join('\n'),
    );
    expect(messagesOf(new Play(two).drive()).map(({ step, ordinal, key }) => [step, ordinal, key])).toEqual([
      ['one', 0, null],
      ['two', 1, '1'],
    ]);
    const broken = workflow(
      '  - { id: tell, publish: a, data: "${ input.order.missing }" }',
      'input: { type: object }\n',
    );
    const run = new Play(broken, { input: {} }).drive();
    expect([run.state.status, messagesOf(run)]).toEqual(['FAILED', []]);
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'tell' });
  });
});

describe('verify of the outbox', () => {
  const told = checkedRun(new Play(TELL, { input: { order: 'o-1' } }).drive());
  const faults = (outbox: typeof told.outbox) =>
    findFaults({ ...told, outbox }, T0).flatMap(({ check, what }) => (check === 'outbox' ? [what] : []));
  const [message] = told.outbox as unknown as [(typeof told.outbox)[number]];

  it('V09 a published message is there, under the id of its step and of a revision that the run has', () => {
    // V09: "Outbox rows carry (run, revision, ordinal); order is promised per (run, key)"
    expect(faults(told.outbox)).toEqual([]);
    expect(faults([])).toEqual([expect.stringContaining('it is missing, and step tell has published it')]);
    expect(faults([{ ...message, revision: 99 }])).toEqual([expect.stringContaining('it is of revision 99')]);
    expect(faults([{ ...message, frames: [['v', 1]] }])).toEqual(['its id is not that of its step']);
  });

  it('V09 no delivered message has overtaken an open one of its key', () => {
    // V09: "Outbox rows carry (run, revision, ordinal); order is promised per (run, key)"
    const body = message.body.replace(message.messageId, 'second');
    const of = { topic: 'reminder', messageId: 'second', body, ordinal: 1, state: 'delivered' } as const;
    const second = { ...message, ...of };
    const overtaken = ['it is delivered, and an earlier one of its key is not'];
    expect(faults([message, second])).toEqual(overtaken);
    expect(faults([{ ...message, state: 'dead' }, second])).toEqual(overtaken);
    expect(faults([{ ...message, state: 'dropped' }, second])).toEqual([]);
    expect(faults([message, { ...second, key: 'other' }])).toEqual([]);
    expect(faults([message, { ...second, topic: 'child.end', outward: false }])).toEqual([]);
    expect(
      faults([
        { ...message, key: null },
        { ...second, key: null },
      ]),
    ).toEqual([]);
  });
});
