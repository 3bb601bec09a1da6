import type { ActionContract } from '../../model/definition.ts';
import { boundaryWords } from './boundaries.ts';
import { judgePlay } from './judge-play.ts';
import { type Lab, type Lie, untruthOf } from './lab.ts';
import type { Case } from './list-cases.ts';
import type { Reliance, Tally } from './lab-report.ts';
import { play } from './play.ts';
import { brokenPromises, type Trouble } from './trouble.ts';

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

/** A promise of an action, and the lie that breaks it. */
interface Word {
  readonly lie: Lie;
  readonly promise: string;
}

/** Everything that an action promises and a crash may call for. */
function wordsOf({ name, idempotency, reconcile, settlesWithinMs }: ActionContract): readonly Word[] {
  const asks: readonly Word[] = [
    { lie: 'late', promise: `a request of ${name} takes effect within ${durationText(settlesWithinMs)}, or never` },
    { lie: 'lookup', promise: `the lookup of ${name} shows at once what has happened` },
  ];
  return [...keyWords(name, idempotency), ...(reconcile === null ? [] : asks)];
}

function keyWords(name: string, idempotency: ActionContract['idempotency']): readonly Word[] {
  if (idempotency === null || idempotency.kind === 'none') return [];
  if (idempotency.kind === 'natural') return [{ lie: 'keys', promise: `doing ${name} again changes nothing` }];
  const what = idempotency.kind === 'key' ? 'its key' : idempotency.name;
  return [{ lie: 'keys', promise: `${name} remembers ${what} for ${durationText(idempotency.remembersMs)}` }];
}

/** What goes wrong when a promise is broken: the first that is found; null = nothing depends on it. */
async function breakWord(lab: Lab, { target, told }: Case, { lie }: Word, tally: Tally): Promise<string | null> {
  const action = target.action;
  const liar: Lab = { ...lab, untruths: [...lab.untruths, { lie, action, byMs: null }] };
  for (const trouble of brokenPromises(target.label, lie)) {
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
      if (untruthOf(lab, word.lie, contract.name) !== null) continue;
      const otherwise = await breakWord(lab, one, word, tally);
      if (otherwise === null) continue;
      found.push({ effect: target.effect, action: target.action, promise: word.promise, otherwise });
    }
  }
  return [...found, ...readReliances(lab)];
}

/** Reads that may do something: they are asked again after every crash. */
function readReliances(lab: Lab): readonly Reliance[] {
  return [...lab.compiled.steps.values()].flatMap((step): readonly Reliance[] => {
    if (step.verb !== 'call') return [];
    const contract = lab.compiled.action(step.action);
    const { transport } = contract;
    const isPlain = transport.kind === 'http' && (transport.method === 'GET' || transport.method === 'HEAD');
    if (contract.effect !== 'read' || isPlain || untruthOf(lab, 'reads', contract.name) !== null) return [];
    const promise = `${contract.name} only reads`;
    return [{ effect: step.id, action: step.action, promise, otherwise: 'what it does happens again after a crash' }];
  });
}
