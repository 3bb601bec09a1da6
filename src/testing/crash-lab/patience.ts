import { resendsUntilMs } from '../../decision/doubt.ts';
import type { Effect } from '../../model/effect.ts';
import type { StoredRun } from '../../ports/store.ts';
import type { Tables } from '../../store/memory/tables.ts';
import { type Lab, labelOf, type Story } from './lab.ts';
import type { Trouble } from './trouble.ts';

/** What is played, as far as it says what else will come. */
interface Told {
  readonly lab: Lab;
  readonly story: Story;
  readonly trouble: Trouble | null;
}

/** A call that has gone out so often and whose provider says the same for ever is left alone until something else is due. */
const REPEATS_PLAYED = 12;
/** The last repeats are played, too, milliseconds before their end. */
const LAST_MS = 150_000;

/** Whether all that is still said of an effect's calls has been said already: story, trouble and script repeat themselves. */
function isRepeating({ lab, story, trouble }: Told, effect: Effect): boolean {
  const scripted = lab.scenario.scripts.get(effect.action)?.words.length ?? 0;
  const told = Math.max(REPEATS_PLAYED, trouble?.calls.length ?? 0, scripted);
  return effect.attempt > told && !story.slow.has(labelOf(effect));
}

/** When the repeats of an effect end by themselves, database time; null = never, undefined = it is not repeated, or they are counted. */
function endsAtMs(lab: Lab, effect: Effect): number | null | undefined {
  const { state, doubt, firstRequestedAtMs: firstMs } = effect;
  const contract = lab.compiled.action(effect.action);
  if (state === 'UNKNOWN' && doubt === 'resend') return resendsUntilMs(effect, contract);
  const step = lab.compiled.copies.get(effect.step);
  const { attempts, withinMs } = (step?.verb === 'call' ? step.retry : null) ?? contract.retry;
  if (state !== 'AUTHORIZED' || attempts !== null || firstMs === null) return undefined;
  return withinMs === null ? null : firstMs + withinMs;
}

/**
 * Until when a run only does again what it has done: nothing else is under way or due before that.
 * @returns database time, short of the end of the repeats; null = it is to be played on.
 */
export function patienceEndsAtMs(
  ask: Told,
  { run, effects }: StoredRun,
  { runs }: Pick<Tables, 'runs'>,
): number | null {
  const open = effects.filter(({ state }) => state === 'UNKNOWN' || state === 'REQUESTED' || state === 'AUTHORIZED');
  const [effect, ...more] = open;
  if (effect === undefined || more.length > 0 || !isRepeating(ask, effect)) return null;
  const { events, votes } = ask.lab.scenario;
  if ([...events, ...(votes ?? [])].some(({ atMs }) => atMs !== null)) return null;
  const endMs = endsAtMs(ask.lab, effect);
  if (endMs === undefined) return null;
  const timers = [...(runs.get(run.runId)?.timers.values() ?? [])].map(({ dueAtMs }) => dueAtMs);
  const times = [...(endMs === null ? [] : [endMs - LAST_MS]), ...timers.map((dueAtMs) => dueAtMs - 1_000)];
  return times.length === 0 ? null : Math.min(...times);
}
