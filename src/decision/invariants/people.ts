import { canonicalJson } from '../../model/canonical-json.ts';
import { needsOf } from '../run-status.ts';
import type { Finding, PositionCheck } from './check.ts';
import { effectRow, type OpenedRun } from './opened-run.ts';

/** P07: a process that could not read the position says so in `needs` alone. */
function canSomebodyAct({ rows, control, isParked }: OpenedRun): boolean {
  return isParked || control.incidents.length > 0 || rows.approvals.some(({ state }) => state === 'open');
}

/** What an incident is about is there, and a review is one of a row that waits for it. */
function incidentFaults({ rows, control, effects }: OpenedRun): readonly Finding[] {
  const inReview = new Set(
    control.incidents.filter(({ kind }) => kind === 'unknown').map(({ effectKey }) => effectKey),
  );
  const lost = control.incidents.filter(({ effectKey }) => effectKey !== null && !effects.has(effectKey));
  const over = [...inReview].flatMap((key) => {
    const effect = key === null ? undefined : effects.get(key);
    return effect === undefined || effect.doubt === 'review' ? [] : [effect];
  });
  const alone = rows.effects.filter(({ doubt, key }) => doubt === 'review' && !inReview.has(key));
  return [
    ...lost.map(({ id }) => ({ row: `incident ${id}`, what: 'it is about an effect that is not there' })),
    ...over.map((effect) => ({
      row: effectRow(effect),
      what: 'people are asked about it, and nothing of it waits for them',
    })),
    ...alone.map((effect) => ({ row: effectRow(effect), what: 'it waits for a person, and no incident says so' })),
  ];
}

/** "Nothing silent": what waits for a person says so, where people look. */
export const HELD: PositionCheck = {
  name: 'held',
  rule: 'R16, E06, P07',
  promise:
    'A HELD run has an incident or an open approval, an effect in review its incident, and `needs` lists them all.',
  mend: 'tell an operator; `pawl cancel RUN --terminate` works on every run that has not ended',
  find: (run) => {
    const { head, approvals } = run.rows;
    const isStuck = head.status === 'HELD' && !canSomebodyAct(run);
    const needs = needsOf(run.control, approvals);
    const isUntold = !run.isParked && canonicalJson([...head.needs].sort()) !== canonicalJson([...needs]);
    return [
      ...(isStuck ? [{ row: 'head', what: 'it is HELD, and there is nothing that a person could act on' }] : []),
      ...(isUntold && !isStuck
        ? [{ row: 'head', what: `it lists [${head.needs.join(', ')}], and needs [${needs.join(', ')}]` }]
        : []),
      ...incidentFaults(run),
    ];
  },
};
