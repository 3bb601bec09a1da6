import type { Handler } from '../../model/definition.ts';
import type { BoundaryName } from './boundaries.ts';
import type { Exposure } from './exposure.ts';
import type { Draw } from './generate-value.ts';
import type { Lie } from './lies.ts';
import type { ComparedField } from './literals.ts';
import { MENDS } from './mends.ts';
import type { NotDone } from './state-words.ts';

/** What becomes of one call of the effect that is in trouble. */
export interface CallFate {
  /** Whether the request reaches the provider: at once, so late that its answer comes just in time, as late as it may, or never. */
  readonly arrives: 'now' | 'slow' | 'late' | 'never';
  /** What comes back: what the provider says, nothing, a status, something that cannot be read, or a yes but for one field. */
  readonly answer: 'whole' | 'none' | 'page' | number | ComparedField;
  /** The worker dies with the request on its way, or stops for longer than its lease. */
  readonly worker: 'lives' | 'dies' | 'stops';
}

/** A commit at which the worker dies: before it is applied, or after, without its answer. */
export interface CommitFate {
  readonly of: 'intent' | 'settle' | 'decision';
  readonly isApplied: boolean;
}

/** Everything that goes wrong in one play. */
export interface Trouble {
  readonly boundary: BoundaryName;
  /** In words, after `crashed`: `after its intent was stored, nothing sent`. */
  readonly words: string;
  /** The label of the effect; null = the whole run. */
  readonly target: string | null;
  /** The fates of the target's calls, in order; those after the last are whole. */
  readonly calls: readonly CallFate[];
  readonly commit: CommitFate | null;
  /** How often the worker dies at the commit. */
  readonly times: number;
  /** The successor dies as soon as it has claimed the run. */
  readonly claimDies: boolean;
  /** How long nobody is there after a death, milliseconds; null = until the lease is over. */
  readonly awayMs: number | null;
  /** The status with which a request that was carried out already is refused as known; null = it is answered. */
  readonly repeatStatus: number | null;
  /** What its row says in the lookup from its arrival until it is done; null = there is no row before that. */
  readonly row: ComparedField | null;
  /** How often its lookup fails before it is heard. */
  readonly failedLookups: number;
  /** How to mend what it shows; null = as every fault of its kind is mended. */
  readonly mend: string | null;
  /** Dies while the run waits for somebody. */
  readonly waiting: boolean;
  /** Events and votes come twice and out of order. */
  readonly disorder: boolean;
  /**
   * Which events come: each name once, that one again and again under new ids, none at all, or only some about something
   * else; null = what is awaited.
   */
  readonly events: 'once' | 'repeated' | 'none' | 'foreign' | null;
  /** The step that waits for what comes only when it waits no more; null = none does. */
  readonly late: string | null;
  /** An event that a step takes by `on` comes while that is under way; null = none does. */
  readonly surprise: Surprise | null;
}

/** An event that a step takes by `on`. */
export interface Surprise {
  readonly step: string;
  readonly handler: Handler;
  /** Which of the data that its schema takes. */
  readonly draw: Draw;
  /** Once, a second time under another id, or about something else. */
  readonly comes: 'once' | 'twice' | 'foreign';
}

const CALM: Omit<Trouble, 'boundary' | 'words' | 'target'> = {
  calls: [],
  commit: null,
  times: 2,
  claimDies: false,
  awayMs: null,
  repeatStatus: null,
  row: null,
  failedLookups: 0,
  mend: null,
  waiting: false,
  disorder: false,
  events: null,
  late: null,
  surprise: null,
};

/** A call that works. */
export const WHOLE: CallFate = { arrives: 'now', answer: 'whole', worker: 'lives' };

const LOST: CallFate = { arrives: 'never', answer: 'none', worker: 'lives' };
const DONE: CallFate = { arrives: 'now', answer: 'none', worker: 'lives' };
const LATE: CallFate = { arrives: 'late', answer: 'none', worker: 'lives' };

const dies = (fate: CallFate): CallFate => ({ ...fate, worker: 'dies' });

/** More calls than any retry that is played to its end. */
const MANY = 64;

function eachTime(fate: CallFate): readonly CallFate[] {
  return Array.from({ length: MANY }, () => fate);
}

type Way = Partial<typeof CALM> & { readonly words: string };

function ways(target: string | null, boundary: BoundaryName, list: readonly Way[]): readonly Trouble[] {
  return list.map((way) => ({ ...CALM, target, boundary, ...way }));
}

/** A crash at a commit, twice at the same place, or once more when the successor has claimed the run. */
function commitWays(of: CommitFate['of'], isApplied: boolean): readonly Way[] {
  const commit = { of, isApplied };
  return [
    { words: 'the worker died there twice', commit },
    { words: 'the worker died there, its successor right after its claim', commit, times: 1, claimDies: true },
  ];
}

function sentWays(exposure: Exposure): readonly Way[] {
  return [
    { words: 'the request was lost with the worker, twice', calls: [dies(LOST), dies(LOST)] },
    {
      words: 'the request was lost with the worker, its successor died after its claim',
      calls: [dies(LOST)],
      claimDies: true,
    },
    { words: 'the request was lost, the connection broke', calls: [LOST] },
    ...(exposure.isHttp ? untrueYeses(exposure) : []),
    ...exposure.answers.map(({ says }) => ({
      words: `"${String(says.value)}" was answered, and it came to nothing`,
      calls: [{ ...LOST, answer: says }],
      mend: MENDS.answer,
    })),
    ...exposure.rows.map((row) => ({
      words: row.isOpen
        ? `it was taken in, its row in the lookup said "${wordOf(row)}", and it came to nothing`
        : `it was refused, and its row in the lookup said "${wordOf(row)}"`,
      calls: [LOST],
      row: row.says,
      mend: MENDS.row,
    })),
    ...failingLookup(exposure, LOST),
  ];
}

function wordOf({ says }: NotDone): string {
  return String(says.value);
}

/** Answers by status that are no yes, with nothing done. */
function untrueYeses({ doubtful, refusals, hasRules }: Exposure): readonly Way[] {
  const accepted: Way = {
    words: 'it was accepted with 202, and came to nothing',
    calls: [{ ...LOST, answer: 202 }],
    mend: MENDS.accepted,
  };
  return [
    ...doubtful.map((status) => ({
      words: `${status} was answered, nothing was done`,
      calls: [{ ...LOST, answer: status }],
      mend: MENDS.doubtful,
    })),
    ...refusals.map((status) => ({
      words: `it was refused with ${status}`,
      calls: [{ ...LOST, answer: status }],
      mend: MENDS.refusal,
    })),
    ...(hasRules ? [accepted] : []),
  ];
}

function failingLookup({ failedLookups }: Exposure, fate: CallFate): readonly Way[] {
  if (failedLookups === 0) return [];
  const words = `${fate.arrives === 'never' ? 'the request was lost' : 'it was done'}, and its lookup failed for a while`;
  return [{ words, calls: [fate], failedLookups, mend: MENDS.lookup }];
}

/** What an answer says that is no no, with everything done. */
function untrueNoes({ doubtful, repeats, hasRules, noes }: Exposure): readonly Way[] {
  const accepted: Way = {
    words: 'it was accepted with 202, and done',
    calls: [{ ...DONE, answer: 202 }],
    mend: MENDS.accepted,
  };
  return [
    ...(hasRules ? [accepted] : []),
    ...doubtful.map((status) => ({
      words: `it was done and ${status} was answered`,
      calls: [{ ...DONE, answer: status }],
      mend: MENDS.doubtful,
    })),
    ...noes.map((status) => ({
      words: `it was done and ${status} was answered, each time`,
      calls: eachTime({ ...DONE, answer: status }),
      mend: MENDS.noes,
    })),
    { words: 'it was done and the answer could not be read', calls: [{ ...DONE, answer: 'page' as const }] },
    ...repeats.map((status) => ({
      words: `it was done, the answer was lost, and the repeat was refused with ${status}`,
      calls: [DONE],
      repeatStatus: status,
      mend: MENDS.repeat,
    })),
  ];
}

function doneWays(exposure: Exposure): readonly Way[] {
  return [
    { words: 'it was done, the worker died before the answer, twice', calls: [dies(DONE), dies(DONE)] },
    { words: 'it was done, the worker died, its successor after its claim', calls: [dies(DONE)], claimDies: true },
    { words: 'it was done, the connection broke', calls: [DONE] },
    { words: 'it was done as late as it may be, the worker had died', calls: [dies(LATE)] },
    { words: 'it was done as late as it may be, the connection had broken', calls: [LATE] },
    ...(exposure.isHttp ? untrueNoes(exposure) : []),
    ...lateWays(exposure),
    ...failingLookup(exposure, DONE),
  ];
}

/** It is told as taken in, and done as late as it may be. */
function lateWays({ answers, rows, isHttp, hasRules }: Exposure): readonly Way[] {
  const accepted: Way = {
    words: 'it was accepted with 202, and done as late as it may be',
    calls: [{ ...LATE, answer: 202 }],
    mend: MENDS.accepted,
  };
  return [
    ...(isHttp && hasRules ? [accepted] : []),
    ...answers
      .filter(({ isOpen }) => isOpen)
      .map((open) => ({
        words: `"${wordOf(open)}" was answered, and it was done as late as it may be`,
        calls: [{ ...LATE, answer: open.says }],
        mend: MENDS.answer,
      })),
    ...rows
      .filter(({ isOpen }) => isOpen)
      .map((row) => ({
        words: `it was taken in, its row in the lookup said "${wordOf(row)}", and it was done as late as it may be`,
        calls: [LATE],
        row: row.says,
        mend: MENDS.row,
      })),
  ];
}

const STOPS: CallFate = { ...WHOLE, worker: 'stops' };
const DAY_MS = 24 * 3_600_000;
/** Resends end at 90 % of the time that a key is remembered. */
const LAST_SHARE = 0.9;
const MINUTE_MS = 60_000;
/** A memory of up to half an hour is outlived by repeats alone; a longer one, by a worker that is away. */
const SHORT_MEMORY_MS = 30 * MINUTE_MS;

function awayWays({ remembersMs }: Exposure): readonly Way[] {
  const longMs = (remembersMs ?? DAY_MS) + MINUTE_MS;
  const lastMs = Math.max(0, Math.floor((remembersMs ?? 0) * LAST_SHARE) - 2_000);
  const away: readonly Way[] = [
    { words: 'it was done, nobody was there until its key was forgotten', calls: [dies(DONE)], awayMs: longMs },
  ];
  if (remembersMs === null) return away;
  const repeats: Way =
    remembersMs <= SHORT_MEMORY_MS
      ? {
          words: 'it was done, every answer was lost, and every repeat arrived as late as it may',
          calls: [DONE, ...eachTime(LATE)],
        }
      : {
          words: 'it was done, nobody was there nearly until its key was forgotten, and the last repeat arrived late',
          calls: [dies(DONE), LATE],
          awayMs: lastMs,
        };
  return [...away, repeats];
}

/** Everything that is tried with one effect. */
export function troublesOf(exposure: Exposure): readonly Trouble[] {
  const { target } = exposure;
  return [
    ...ways(target, 'before-intent', commitWays('intent', false)),
    ...ways(target, 'intent', commitWays('intent', true)),
    ...ways(target, 'sent', sentWays(exposure)),
    ...ways(target, 'done', doneWays(exposure)),
    ...ways(target, 'answered', commitWays('settle', false)),
    ...ways(target, 'recorded', commitWays('settle', true)),
    ...ways(target, 'lease', [
      { words: 'the worker stopped for longer than its lease, another took over', calls: [STOPS] },
      { words: 'both workers stopped for longer than their leases', calls: [STOPS, STOPS] },
    ]),
    ...ways(target, 'away', awayWays(exposure)),
  ];
}

/** Nothing goes wrong: it is done, and a yes is answered. */
export const PLAIN_YES: Trouble = {
  ...CALM,
  target: null,
  boundary: 'answered',
  words: 'it was done, and a yes that fits `output` was answered',
};

/** What is tried with an undo besides: what it undoes is told as taken in, and done later. */
export function earlyTroubles(undone: Exposure): readonly Trouble[] {
  return ways(undone.target, 'done', lateWays(undone)).map((way) => ({
    ...way,
    words: `of ${undone.target}: ${way.words}`,
  }));
}

/** A read that the worker dies over: it is asked again. */
export function readTroubles(target: string): readonly Trouble[] {
  return ways(target, 'done', [{ words: 'it was answered, the worker died before the answer', calls: [dies(DONE)] }]);
}

/** What is tried with a run that waits for somebody. */
export const WAITING_TROUBLES: readonly Trouble[] = [
  ...ways(null, 'waiting', [
    { words: 'the worker died while the run waited, twice', waiting: true },
    ...commitWays('decision', false),
    ...commitWays('decision', true),
  ]),
  ...ways(null, 'events', [{ words: 'everything came twice, the last first', disorder: true }]),
];

const hearing = (events: NonNullable<Trouble['events']>, words: string): Trouble => ({
  ...CALM,
  target: null,
  boundary: 'events',
  words,
  events,
});

/** What is tried with the events that a run waits for. */
export const EVENT_TROUBLES = {
  once: hearing('once', 'each event came once'),
  repeated: hearing('repeated', 'each event came again, under new ids'),
  none: hearing('none', 'no event came'),
  foreign: hearing('foreign', 'only events about something else came'),
} as const;

/** What is awaited comes when that step waits no more. */
export function comingLate(step: string): Trouble {
  return { ...hearing('once', `what ${step} awaits came too late`), events: null, late: step };
}

const COMES = { once: 'came', twice: 'came twice, under two ids,', foreign: 'about something else came' } as const;
const SLOW: CallFate = { ...WHOLE, arrives: 'slow' };

/** A step that takes an event by `on` takes it, a call while its request is on its way. */
export function surprising(surprise: Surprise): Trouble {
  const { step, handler, comes } = surprise;
  const words = `${handler.event} ${COMES[comes]} while ${step} was under way`;
  return { ...CALM, target: step, calls: [SLOW], boundary: 'events', words, surprise };
}

/** What breaks a promise, if anything depends on it. */
export function brokenPromise(target: string, lie: Lie): readonly Trouble[] {
  if (lie === 'late') return ways(target, 'done', [{ words: 'it was done later than promised', calls: [dies(LATE)] }]);
  if (lie === 'empty') return ways(target, 'sent', [{ words: 'the request was lost', calls: [LOST] }]);
  if (lie === 'open') {
    const row = { path: ['status'], value: 'pending' };
    return ways(target, 'sent', [{ words: 'it was taken in, and came to nothing', calls: [LOST], row }]);
  }
  return ways(target, 'done', [{ words: 'it was done, the worker died before the answer', calls: [dies(DONE)] }]);
}

/** An answer that the action's own table believes, and that is not true. */
export function untrueAnswer(target: string, status: number, isDone: boolean): readonly Trouble[] {
  const fate: CallFate = { ...(isDone ? DONE : LOST), answer: status };
  const words = `${status} was answered, each time`;
  return ways(target, isDone ? 'done' : 'sent', [{ words, calls: eachTime(fate) }]);
}
