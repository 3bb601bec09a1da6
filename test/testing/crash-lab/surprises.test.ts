import { describe, expect, it } from 'vitest';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { Tally } from '../../../src/testing/crash-lab/lab-report.ts';
import { listCases } from '../../../src/testing/crash-lab/list-cases.ts';
import { openLab } from '../../../src/testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO } from '../../../src/testing/crash-lab/scenario-file.ts';
import { trySurprises } from '../../../src/testing/crash-lab/surprises.ts';

/** A payment whose amount an event may change. */
function payout(steps: readonly string[]): string {
  return [
    'pawl: 1',
    'workflow: payout',
    'version: 1',
    'key: input.no',
    'timeout: 2d',
    'input: { type: object, required: [no], properties: { no: { type: string } } }',
    'constants: { limit: 5000 }',
    'vars: { amount: { type: integer, default: 100 }, sum: { type: integer, default: 100 } }',
    'events:',
    '  changed:',
    '    schema: { type: object, required: [no, amount], properties: { no: { type: string }, amount: { type: integer } } }',
    '    by: event.data.no',
    'actions:',
    ...['bank.pay', 'stock.hold'].flatMap((name) => [
      `  ${name}:`,
      `    http: { method: POST, url: 'http://a.example/${name}' }`,
      '    idempotency: { header: Idempotency-Key, remembers: 24h }',
      '    timeout: 4s',
      '    compensate: none',
    ]),
    'steps:',
    ...steps.map((step) => `  - ${step}`),
    '',
  ].join('\n');
}

const changed = (does: string, match = 'match: =input.no, '): string => `on: [{ event: changed, ${match}${does} }]`;
const SETS = 'set: { amount: =event.data.amount }';
const decision = (more: string): string =>
  `{ id: decision, approve: 'Pay \${ vars.amount }', from: ['role:boss'], expires: 1d, ${more} }`;
const hold = (more: string): string => `{ id: hold, call: stock.hold, with: { no: =input.no }, ${more} }`;
const PAY = '{ id: pay, call: bank.pay, with: { no: =input.no, amount: =vars.amount } }';
const pay = (more: string): string => `{ id: pay, call: bank.pay, with: { no: =input.no }, ${more} }`;
const AGAIN = `${SETS}, next: decision`;
/** What surprises have shown: findings in short, and the promises that the run depends on. */
async function surprised(...steps: readonly string[]) {
  return surprisedIn(payout(steps));
}

async function surprisedIn(text: string) {
  const lab = await openLab({ text, file: 'payout.pawl.yaml', scenario: NO_SCENARIO, lies: [] });
  const { told, problems } = await findStories(lab);
  const targets = listCases(lab, told).map(({ target }) => target);
  const tally = new Tally(targets);
  const { relies, warnings } = await trySurprises(lab, told, targets, tally);
  const found = tally.findings().map(({ effect, action, kind }) => `${effect} (${action}): ${kind}`);
  return { found, findings: tally.findings(), relies: relies.map(({ promise }) => promise), warnings, problems };
}

const CLEAN = { found: [], findings: [], relies: [], warnings: [], problems: [] };

describe('an event that a step takes by `on` while an approval is open', () => {
  it('is found where it changes what is sent afterwards and people saw it as it was', async () => {
    const { found, findings } = await surprised(decision(changed(SETS)), PAY);
    expect(found).toEqual(['pay (bank.pay): stray']);
    expect(findings[0]).toMatchObject({
      boundary: 'events',
      message: 'it happened with what nobody approved: decision showed what it was before changed',
      way: 'changed came while decision was under way',
    });
    expect(findings[0]?.mend).toContain('ask again after the event');
  });

  it('is found where the document takes it, in whatever step the run is', async () => {
    const document = payout([decision('').replace(/, }$/, ' }'), PAY]);
    const { found, findings } = await surprisedIn(document.replace('steps:', `${changed(SETS)}\nsteps:`));
    expect(found).toEqual(['pay (bank.pay): stray']);
    expect(findings[0]).toMatchObject({ way: 'changed came while decision was under way' });
  });

  it('is found where what people saw is set from it on the way', async () => {
    const derived = decision(changed(SETS)).replace('vars.amount', 'vars.sum');
    expect((await surprised('set: { sum: =vars.amount }', derived, PAY)).found).toEqual(['pay (bank.pay): stray']);
  });

  it('is not found where people are asked again, or where what was approved is not what has changed', async () => {
    expect(await surprised(decision(`maxJumps: 3, ${changed(AGAIN)}`), PAY)).toEqual(CLEAN);
    const other = decision(changed(SETS)).replace('vars.amount', 'input.no');
    expect(await surprised(other, PAY)).toEqual(CLEAN);
  });

  it('is found where it is about something else and is taken all the same', async () => {
    const { found } = await surprised(decision(`maxJumps: 3, ${changed(AGAIN, '')}`), PAY);
    expect(found).toEqual(['pay#2 (bank.pay): stray']);
  });

  it('is a promise of its sender where it counts what comes twice under two ids', async () => {
    const counts = "set: { amount: =event.data.amount, sum: '${ vars.sum + event.data.amount }' }, next: decision";
    const summed = PAY.replace('vars.amount', 'vars.sum');
    const { found, relies } = await surprised(decision(`maxJumps: 3, ${changed(counts)}`), summed);
    expect([found, relies]).toEqual([[], ['who sends changed gives what is sent again the same id']]);
  });
});

describe('an event that a step takes by `on` while a call is under way', () => {
  it('is found where people would have been asked for what it brings, and were passed by', async () => {
    const above = decision('when: vars.amount > constants.limit');
    const { found, findings } = await surprised(above, hold(changed(SETS)), PAY);
    expect(found).toEqual(['pay (bank.pay): stray']);
    expect(findings[0]?.message).toContain('what decision would be asked for');
    expect(await surprised(hold(changed(SETS)), above, PAY)).toMatchObject({ found: [] });
  });

  it('is found where the approval stands in a branch that was not taken', async () => {
    const limit = `{ id: limit, choose: [{ when: vars.amount <= constants.limit, steps: [] }, { else: [${decision('denials: 1')}] }] }`;
    expect((await surprised(limit, hold(changed(SETS)), PAY)).found).toEqual(['pay (bank.pay): stray']);
    expect((await surprised(hold(changed(SETS)), limit, PAY)).found).toEqual([]);
  });

  it('is found where the same is done again, and not where the run ends', async () => {
    const { found, findings } = await surprised(pay(`maxJumps: 2, ${changed('next: pay')}`));
    expect(found).toEqual(['pay#2 (bank.pay): double']);
    expect(findings[0]?.mend).toContain('where nothing is under way');
    expect(await surprised(pay(changed('next: end')))).toEqual(CLEAN);
  });
});

describe('an event that ends a run while a call is under way', () => {
  const undone = (does: string): string =>
    payout([hold(`compensate: { call: bank.pay, with: { no: =input.no } }, ${changed(does)}`), PAY]);

  it('is warned of where what the call did can be undone and stands, and not where the run is cancelled', async () => {
    const { warnings, found } = await surprisedIn(undone('then: end'));
    expect([found, warnings.map(({ effect, message }) => `${effect}: ${message}`)]).toEqual([
      [],
      Array.from(
        { length: warnings.length },
        () =>
          'hold: it is done and stands although changed came while it was under way, and what comes behind it is not done',
      ),
    ]);
    expect(warnings.length).toBeGreaterThan(0);
    expect((await surprisedIn(undone('then: cancel'))).warnings).toEqual([]);
  });
});
