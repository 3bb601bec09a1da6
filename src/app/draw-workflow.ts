import { describeRun } from '../machine/describe-run.ts';
import { describeMachine } from '../machine/diagram.ts';
import { paintForm } from '../machine/form/draw-form.ts';
import { toMermaid } from '../machine/mermaid.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Machine } from '../model/machine.ts';
import type { Picture } from '../model/picture.ts';
import { layoutPicture } from '../picture/layout.ts';
import { paintSvg } from '../picture/paint-svg.ts';
import type { App } from './create-app.ts';

/** A picture as text in one of its formats. */
export type PictureFormat = 'svg' | 'mermaid';

/** Draws a picture; SVG is laid out in a thread of its own. */
async function draw(picture: Picture, format: PictureFormat): Promise<string> {
  return format === 'mermaid' ? toMermaid(picture) : paintSvg(picture, await layoutPicture(picture));
}

/** Draws a machine without any run on it. @throws PAWL_INVARIANT when it cannot be laid out. */
export function drawMachine(machine: Machine, format: PictureFormat): Promise<string> {
  return draw(describeMachine(machine), format);
}

/**
 * Draws the machine that a run is pinned to, with the way it has gone.
 * @throws PAWL_RUN_NOT_FOUND, PAWL_VERSION_NOT_FOUND, PAWL_RUN_PRUNED.
 */
export async function drawRun(app: App, name: string, format: PictureFormat): Promise<string> {
  const run = await app.show(name);
  if (run.prunedAt !== undefined)
    throw new RefusedError('PAWL_RUN_PRUNED', `the way of run ${run.id} was pruned at ${run.prunedAt}`, {
      run: run.id,
    });
  const version = await app.version(run.workflow, run.version);
  const history = await app.history(name);
  const machine = JSON.parse(version.machine) as Machine;
  const undone = run.effects
    .filter(({ compensates, state }) => compensates !== null && state === 'CONFIRMED')
    .map(({ step }) => step);
  const held = run.steps.filter(({ status }) => status === 'held').map(({ id }) => id);
  const moves = history.journal.map(({ delta }) => ({
    left: namesIn(delta, 'left'),
    entered: namesIn(delta, 'entered'),
  }));
  const { states } = run;
  if (states !== undefined)
    return draw(paintForm(machine, describeMachine(machine), { moves, states, undone, held }), format);
  return draw(describeRun(machine, { entered: moves.flatMap(({ entered }) => entered), undone, held }), format);
}

function namesIn(delta: Json, key: 'left' | 'entered'): readonly string[] {
  if (typeof delta !== 'object' || delta === null || Array.isArray(delta)) return [];
  const names = Reflect.get(delta, key) as Json | undefined;
  return Array.isArray(names) ? names.filter((state) => typeof state === 'string') : [];
}
