import { ACTION_CLASSES } from './action-classes.ts';
import { call, type Draw, scenarioOf, type ScenarioAction, undoable } from './scenario-parts.ts';

/** Acts that remote workers carry out, between others, undone by remote workers or not; some wait only so long, and people cancel. */
export const remote: Draw = (random) => {
  const acts = ['print', 'pack', 'hand'].flatMap((name, at): readonly ScenarioAction[] => {
    const [act, undo] = undoable(random, name, at * 0.2);
    if (act === undefined || undo === undefined) return [];
    return [
      { ...act, kind: random.pick(ACTION_CLASSES), isRemote: true },
      { ...undo, isRemote: random.next() < 0.5 },
    ];
  });
  return scenarioOf({
    name: 'remote',
    head: ['timeout: 10m'],
    actions: [...undoable(random, 'open', 0.1), ...acts],
    steps: [
      call('open'),
      call('print', ', retry: { attempts: 3, delay: 1s }'),
      call('pack', random.pick([', timeout: 20s', ''])),
      call('hand', random.pick([', pivot: true', ''])),
    ],
    outside: (draw) => (draw.next() < 0.4 ? [{ kind: 'cancel', atMs: draw.next() * 12_000 }] : []),
  });
};
