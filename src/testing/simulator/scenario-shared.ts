import { call, type Draw, scenarioOf, undoable } from './scenario-parts.ts';

/** An act that all runs share: it is asked for, handed over, refused, undone, and now and then asked for in other words. */
export const shared: Draw = (random) => {
  const words = random.pick(['{ text: hello }', '{ text: hello }', '{ no: =input.no }']);
  const kept = random.pick(['', ', retry: { attempts: 3, delay: 2s }', ', retry: { attempts: forever, delay: 1s }']);
  const reach = random.pick(['global', 'workflow']);
  const greet = `{ id: greet, call: do.greet, reach: ${reach}, object: house, intent: greeting, with: ${words}${kept} }`;
  const again = greet.replace('id: greet', 'id: again');
  const shape = random.pick([
    [`- ${greet}`],
    [`- { id: group, scope: [${greet}, ${call('inside').slice(2)}], catch: [{ on: [any], undo: true }] }`],
    [`- { id: group, parallel: { one: [${greet}], two: [${call('inside').slice(2)}] }, siblings: cancel }`],
    [`- ${greet}`, ...(reach === 'global' ? [`- ${again}`] : [])],
  ]);
  return scenarioOf({
    name: 'shared',
    head: [`timeout: ${random.pick(['10m', '10m', '9s'])}`],
    actions: [
      ...undoable(random, 'open', 0.05),
      ...undoable(random, 'greet', 0.1),
      ...undoable(random, 'inside', 0.3),
      ...undoable(random, 'close', 0.4),
    ],
    steps: [call('open'), ...shape, '- { id: rest, wait: 1s }', call('close')],
    outside: (draw) => [
      ...(draw.next() < 0.4
        ? [{ kind: draw.next() < 0.3 ? 'terminate' : 'cancel', atMs: draw.next() * 9_000 } as const]
        : []),
      ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
    ],
  });
};
