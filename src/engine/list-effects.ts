import { verifyReceipts } from '../decision/receipt.ts';
import type { Receipt } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
import type { EffectFilter, EffectLine } from '../ports/ledger-store.ts';
import type { Engine } from './engine.ts';
import { findEffect } from './find-effect.ts';
import { loadStored } from './find-run.ts';
import type { EffectRowView, RunView } from './run-view.ts';

/** A line of a list of effects; times RFC 3339 UTC. */
export interface EffectLineView {
  readonly run: string;
  readonly runKey: string;
  readonly workflow: string;
  readonly version: number;
  readonly startedAt: string;
  readonly key: string;
  readonly step: string;
  readonly action: string;
  readonly state: string;
  readonly attempt: number;
  readonly code: string | null;
  /** When it was settled, fell into doubt or was sent last; else when its run was started. */
  readonly since: string;
  readonly settledAt: string | null;
}

/** A receipt as it is told, and whether its content is what its integrity covers. */
export interface ReceiptView extends Omit<Receipt, 'requestedAtMs' | 'settledAtMs' | 'effectKey'> {
  readonly requestedAt: string | null;
  readonly settledAt: string;
  readonly verified: boolean;
}

/** An effect with its proof. */
export interface EffectView {
  readonly run: string;
  readonly workflow: string;
  readonly version: number;
  readonly effect: EffectRowView;
  readonly receipts: readonly ReceiptView[];
  /** What is wrong with the row or its receipts; none = the proof holds. */
  readonly faults: readonly string[];
  /** What was heard of it beside its run: late answers, and words after the outcome. */
  readonly observations: readonly { readonly source: string; readonly id: string; readonly detail: Json }[];
}

function time(atMs: number): string {
  return new Date(atMs).toISOString();
}

function lineView({ runId, startedAtMs, sinceMs, settledAtMs, ...line }: EffectLine): EffectLineView {
  const settledAt = settledAtMs === null ? null : time(settledAtMs);
  return { run: displayRunId(runId), ...line, startedAt: time(startedAtMs), since: time(sinceMs), settledAt };
}

/** Effects of all runs. Transaction: none. */
export async function listEffects(
  { store, tenant }: Engine,
  filter: Omit<EffectFilter, 'tenant'>,
): Promise<readonly EffectLineView[]> {
  return (await store.effects({ ...filter, tenant })).map(lineView);
}

function receiptView(
  { requestedAtMs, settledAtMs, effectKey: _key, ...receipt }: Receipt,
  isFaulty: boolean,
): ReceiptView {
  const requestedAt = requestedAtMs === null ? null : time(requestedAtMs);
  return { ...receipt, requestedAt, settledAt: time(settledAtMs), verified: !isFaulty };
}

/**
 * An effect of a run with its receipts, recomputed, and what was heard of it beside. Transaction: none.
 * @param show gives the run as it is shown. @param name the effect's key, its beginning, or its step.
 * @throws PAWL_EFFECT_NOT_FOUND; PAWL_RUN_AMBIGUOUS when several rows fit.
 */
export async function effectView(
  engine: Engine,
  run: RunIdentity,
  { show, name }: { readonly show: () => Promise<RunView>; readonly name: string },
): Promise<EffectView> {
  const { part, runId, workflow, version } = run;
  const { stored } = await loadStored(engine, run);
  const { key } = findEffect({ effects: stored.effects, incidents: [] }, name);
  // The run second: no row of a ledger goes, so that the one that was found is among what is shown.
  const effect = (await show()).effects.find((row) => row.key === key);
  invariant(effect !== undefined, 'an effect that was found is not shown', { runId, key });
  const receipts = await engine.store.receipts(part, runId);
  const faults = verifyReceipts({ runId, receipts, effects: stored.effects }).filter((one) => one.effectKey === key);
  const faulty = new Set(faults.map(({ receiptNo }) => receiptNo));
  const observations = await engine.store.observations(part, runId);
  return {
    ...{ run: displayRunId(runId), workflow, version },
    effect,
    receipts: receipts
      .filter((receipt) => receipt.effectKey === key)
      .map((receipt) => receiptView(receipt, faulty.has(receipt.receiptNo))),
    faults: faults.map(({ fault }) => fault),
    observations: observations
      .filter(({ effectKey }) => effectKey === key)
      .map(({ source, sourceId: id, detail }) => ({ source, id, detail })),
  };
}
