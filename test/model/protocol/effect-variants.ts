import { type EffectRules, rulesOf } from './effect-rules.ts';

/** A size of a variant: what it changes of the variant's rules, and the states that it then has. */
export interface Size {
  readonly changes: Partial<EffectRules>;
  readonly states: number;
}

/** A variant of the effect protocol and what is known of it. */
export interface EffectVariant {
  readonly id: string;
  readonly says: string;
  readonly rules: EffectRules;
  /** What does not hold, at either size. */
  readonly violated: readonly string[];
  /** Moves of rows that its commits make and the engine's table has not; none where everything holds. */
  readonly offTable: readonly string[];
  /** As published, with two effects and two workers where `says` tells nothing else. */
  readonly full: Size;
  /** What CI explores: the full size, or a smaller one that shows the same. */
  readonly small: Size;
  /** Whether the full size ends at its limit of states, so that nothing is known of I11 and I12. */
  readonly isCapped: boolean;
}

const KEYS_AND_LOOKUP = { keys: true, lookup: true } as const;
const KEYS = { keys: true } as const;
const QUARANTINE = { lookup: true, isBounded: true } as const;
const NONE = { isBounded: true } as const;
const EXISTS = { exists: true } as const;
const EXISTS_AND_LOOKUP = { exists: true, lookup: true } as const;
const FAILOVER = { isFailover: true, hasCancel: false, refuses: false } as const;
const ONE_EFFECT = { effects: 1 } as const;
const ONE_WORKER = { workers: 1 } as const;

interface Row {
  readonly is: readonly [id: string, says: string, rules: Partial<EffectRules>];
  readonly violated?: string;
  readonly offTable?: string;
  readonly full: number;
  /** What the small size changes; without it, CI explores the full one. */
  readonly small?: readonly [changes: Partial<EffectRules>, states: number];
  readonly isCapped?: true;
}

const words = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split(' '));

function variantOf({ is: [id, says, changes], violated, offTable, full, small, isCapped }: Row): EffectVariant {
  const whole: Size = { changes: {}, states: full };
  return {
    id,
    says,
    rules: rulesOf(changes),
    violated: words(violated),
    offTable: words(offTable),
    full: whole,
    small: small === undefined ? whole : { changes: small[0], states: small[1] },
    isCapped: isCapped === true,
  };
}

const HOLDING: readonly Row[] = [
  { is: ['A1', 'keys and look-up', KEYS_AND_LOOKUP], full: 924_582 },
  { is: ['A2', 'keys alone', KEYS], full: 771_102, small: [ONE_EFFECT, 50_136] },
  { is: ['A4', 'look-up alone, self-fence and quarantine', QUARANTINE], full: 37_370 },
  { is: ['A5', 'neither, never sent again, a person after the quarantine', NONE], full: 19_476 },
  {
    is: [
      'A11',
      'keys that are forgotten, and look-up, quarantine',
      { ...KEYS_AND_LOOKUP, isBounded: true, forgets: true },
    ],
    full: 175_038,
  },
  {
    is: ['W3', 'three workers, look-up, quarantine, no cancel', { ...QUARANTINE, workers: 3, hasCancel: false }],
    full: 230_146,
  },
  { is: ['W3n', 'three workers, neither', { ...NONE, workers: 3 }], full: 275_970 },
  {
    is: ['E15', 'answers "already exists", look-up: a refusal after a doubt is asked about', EXISTS_AND_LOOKUP],
    full: 668_060,
    small: [ONE_EFFECT, 43_258],
  },
  {
    is: ['E15p', 'answers "already exists", no look-up: a person is asked', EXISTS],
    full: 574_038,
    small: [ONE_EFFECT, 40_188],
  },
  { is: ['R08', 'losers: keep, keys', { ...KEYS, hasLoser: true }], full: 2_365_542, small: [ONE_WORKER, 62_220] },
  { is: ['R08q', 'losers: keep, look-up and quarantine', { ...QUARANTINE, hasLoser: true }], full: 226_790 },
  { is: ['R08n', 'losers: keep, neither', { ...NONE, hasLoser: true }], full: 78_022 },
];

const CANNOT_HOLD: readonly Row[] = [
  {
    is: ['A1b', 'as A1, redo after a refusal under the same key', { ...KEYS_AND_LOOKUP, sameKeyRedo: true }],
    violated: 'I12',
    full: 890_220,
    small: [ONE_EFFECT, 55_638],
  },
  {
    is: ['A3', 'look-up alone, unbounded delay', { lookup: true }],
    violated: 'I1 I3 I4 I5',
    full: 15_883_822,
    small: [ONE_EFFECT, 232_038],
  },
  { is: ['W1', 'as A3 with one worker', { lookup: true, workers: 1 }], violated: 'I1 I3 I4 I5', full: 133_962 },
  {
    is: ['A7', 'neither, a person answers without quarantine', { ...NONE, person: 'hasty' }],
    violated: 'I1 I3 I5 I10',
    full: 223_014,
  },
  { is: ['A8', 'neither, nobody answers', { ...NONE, person: 'nobody' }], violated: 'I12', full: 6_760 },
  {
    is: ['A9', 'keys that are forgotten, unbounded delay', { ...KEYS, forgets: true }],
    violated: 'I1 I3 I4 I5',
    full: 40_000_000,
    isCapped: true,
    small: [{ ...ONE_EFFECT, ...ONE_WORKER }, 53_142],
  },
  {
    is: ['A10', 'keys that are forgotten, bounded delay', { ...KEYS, isBounded: true, forgets: true }],
    violated: 'I1 I3 I4 I5',
    full: 11_143_598,
    small: [ONE_EFFECT, 194_382],
  },
];

const UNFENCED = 'CONFIRMED>FAILED new>CONFIRMED new>FAILED new>UNKNOWN';
const NO_INTENT = 'new>CONFIRMED new>FAILED new>UNKNOWN';
const MUTANTS: readonly Row[] = [
  {
    is: ['M1', 'writes not fenced, keys and look-up', { ...KEYS_AND_LOOKUP, mutant: 'unfenced write' }],
    violated: 'I3 I7 I8 I10 I12',
    offTable: UNFENCED,
    full: 6_974_826,
    small: [ONE_EFFECT, 212_718],
  },
  {
    is: [
      'M1q',
      'writes not fenced, quarantine, no cancel',
      { ...QUARANTINE, hasCancel: false, mutant: 'unfenced write' },
    ],
    violated: 'I1 I3 I5 I7 I8 I10 I12',
    offTable: UNFENCED,
    full: 197_306,
  },
  {
    is: ['M2', 'no durable intent, keys and look-up', { ...KEYS_AND_LOOKUP, mutant: 'no intent' }],
    violated: 'I5 I10',
    offTable: NO_INTENT,
    full: 1_030_032,
    small: [ONE_EFFECT, 54_210],
  },
  {
    is: ['M2n', 'no durable intent, neither, no cancel', { ...NONE, hasCancel: false, mutant: 'no intent' }],
    violated: 'I1 I3 I4 I5 I10',
    offTable: NO_INTENT,
    full: 2_141_654,
    small: [{ ...ONE_EFFECT, hasCancel: true }, 218_520],
  },
  {
    is: ['M3', 'blind retry, keys alone', { ...KEYS, mutant: 'blind retry' }],
    full: 596_550,
    small: [ONE_EFFECT, 39_888],
  },
  {
    is: ['M3q', 'blind retry, quarantine, no cancel', { ...QUARANTINE, hasCancel: false, mutant: 'blind retry' }],
    violated: 'I1 I3 I4 I5',
    full: 2_169_070,
    small: [{ ...ONE_EFFECT, hasCancel: true }, 266_736],
  },
  {
    is: [
      'M4',
      'result and position in two commits, no cancel',
      { ...KEYS_AND_LOOKUP, hasCancel: false, mutant: 'result and position apart' },
    ],
    violated: 'I8',
    full: 870_892,
    small: [ONE_EFFECT, 12_022],
  },
  {
    is: ['M5', 'compensation while UNKNOWN', { ...KEYS_AND_LOOKUP, mutant: 'undo in doubt' }],
    violated: 'I5 I6',
    full: 4_623_294,
    small: [ONE_EFFECT, 315_384],
  },
  {
    is: ['M6', 'a new key per attempt, one worker', { ...KEYS_AND_LOOKUP, workers: 1, mutant: 'key per attempt' }],
    violated: 'I1 I3 I4 I5',
    full: 133_362,
  },
  {
    is: [
      'M7',
      'a lost answer at COMMIT read as failure',
      { ...KEYS_AND_LOOKUP, mutant: 'lost commit read as failure' },
    ],
    violated: 'I3 I5 I8',
    offTable: 'CONFIRMED>FAILED',
    full: 1_363_608,
    small: [ONE_WORKER, 24_414],
  },
  {
    is: ['M8', 'a living lease stolen, keys and look-up', { ...KEYS_AND_LOOKUP, mutant: 'live lease stolen' }],
    full: 924_582,
    small: [ONE_EFFECT, 58_848],
  },
  { is: ['M8q', 'a living lease stolen, quarantine', { ...QUARANTINE, mutant: 'live lease stolen' }], full: 37_370 },
  {
    is: ['M9', 'a confirmation ignores the cancel', { ...KEYS_AND_LOOKUP, mutant: 'cancel ignored' }],
    violated: 'I9',
    full: 307_866,
    small: [ONE_EFFECT, 13_554],
  },
  {
    is: ['M10', 'no sweeper', { ...KEYS_AND_LOOKUP, mutant: 'no sweeper' }],
    violated: 'I11 I12',
    full: 251_548,
    small: [ONE_EFFECT, 16_630],
  },
  {
    is: [
      'M11',
      'a time-out read as failure, keys and look-up',
      { ...KEYS_AND_LOOKUP, mutant: 'time-out read as failure' },
    ],
    violated: 'I3 I5',
    full: 2_148_510,
    small: [ONE_EFFECT, 79_188],
  },
  {
    is: ['M11n', 'a time-out read as failure, neither', { ...NONE, mutant: 'time-out read as failure' }],
    violated: 'I3 I5',
    full: 41_254,
  },
  {
    is: [
      'E15m',
      'E15: a refusal after a doubt taken as proof, look-up',
      { ...EXISTS_AND_LOOKUP, mutant: 'refusal after doubt is proof' },
    ],
    violated: 'I3 I5',
    full: 1_160_316,
    small: [ONE_EFFECT, 55_286],
  },
  {
    is: [
      'E15pm',
      'E15: a refusal after a doubt taken as proof, no look-up',
      { ...EXISTS, mutant: 'refusal after doubt is proof' },
    ],
    violated: 'I3 I5',
    full: 952_372,
    small: [ONE_EFFECT, 44_218],
  },
  {
    is: [
      'R08e',
      'R08: the run ends before its losers settle',
      { ...QUARANTINE, hasLoser: true, mutant: 'ends before losers settle' },
    ],
    violated: 'I4 I5',
    full: 298_442,
  },
  {
    is: [
      'R08u',
      'R08: undone before the losers settle',
      { ...QUARANTINE, hasLoser: true, mutant: 'undoes before losers settle' },
    ],
    violated: 'I5',
    full: 222_386,
  },
];

const FAILOVERS: readonly Row[] = [
  { is: ['F1', 'failover, keys and look-up', { ...KEYS_AND_LOOKUP, ...FAILOVER }], violated: 'I10', full: 229_701 },
  {
    is: ['F2', 'failover, keys alone, refusals', { ...KEYS, ...FAILOVER, refuses: true }],
    violated: 'I10',
    full: 1_506_362,
    small: [ONE_EFFECT, 29_534],
  },
  { is: ['F3', 'failover, neither', { ...NONE, ...FAILOVER }], violated: 'I1 I4 I5 I10', full: 69_478 },
  { is: ['F4', 'failover, look-up, quarantine', { ...QUARANTINE, ...FAILOVER }], violated: 'I1 I4 I10', full: 38_769 },
  {
    is: ['F5', 'failover, neither, one worker', { ...NONE, ...FAILOVER, workers: 1 }],
    violated: 'I1 I4 I5 I10',
    full: 4_184,
  },
  {
    is: [
      'F6',
      'failover, keys and look-up, cancel, refusals, one worker',
      { ...KEYS_AND_LOOKUP, isFailover: true, workers: 1 },
    ],
    violated: 'I3 I4 I5 I10',
    full: 394_904,
    small: [ONE_EFFECT, 24_095],
  },
];

/** Every variant: those that hold, those that cannot, the mutants, and the failovers. */
export const EFFECT_VARIANTS: readonly EffectVariant[] = [...HOLDING, ...CANNOT_HOLD, ...MUTANTS, ...FAILOVERS].map(
  variantOf,
);
