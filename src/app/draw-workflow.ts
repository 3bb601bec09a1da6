import { describeRun } from '../machine/describe-run.ts';
import { describeMachine } from '../machine/diagram.ts';
import { restingAfter } from '../machine/form/active-states.ts';
import { paintForm } from '../machine/form/draw-form.ts';
import { toMermaid } from '../machine/mermaid.ts';
import { NotFoundError, RefusedError } from '../model/errors.ts';
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

/** How a run is drawn. */
export interface RunDrawing {
  readonly format: PictureFormat;
  /** As it was at this revision; left out: as it is. */
  readonly revision?: number | undefined;
}

/** How far a run had come. */
type Past = Pick<Awaited<ReturnType<App['history']>>, 'journal' | 'receipts'>;

/** What had become of it when it left a revision. @throws PAWL_REVISION_NOT_FOUND for one that the run has not come to. */
function upTo({ journal, receipts }: Past, revision: number | undefined): Past {
  if (revision === undefined) return { journal, receipts };
  const place = journal.findIndex((row) => row.revision === revision);
  if (place === -1)
    throw new NotFoundError(
      'PAWL_REVISION_NOT_FOUND',
      `the run has no revision ${revision}: it has come to ${journal.at(-1)?.revision ?? 0}`,
      { revision },
    );
  const leftAtMs = journal[place + 1]?.atMs ?? Number.POSITIVE_INFINITY;
  return {
    journal: journal.slice(0, place + 1),
    receipts: receipts.filter(({ settledAtMs }) => settledAtMs < leftAtMs),
  };
}

/**
 * Draws the machine that a run is pinned to, with the way it has gone.
 * Who holds it is told of the present alone: the journal does not say who did.
 * @throws PAWL_RUN_NOT_FOUND, PAWL_VERSION_NOT_FOUND, PAWL_RUN_PRUNED, PAWL_REVISION_NOT_FOUND.
 */
export async function drawRun(
  app: Pick<App, 'show' | 'version' | 'history'>,
  name: string,
  { format, revision }: RunDrawing,
): Promise<string> {
  const run = await app.show(name);
  if (run.prunedAt !== undefined)
    throw new RefusedError('PAWL_RUN_PRUNED', `the way of run ${run.id} was pruned at ${run.prunedAt}`, {
      run: run.id,
    });
  const version = await app.version(run.workflow, run.version);
  const { journal, receipts } = upTo(await app.history(name), revision);
  const machine = JSON.parse(version.machine) as Machine;
  const confirmed = new Set<string>(
    receipts.filter(({ outcome }) => outcome === 'confirmed').map(({ effectKey }) => effectKey),
  );
  const undone = run.effects
    .filter(({ compensates, key }) => compensates !== null && confirmed.has(key))
    .map(({ step }) => step);
  const isNow = revision === undefined || revision === run.revision;
  const held = isNow ? run.steps.filter(({ status }) => status === 'held').map(({ id }) => id) : [];
  const moves = journal.map(({ delta }) => ({ left: namesIn(delta, 'left'), entered: namesIn(delta, 'entered') }));
  const form = machine.definition.machine;
  if (form === undefined)
    return draw(describeRun(machine, { entered: moves.flatMap(({ entered }) => entered), undone, held }), format);
  const states = isNow ? (run.states ?? []) : restingAfter(form, moves).map(({ id }) => id);
  return draw(paintForm(machine, describeMachine(machine), { moves, states, undone, held }), format);
}

function namesIn(delta: Json, key: 'left' | 'entered'): readonly string[] {
  if (typeof delta !== 'object' || delta === null || Array.isArray(delta)) return [];
  const names = Reflect.get(delta, key) as Json | undefined;
  return Array.isArray(names) ? names.filter((state) => typeof state === 'string') : [];
}
