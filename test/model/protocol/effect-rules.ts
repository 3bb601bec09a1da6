/** What makes one variant of the effect protocol; the defaults are two workers, two effects, and a person who answers. */
export interface EffectRules {
  readonly workers: 1 | 2 | 3;
  /** 1: the second effect and its compensation alone, which may be refused. */
  readonly effects: 1 | 2;
  /** The provider remembers keys and answers a repeat as it answered first. */
  readonly keys: boolean;
  /** The provider knows its own doubles by their content, and answers a repeat with a refusal: "already exists". */
  readonly exists: boolean;
  /** The provider can be asked. */
  readonly lookup: boolean;
  /** The provider may refuse. */
  readonly refuses: boolean;
  /** The provider forgets keys while they may still be needed. */
  readonly forgets: boolean;
  /** Requests live for a bounded time: nothing is sent late, and nothing is believed before all that was sent has landed. */
  readonly isBounded: boolean;
  readonly hasCancel: boolean;
  /** Whether a person answers, and whether only after the quarantine. */
  readonly person: 'patient' | 'hasty' | 'nobody';
  /** A compensation that a person orders again goes out under the same key (the stored refusal comes back). */
  readonly sameKeyRedo: boolean;
  /** Once, the database goes back to an earlier state: a replica took over without the last commits. */
  readonly isFailover: boolean;
  /** The first effect may lose a race; it is kept (R08 `losers: keep`): the run goes on at once and does not end before it settles. */
  readonly hasLoser: boolean;
  readonly mutant: EffectMutant | null;
}

/** One rule that is broken. */
export type EffectMutant =
  | 'unfenced write'
  | 'no intent'
  | 'blind retry'
  | 'result and position apart'
  | 'undo in doubt'
  | 'key per attempt'
  | 'lost commit read as failure'
  | 'live lease stolen'
  | 'cancel ignored'
  | 'no sweeper'
  | 'time-out read as failure'
  | 'refusal after doubt is proof'
  | 'ends before losers settle'
  | 'undoes before losers settle';

/** The rules of a variant, from what it changes. */
export function rulesOf(changes: Partial<EffectRules>): EffectRules {
  return {
    workers: 2,
    effects: 2,
    keys: false,
    exists: false,
    lookup: false,
    refuses: true,
    forgets: false,
    isBounded: false,
    hasCancel: true,
    person: 'patient',
    sameKeyRedo: false,
    isFailover: false,
    hasLoser: false,
    mutant: null,
    ...changes,
  };
}
