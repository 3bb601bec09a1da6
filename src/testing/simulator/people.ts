import type { RunView } from '../../engine/run-view.ts';
import type { ResolveAsk } from '../../engine/resolve-review.ts';
import { PawlError } from '../../model/errors.ts';
import { wordFor } from '../truthful-operator.ts';
import type { Fleet } from './fleet.ts';
import type { SimulatedProvider } from './simulated-provider.ts';
import type { World } from './world.ts';

/** The people who answer what only people can: they look into the provider's book and say what they saw. */
export interface People {
  /** Looks once at everything that needs a person, and acts on a share of it. */
  attend(share: number): Promise<void>;
}

type IncidentView = RunView['incidents'][number];

const OPERATOR = { by: 'ops', roles: ['operator', 'approver'] };

/** People of a world. */
export function createPeople(world: World, fleet: Fleet, provider: SimulatedProvider): People {
  /** A refusal is not in the book: whoever asks about one hears that it did not happen. */
  const book = { entriesOf: provider.entriesOf, wasDeclined: () => false };
  let acts = 0;

  const act = async (view: RunView, incident: IncidentView): Promise<void> => {
    acts += 1;
    const eventId = `act-${acts}`;
    const effect = view.effects.find((row) => row.key === incident.effect);
    if (effect !== undefined) {
      const as = wordFor(book, effect);
      await fleet.ask((verbs) =>
        verbs.resolve(view.id, {
          effect: effect.key,
          as,
          evidence: 'seen in the book',
          output: output(as),
          ...OPERATOR,
        }),
      );
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
      const lines = await fleet.ask((verbs) =>
        verbs.list({ workflow: null, statuses: null, needsHuman: true, q: null, limit: 100 }),
      );
      if (lines instanceof PawlError) throw lines;
      for (const line of lines) {
        const view = await fleet.ask((verbs) => verbs.show(line.id));
        if (view instanceof PawlError) throw view;
        for (const incident of view.incidents) if (world.random.next() < share) await act(view, incident);
      }
    },
  };
}

function output(word: ResolveAsk['as']): ResolveAsk['output'] {
  return word === 'confirmed' ? { id: 'from-the-book' } : undefined;
}
