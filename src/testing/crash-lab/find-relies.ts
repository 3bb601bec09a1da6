import type { ActionContract, Transport } from '../../model/definition.ts';
import { boundaryWords } from './boundaries.ts';
import { TRUSTED_NOES } from './exposure.ts';
import { judgePlay } from './judge-play.ts';
import { actsOnRead, type Lab, untruthOf } from './lab.ts';
import type { Lie } from './lies.ts';
import type { Case } from './list-cases.ts';
import type { Reliance, Tally } from './lab-report.ts';
import { MENDS } from './mends.ts';
import { play } from './play.ts';
import { namedNumbers } from './literals.ts';
import { isLookedUp, rowsNotDone } from './state-words.ts';
import { brokenPromise, type Trouble, untrueAnswer } from './trouble.ts';

const UNITS = [
  ['d', 24 * 3_600_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A duration as people write it: in the largest unit that holds it whole; days from two on. */
function durationText(ms: number): string {
  const unit = UNITS.find(([name, size]) => ms % size === 0 && ms / size >= (name === 'd' ? 2 : 1));
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`;
}

/** A promise of an action, and how it is broken. */
interface Word {
  readonly promise: string;
  /** The lie that breaks it; null = an answer that is not true. */
  readonly lie: Lie | null;
  readonly troubles: (target: string) => readonly Trouble[];
  readonly mend?: string;
}

function wordOf(lie: Lie, promise: string): Word {
  return { lie, promise, troubles: (target) => brokenPromise(target, lie) };
}

/** Everything that an action promises and a crash may call for. */
function wordsOf(contract: ActionContract): readonly Word[] {
  const { name, idempotency, settlesWithinMs } = contract;
  const late = wordOf('late', `a request of ${name} takes effect within ${durationText(settlesWithinMs)}, or never`);
  return [
    ...keyWords(name, idempotency),
    ...(contract.reconcile === null ? [] : [late, ...lookupWords(contract)]),
    ...answerWords(contract),
  ];
}

/** What a lookup promises: the last three, where others than the action's own code answer it. */
function lookupWords(contract: ActionContract): readonly Word[] {
  const { name, reconcile } = contract;
  const at = `the lookup of ${name}`;
  const atOnce = wordOf('lookup', `${at} shows at once what has happened`);
  if (reconcile === null || !isLookedUp(contract)) return [atOnce];
  const shows = wordOf('open', `${at} shows only what is done, nothing that is pending or was refused`);
  const empty: Word = { ...wordOf('empty', `${at} answers 200 only where there is something`), mend: MENDS.empty };
  return [
    atOnce,
    ...(rowsNotDone(contract, false).length === 0 ? [shows] : []),
    empty,
    ...(isPlain(reconcile.transport) ? [] : [wordOf('reads', `${at} only asks`)]),
  ];
}

function keyWords(name: string, idempotency: ActionContract['idempotency']): readonly Word[] {
  if (idempotency === null || idempotency.kind === 'none') return [];
  if (idempotency.kind === 'natural') return [wordOf('keys', `doing ${name} again changes nothing`)];
  const what = idempotency.kind === 'key' ? 'its key' : idempotency.name;
  return [wordOf('keys', `${name} remembers ${what} for ${durationText(idempotency.remembersMs)}`)];
}

/** Answers that the table takes at their word, the action's own or the default one, and that by themselves say less. */
function answerWords({ name, outcome, transport }: ActionContract): readonly Word[] {
  if (transport.kind !== 'http') return [];
  const named = namedNumbers(outcome.map(({ when }) => when.source));
  const throttled = named.includes(429) ? [429] : [];
  const yeses = [404, 409, 410].filter((status) => named.includes(status));
  return [
    ...[...throttled, ...TRUSTED_NOES].map(
      (status): Word => ({
        lie: status === 429 ? null : 'noes',
        promise: `a ${status} of ${name} means that it was not done`,
        troubles: (target) => untrueAnswer(target, status, true),
        mend: MENDS.noes,
      }),
    ),
    ...yeses.map(
      (status): Word => ({
        lie: null,
        promise: `a ${status} of ${name} means that it is as it should be already`,
        troubles: (target) => untrueAnswer(target, status, false),
      }),
    ),
  ];
}

/** What goes wrong when a promise is broken: the first that is found; null = nothing depends on it. */
async function breakWord(
  lab: Lab,
  { target, told }: Case,
  { lie, troubles }: Word,
  tally: Tally,
): Promise<string | null> {
  const action = target.action;
  const untruths = lie === null ? [] : [{ lie, action, byMs: null }];
  const liar: Lab = { ...lab, untruths: [...lab.untruths, ...untruths] };
  for (const trouble of troubles(target.label)) {
    tally.plays += 1;
    const played = await play({ lab: liar, story: told.story, trouble, withNeighbour: false });
    const [fault] = played.problems.length === 0 ? judgePlay(played, told.calm) : [];
    if (fault !== undefined) return whereText(trouble, fault.message);
  }
  return null;
}

function whereText({ boundary }: Trouble, message: string): string {
  return `${message} (${boundaryWords(boundary)})`;
}

/**
 * Finds out on which promises of its providers a workflow depends, by breaking one after the other. Those that are
 * broken already are left out: what comes of them is among the findings.
 */
export async function findRelies(lab: Lab, cases: readonly Case[], tally: Tally): Promise<readonly Reliance[]> {
  const found: Reliance[] = [];
  for (const one of cases) {
    const { target } = one;
    const contract = lab.compiled.action(target.action);
    if (target.effect !== target.label || contract.effect === 'read') continue;
    for (const word of wordsOf(contract)) {
      if (word.lie !== null && untruthOf(lab, word.lie, contract.name) !== null) continue;
      const otherwise = await breakWord(lab, one, word, tally);
      if (otherwise === null) continue;
      const { promise, mend } = word;
      const told = { effect: target.effect, action: target.action, promise, otherwise };
      found.push(mend === undefined ? told : { ...told, mend });
    }
  }
  return [...found, ...readReliances(lab)];
}

/** Whether by its method it only asks. */
function isPlain(transport: Transport): boolean {
  return transport.kind === 'http' && (transport.method === 'GET' || transport.method === 'HEAD');
}

/** Reads that may do something: they are asked again after every crash. */
function readReliances(lab: Lab): readonly Reliance[] {
  return [...lab.compiled.steps.values()].flatMap((step): readonly Reliance[] => {
    if (step.verb !== 'call') return [];
    const contract = lab.compiled.action(step.action);
    const { transport } = contract;
    if (contract.effect !== 'read' || isPlain(transport) || actsOnRead(lab, contract)) return [];
    const promise = `${contract.name} only reads`;
    return [{ effect: step.id, action: step.action, promise, otherwise: 'what it does happens again after a crash' }];
  });
}
