import type { RunView } from '../../engine/run-view.ts';
import type { ResolveAsk } from '../../engine/resolve-review.ts';
import { NotFoundError, PawlError } from '../../model/errors.ts';
import { wordFor } from '../truthful-operator.ts';
import type { ReviewAnswer, RunStatus } from '../../model/statuses.ts';
import type { Scene } from './scene.ts';

/** The people who answer what only people can: they look into the provider's book and say what they saw, nearly always. */
export interface People {
  /** Looks once at everything that needs a person, and acts on a share of it. */
  attend(share: number): Promise<void>;
}

type IncidentView = RunView['incidents'][number];

const LIVE: readonly RunStatus[] = ['RUNNING', 'WAITING', 'COMPENSATING'];
const OPERATOR = { by: 'ops', roles: ['operator', 'approver'] };
const LOOKING = { by: 'ops', reason: 'to be looked at' };

/** How often somebody says of what has happened that it has not. */
const ERRORS = 0.1;
/** How often somebody who looks stops a run where it stands, and how often all of something that is sent. */
const HALTS = 0.1;
const HUSHES = 0.07;
/** How often an undo that was refused is let go. */
const WAIVED = 0.2;

/** Has nothing of an action, of the workflow or to the provider be sent. */
async function hush({ world, fleet, scenario }: Scene): Promise<void> {
  const [first, ...rest] = scenario.actions.map(({ name }) => ({ kind: 'action', name: `do.${name}` }) as const);
  const wide = [{ kind: 'workflow', name: scenario.name } as const, { kind: 'host', name: 'provider' } as const];
  const subject = first === undefined ? wide[0] : world.random.pick([first, ...rest, ...wide]);
  if (subject !== undefined) await fleet.ask((verbs) => verbs.beginPause({ ...subject, ...LOOKING }));
}

/** Ends a share of the pauses of what is sent. */
async function unhush({ world, fleet }: Scene, share: number): Promise<void> {
  const pauses = await fleet.ask((verbs) => verbs.pauses());
  if (pauses instanceof PawlError) throw pauses;
  for (const { id } of pauses) if (world.random.next() < share) await fleet.ask((verbs) => verbs.endPause(id, LOOKING));
}

/** Stops some run where it stands, to look at it. */
async function halt({ world, fleet }: Scene, eventId: string): Promise<void> {
  const live = await fleet.ask((verbs) =>
    verbs.list({ workflow: null, statuses: LIVE, needsHuman: false, q: null, limit: 100 }),
  );
  if (live instanceof PawlError) throw live;
  const line = live[world.random.below(Math.max(1, live.length))];
  if (line === undefined) return;
  await fleet.ask((verbs) => verbs.pause(line.id, { ...LOOKING, eventId }));
}

async function letGo({ fleet }: Scene, { id }: RunView, eventId: string): Promise<void> {
  await fleet.ask((verbs) => verbs.resume(id, { by: 'ops', reason: 'looked at', eventId }));
}

/** People of a world. */
export function createPeople(scene: Scene): People {
  const { world, plan, fleet, provider, misjudged } = scene;
  /** A refusal is not in the book: whoever asks about one hears that it did not happen. */
  const book = { entriesOf: provider.entriesOf, wasDeclined: () => false };
  let acts = 0;

  const say = (effect: RunView['effects'][number]): ReviewAnswer => {
    const truth = wordFor(book, effect);
    if (truth === 'retry') return world.random.next() < WAIVED ? 'waived' : truth;
    if (truth !== 'confirmed' || effect.state !== 'UNKNOWN' || !plan.comes('errors', ERRORS)) return truth;
    misjudged.add(effect.key);
    return 'absent';
  };

  /** What happened after all is undone by order, or let stand. */
  const undo = async (view: RunView, eventId: string): Promise<void> => {
    const preview = await fleet.ask((verbs) => verbs.previewCompensation(view.id));
    if (preview instanceof PawlError) return;
    const how = { by: 'ops', reason: 'it had happened', eventId };
    await fleet.ask((verbs) => verbs.compensate(view.id, how, preview.planHash));
  };

  const act = async (view: RunView, incident: IncidentView): Promise<void> => {
    acts += 1;
    const eventId = `act-${acts}`;
    const effect = view.effects.find((row) => row.key === incident.effect);
    if (incident.acts.includes('compensate') && incident.kind === 'late-proof') {
      await undo(view, eventId);
      return;
    }
    if (effect !== undefined) {
      const as = say(effect);
      await fleet.ask((verbs) =>
        verbs.resolve(view.id, {
          effect: effect.key,
          as,
          evidence: 'seen in the book',
          output: output(as),
          ...OPERATOR,
        }),
      );
      // What was not in the book when somebody looked can be there when the word arrives.
      if (as === 'absent' && wordFor(book, effect) !== as) misjudged.add(effect.key);
      return;
    }
    const reason = 'decided by hand';
    const step = incident.step;
    if (incident.acts.includes('retry') && step !== null) {
      await fleet.ask((verbs) => verbs.retry(view.id, step, { by: 'ops', reason, eventId }));
    } else if (incident.acts.includes('terminate')) {
      await fleet.ask((verbs) => verbs.terminate(view.id, { by: 'ops', reason, eventId }));
    }
  };

  return {
    attend: async (share) => {
      acts += 1;
      if (plan.comes('halts', HALTS)) await halt(scene, `halt-${acts}`);
      if (plan.comes('halts', HUSHES)) await hush(scene);
      await unhush(scene, share);
      const lines = await fleet.ask((verbs) =>
        verbs.list({ workflow: null, statuses: null, needsHuman: true, q: null, limit: 100 }),
      );
      if (lines instanceof PawlError) throw lines;
      for (const line of lines) {
        const view = await fleet.ask((verbs) => verbs.show(line.id));
        // The database may have lost it since it was listed.
        if (view instanceof NotFoundError) continue;
        if (view instanceof PawlError) throw view;
        acts += 1;
        if (view.paused !== undefined && world.random.next() < share) await letGo(scene, view, `go-${acts}`);
        for (const incident of view.incidents) if (world.random.next() < share) await act(view, incident);
      }
    },
  };
}

function output(word: ResolveAsk['as']): ResolveAsk['output'] {
  return word === 'confirmed' ? { id: 'from-the-book' } : undefined;
}
