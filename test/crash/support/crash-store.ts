import { StoreError } from '../../../src/model/errors.ts';
import type { RunCommit } from '../../../src/model/run-commit.ts';
import type { Store } from '../../../src/ports/store.ts';
import { isReadVerb, lostAnswer } from '../../../src/testing/store-verbs.ts';

/** What can become of one statement. */
export const FAULTS = [
  'crash before',
  'crash after',
  'answer lost',
  'COMMIT answered ROLLBACK',
  '40001',
  '40P01',
  '53100',
] as const;
/** One of them. */
export type StatementFault = (typeof FAULTS)[number];

/** Whether the process dies of it. */
export function isCrash(fault: StatementFault): boolean {
  return fault === 'crash before' || fault === 'crash after';
}

/** The faults that are not the same for this statement: a read that was not done and one whose answer is lost are alike. */
export function faultsOf(verb: string): readonly StatementFault[] {
  return isReadVerb(verb) ? ['crash before', 'answer lost', '40001'] : FAULTS;
}

/** What a worker asks again and again while nothing happens. */
const IDLE = new Set([
  'claimSchedules',
  'nextDueMs',
  'beat',
  'sweep',
  'disown',
  'drain',
  'findRun',
  'load',
  'receipts',
]);
/** Two rounds of it; a third one finds nothing that the second did not. */
const IDLE_IN_A_ROW = 16;

/** Where a seed is given, as at a landing, each fifth statement is broken; at the next landing the next. Else all are. */
const FIFTHS = 5;

/** Numbers of the statements worth breaking, from 1: all but the rounds of a worker that has been idle for two rounds. */
export function worthBreaking(statements: readonly string[]): readonly number[] {
  const seed = process.env['PAWL_SEED'];
  const isMine = (no: number): boolean => seed === undefined || no % FIFTHS === Number(seed) % FIFTHS;
  return statements.flatMap((_, index) => {
    if (!isMine(index + 1)) return [];
    const before = statements.slice(Math.max(0, index - IDLE_IN_A_ROW), index + 1);
    return before.length > IDLE_IN_A_ROW && before.every((verb) => IDLE.has(verb)) ? [] : [index + 1];
  });
}

/** No statement of its own: nothing can become of it. */
const NO_STATEMENT = new Set(['close', 'listen']);

/** The life of the process that a store is given to. */
export interface Life {
  isAlive(): boolean;
  kill(): void;
}

/** Which statement of a process meets which fault. */
export interface Breakage {
  /** The statement, from 1; null = none is broken. */
  readonly at: number | null;
  readonly fault: StatementFault;
  readonly life: Life;
  /** Told of each statement before it is executed. */
  onStatement(verb: string): void;
}

const never = (): Promise<never> => new Promise(() => undefined);

/** As the store reports that nothing was done: contention per member of a commit, anything else as a whole. */
function refusal(verb: string, args: readonly unknown[], sqlstate: string): unknown {
  if (verb === 'commit' && sqlstate !== '53100') {
    return (args[2] as readonly RunCommit[]).map(() => ({ kind: 'busy' }));
  }
  throw new StoreError('PAWL_STORE_FAILED', `the database did nothing and may do it later (${sqlstate})`);
}

async function meet(
  { fault, life }: Breakage,
  verb: string,
  args: readonly unknown[],
  run: () => Promise<unknown>,
): Promise<unknown> {
  switch (fault) {
    case 'crash before':
      life.kill();
      return never();
    case 'crash after':
      await run().catch(() => undefined);
      life.kill();
      return never();
    case 'answer lost':
      await run();
      throw lostAnswer(verb);
    case 'COMMIT answered ROLLBACK':
      throw lostAnswer(verb);
    default:
      return refusal(verb, args, fault);
  }
}

/** A store as one process sees it: its statements are counted, one of them meets its fault, and the dead do nothing. */
export function breakStatement(inner: Store, breakage: Breakage): Store {
  const { life } = breakage;
  let no = 0;
  const call = async (verb: string, args: readonly unknown[], run: () => Promise<unknown>): Promise<unknown> => {
    // A turn later: the process that asks is then known to whoever may kill it.
    await Promise.resolve();
    if (!life.isAlive()) return never();
    no += 1;
    breakage.onStatement(verb);
    const answer = no === breakage.at ? await meet(breakage, verb, args, run) : await run();
    return life.isAlive() ? answer : never();
  };
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || NO_STATEMENT.has(String(name))) return value;
      return (...args: readonly unknown[]) =>
        call(String(name), args, () => Reflect.apply(value, target, args) as Promise<unknown>);
    },
  });
}
