import type { Verbs } from '../app/verbs.ts';
import type { RunView } from '../engine/run-view.ts';
import { PawlError } from '../model/errors.ts';
import type { ReviewAnswer } from '../model/statuses.ts';
import type { BookEntry } from './provider/book.ts';
import { answerFor } from './provider/desk.ts';

/** What an operator needs: eyes, hands, and the provider's book. */
export interface OperatorDesk {
  readonly verbs: Pick<Verbs, 'list' | 'show' | 'resolve'>;
  /** What really happened under an effect's key, in order. */
  entriesOf(key: string): readonly BookEntry[];
  /** Whether the provider remembers that it refused it for good. */
  wasDeclined(key: string): boolean;
}

type EffectView = RunView['effects'][number];

const OPERATOR = { by: 'olga', roles: ['operator', 'payments-ops'] };
const RUNS_MAX = 200;

/** The true word about an effect that a person is asked about. */
export function wordFor(desk: Omit<OperatorDesk, 'verbs'>, { key, state, compensates }: EffectView): ReviewAnswer {
  const happened = desk.entriesOf(key).length > 0;
  if (state !== 'UNKNOWN' && compensates !== null) return happened ? 'undone' : 'retry';
  if (happened) return 'confirmed';
  return desk.wasDeclined(key) ? 'rejected' : 'absent';
}

/** What an operator says who has looked into the book: the provider's own answer for what happened. */
async function resolveOne(desk: OperatorDesk, run: string, effect: EffectView): Promise<boolean> {
  const [entry] = desk.entriesOf(effect.key);
  const as = wordFor(desk, effect);
  const output = entry !== undefined && as === 'confirmed' ? answerFor(entry, 'done') : undefined;
  try {
    await desk.verbs.resolve(run, { effect: effect.key, as, evidence: 'seen in the book', output, ...OPERATOR });
    return true;
  } catch (error) {
    // Too early to say that nothing happened, settled meanwhile, or no database: the next look decides.
    if (error instanceof PawlError) return false;
    throw error;
  }
}

/** Looks once at everything that waits for a person and says about each effect what the book says. @returns how many words counted. */
export async function answerReviews(desk: OperatorDesk): Promise<number> {
  const lines = await desk.verbs.list({ workflow: null, statuses: null, needsHuman: true, q: null, limit: RUNS_MAX });
  let answered = 0;
  for (const line of lines) {
    const view = await desk.verbs.show(line.id);
    const asked = new Set(view.incidents.map(({ effect }) => effect));
    for (const effect of view.effects) {
      if (asked.has(effect.key) && (await resolveOne(desk, view.id, effect))) answered += 1;
    }
  }
  return answered;
}
