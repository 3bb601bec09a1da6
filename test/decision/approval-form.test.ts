import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { Play, workflow } from './support/play.ts';

const codesOf = (text: string): readonly string[] =>
  validateWorkflow(text, 'x.pawl.yaml').problems.map(({ code }) => code);

const FORM =
  '{ type: object, required: [amount], properties: { amount: { type: integer, maximum: 500 }, note: { type: string, default: fine } } }';
const ASK = (more = ''): string =>
  `  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: 1h, form: ${FORM}${more} }`;
const PAY = '  - { id: pay, call: do.a, authorizedBy: ok, with: { amount: =input.amount, to: ana } }';
const TEXT = workflow(`${ASK()}\n${PAY}`, 'input: { type: object, properties: { amount: { type: integer } } }');
const setting = { input: { amount: 100 }, startedBy: 'u1' } as const;
const A04 =
  'A04: "`authorizedBy: D`: the effect\'s request is computed when D is asked, shown as its subject, and its hash is what people approve; a form field of the same name replaces that value and the hash is taken again at the deciding vote."';

const withOf = (run: Play): Json => (JSON.parse(run.rowOf('pay').request) as { with: Json }).with;

describe(`a form of an approval (${A04})`, () => {
  it('A04 a form field of the same name replaces the value, and the record keeps proposal, edit and who edited', () => {
    // A04: "… a form field of the same name replaces that value and the hash is taken again at the deciding vote …"
    const run = new Play(TEXT, setting);
    expect(run.ledger()).toEqual({});
    const shown = run.approval().authorizes[0];
    expect(run.vote('u2', 'approve', { form: { amount: 80 } })).toMatchObject({ outcome: 'applied' });
    const { state, authorizes, subject, subjectHash, votes } = run.approval();
    expect(state).toBe('approved');
    expect(withOf(run)).toEqual({ amount: 80, to: 'ana' });
    expect(run.rowOf('pay')).toMatchObject({ state: 'CONFIRMED', approvalId: 'ok' });
    expect(run.rowOf('pay').requestHash).toBe(authorizes[0]?.edited?.requestHash);
    expect(authorizes[0]).toMatchObject({ ...shown, edited: { by: 'u2' } });
    expect(JSON.stringify(subject)).toContain('"amount":100');
    expect(votes).toMatchObject([{ principal: 'u2', subjectHash, form: { amount: 80, note: 'fine' } }]);
    expect(run.output('ok')).toMatchObject({ decision: 'approved', form: { amount: 80, note: 'fine' } });
    expect(run.happened).toEqual(['do.a']);
  });

  it('A04 a form that changes nothing authorizes what was shown', () => {
    // A04: "… and its hash is what people approve …"
    const run = new Play(TEXT, setting);
    run.vote('u2', 'approve', { form: { amount: 100 } });
    expect(run.approval().authorizes[0]).not.toHaveProperty('edited');
    expect(run.rowOf('pay').requestHash).toBe(run.approval().authorizes[0]?.requestHash);
    expect(run.state.status).toBe('COMPLETED');
  });

  it.each([
    ['a value that does not fit', { amount: 900 }, '/amount', /<= 500/],
    ['a missing field', {}, '/amount', /required/],
    ['a field that the form has not', { amount: 1, amont: 2 }, '/amont', /no field of the form; it has: amount, note/],
    ['no object', 'accept', '', /object/],
    ['nothing', undefined, '/amount', /required/],
  ])('A04 %s is refused with its place, and the run still waits', (_what, form, pointer, message) => {
    // A04: "… a form field of the same name replaces that value and the hash is taken again at the deciding vote …"
    const run = new Play(TEXT, setting);
    const filled = form === undefined ? {} : { form };
    expect(run.vote('u2', 'approve', filled)).toMatchObject({
      outcome: 'refused',
      code: 'form',
      detail: { rule: 'A04', pointer, message: expect.stringMatching(message) as string },
    });
    expect([run.state.status, run.approval().state, run.approval().votes]).toEqual(['WAITING', 'open', []]);
    expect(run.vote('u2', 'approve', { form: { amount: 1 } })).toMatchObject({ outcome: 'applied' });
  });

  it('A04 an edit that the action does not take is refused at the vote', () => {
    // A04: "… a form field of the same name replaces that value and the hash is taken again at the deciding vote …"
    const text = TEXT.replace('do.a: {', 'do.a: { input: { type: object, properties: { amount: { maximum: 50 } } },');
    const run = new Play(text, { ...setting, input: { amount: 10 } });
    expect(run.vote('u2', 'approve', { form: { amount: 60 } })).toMatchObject({ outcome: 'refused', code: 'form' });
    expect(run.vote('u2', 'approve', { form: { amount: 40 } })).toMatchObject({ outcome: 'applied' });
    expect(withOf(run)).toEqual({ amount: 40, to: 'ana' });
  });

  it('a denial fills in nothing, needs nothing, and nothing is sent', () => {
    const run = new Play(TEXT, setting);
    expect(run.vote('u2', 'deny', { form: { amount: 1 } })).toMatchObject({ outcome: 'refused', code: 'form' });
    expect(run.vote('u2', 'deny')).toMatchObject({ outcome: 'applied' });
    expect(run.head().failure).toMatchObject({ code: 'denied' });
    expect([run.happened, run.ledger()]).toEqual([[], {}]);
  });

  it('an approval without a form takes none', () => {
    const run = new Play(workflow("  - { id: ok, approve: 'Pay?', from: ['role:desk'] }"), setting);
    expect(run.vote('u2', 'approve', { form: { amount: 1 } })).toMatchObject({
      outcome: 'refused',
      detail: { message: 'this approval has no form' },
    });
    expect(run.vote('u2', 'approve')).toMatchObject({ outcome: 'applied' });
    expect(run.output('ok')).toMatchObject({ form: null });
  });

  it('A05 two answers at once: the first counts, another of the same person or of somebody else is told of it', () => {
    // A05: "… The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    const run = new Play(TEXT, setting);
    run.decide(
      ['u2', 'u3'].map((person, at) => ({
        type: 'inbox',
        event: run.voteRow(person, 'approve', { form: { amount: at + 1 } }),
      })),
    );
    run.drive();
    expect([run.happened, withOf(run)]).toEqual([['do.a'], { amount: 1, to: 'ana' }]);
    const again = (amount: number): unknown => run.vote('u2', 'approve', { form: { amount } });
    expect(again(1)).toMatchObject({ outcome: 'duplicate' });
    expect(again(2)).toMatchObject({ outcome: 'already-decided', code: 'voted' });
    expect(run.vote('u2', 'approve')).toMatchObject({ outcome: 'already-decided', code: 'voted' });
    expect(run.vote('u3', 'approve', { form: { amount: 2 } })).toMatchObject({ outcome: 'already-decided' });
  });

  it('A03 whoever started the run edits nothing', () => {
    // A03: "Whoever is in `except` (default: who started the run) cannot vote: 403 naming the rule."
    const run = new Play(TEXT, setting);
    expect(run.vote('u1', 'approve', { form: { amount: 1 } })).toMatchObject({ outcome: 'refused', code: 'except' });
    expect(run.approval().state).toBe('open');
  });

  it('what expires into a yes goes out as it was shown; nobody filled in the form', () => {
    const run = new Play(TEXT.replace('expires: 1h', 'expires: 1h, onExpire: approve'), setting);
    run.wait('2h');
    expect([run.happened, withOf(run)]).toEqual([['do.a'], { amount: 100, to: 'ana' }]);
    expect(run.output('ok')).toMatchObject({ form: null });
  });

  it('A04 what the step would ask for now is not what was shown: failure unauthorized, never sent', () => {
    // A04: "… Another request later: failure `unauthorized`, never sent."
    const more = `vars: { to: { type: string, default: ana } }
events: { moved: {} }
on: [{ event: moved, set: { to: bob } }]`;
    const text = workflow(
      `${ASK()}\n  - { id: pay, call: do.a, authorizedBy: ok, with: { amount: 5, to: =vars.to } }`,
      more,
    );
    const run = new Play(text, setting);
    run.signal('moved');
    expect(run.vote('u2', 'approve', { form: { amount: 7 } })).toMatchObject({ outcome: 'applied' });
    expect([run.happened, run.head().failure]).toMatchObject([[], { code: 'unauthorized' }]);
    expect([run.ledger(), run.approval().authorizes[0]?.edited]).toEqual([{}, undefined]);
  });

  it('A04 what the step cannot ask for any more is never sent: the failure of its own entry says why', () => {
    // A04: "… Another request later: failure `unauthorized`, never sent."
    const more = `vars: { parts: { type: integer, default: 1 } }
events: { moved: {} }
on: [{ event: moved, set: { parts: 0 } }]`;
    const step = '  - { id: pay, call: do.a, authorizedBy: ok, with: { amount: "${ 100 / vars.parts }" } }';
    const run = new Play(workflow(`${ASK()}\n${step}`, more), setting);
    run.signal('moved');
    expect(run.vote('u2', 'approve', { form: { amount: 7 } })).toMatchObject({ outcome: 'applied' });
    expect([run.happened, run.ledger(), run.head().failure]).toMatchObject([[], {}, { code: 'expression' }]);
  });

  it('A04 a redo that a person orders sends what was approved, edit and all', () => {
    // A04: "… Another request later: failure `unauthorized`, never sent."
    const run = new Play(`${TEXT}`.replace('workflow: story', 'workflow: story\nonFailure: hold'), {
      ...setting,
      script: { 'do.a': ['declined', 'ok'] },
    });
    run.vote('u2', 'approve', { form: { amount: 7 } });
    expect(run.state.status).toBe('HELD');
    run.retry('pay');
    run.drive();
    expect([run.state.status, withOf(run)]).toEqual(['COMPLETED', { amount: 7, to: 'ana' }]);
  });

  it('A01 the edit outlives the process', () => {
    // A01: "Reaching an approval step twice finds the same approval; one request, one notification."
    const run = new Play(TEXT, { ...setting, script: { 'do.a': ['hang', 'ok'] } });
    run.vote('u2', 'approve', { form: { amount: 7 } });
    run.crash();
    run.wait('1m');
    expect([run.state.status, withOf(run)]).toEqual(['COMPLETED', { amount: 7, to: 'ana' }]);
  });
});

it.each([
  ['is failure unauthorized without a form', '', undefined, ['FAILED', []]],
  ['is done with a form, whose yes makes the request', `, form: ${FORM}`, { amount: 1 }, ['COMPLETED', ['do.a']]],
] as const)('PAWL-363 a call behind the loop in which it is approved, after a first no, %s', (_, more, form, came) => {
  // PAWL-363: "a call behind the loop in which it is approved"
  const ask = `{ id: ok, approve: 'Pay?', from: ['role:desk'], expires: 1h${more}, catch: [{ on: [denied], do: [{ id: n, set: { no: 1 }, next: ok, maxJumps: 3 }] }] }`;
  const text = workflow(
    `  - { id: again, scope: [${ask}] }\n${PAY}`,
    'input: { type: object, properties: { amount: { type: integer } } }',
  );
  expect(codesOf(text).includes('PAWL-363')).toBe(more === '');
  const run = new Play(text, setting);
  run.vote('u2', 'deny');
  run.vote('u2', 'approve', form === undefined ? {} : { form });
  expect([run.state.status, run.happened]).toEqual(came);
});
