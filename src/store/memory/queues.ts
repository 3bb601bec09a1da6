import type { Offer, QueueRecord, TakenOffer } from '../../model/offer.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import { inOrder } from './row.ts';
import { keyOf, type OfferRow, type RunRows, runsIn, type Statement } from './tables.ts';

/** How often it is noted that a queue is asked, milliseconds. */
const NOTED_EVERY_MS = 1_000;

/** Offers after a commit: those that it makes, without those that it withdraws. */
export function offersAfter(
  { offers: before }: Pick<RunRows, 'offers'>,
  offers: RunCommit['offers'] = [],
): RunRows['offers'] {
  const after = new Map(before);
  for (const offer of offers) change(after, offer);
  return after;
}

function change(rows: Map<string, OfferRow>, { effectKey, queue, dueAtMs }: Offer): void {
  if (dueAtMs === null) rows.delete(effectKey);
  else rows.set(effectKey, { effectKey, queue, sinceMs: dueAtMs, dueAtMs });
}

/** Takes offers that are due, longest first; that somebody asked is noted. */
export function takeOffers(
  statement: Statement,
  ask: {
    readonly part: number;
    readonly tenant: string;
    readonly queue: string;
    readonly limit: number;
    readonly forMs: number;
  },
): readonly TakenOffer[] {
  const { part, tenant, queue, limit, forMs } = ask;
  const { nowMs, queues } = statement;
  const asked = queues.get(keyOf(part, tenant, queue));
  if (asked === undefined || asked.askedAtMs < nowMs - NOTED_EVERY_MS)
    queues.set(keyOf(part, tenant, queue), { part, tenant, queue, askedAtMs: nowMs });
  const due = runsIn(statement, part)
    .filter(({ run }) => run.tenant === tenant)
    .flatMap(({ run: { runId }, offers }) => [...offers.values()].map((offer) => ({ runId, offer })))
    .filter(({ offer }) => offer.queue === queue && offer.dueAtMs <= nowMs);
  const taken = inOrder(due, ({ offer }) => [offer.dueAtMs, offer.effectKey]).slice(0, limit);
  for (const { runId, offer } of taken) {
    const rows = statement.runs.get(runId);
    if (rows === undefined) continue;
    const offers = new Map([...rows.offers, [offer.effectKey, { ...offer, dueAtMs: nowMs + forMs }] as const]);
    statement.runs.set(runId, { ...rows, offers });
  }
  return taken.map(({ runId, offer: { effectKey } }) => ({ runId, effectKey }));
}

/** Queues of a tenant in a part, by name. */
export function queuesIn(statement: Statement, part: number, tenant: string): readonly QueueRecord[] {
  const runs = runsIn(statement, part).filter(({ run }) => run.tenant === tenant);
  const offers = runs.flatMap((rows) => [...rows.offers.values()]).filter(({ sinceMs }) => sinceMs <= statement.nowMs);
  const asked = [...statement.queues.values()].filter((row) => row.part === part && row.tenant === tenant);
  const names = new Set([...offers, ...asked].map(({ queue }) => queue));
  const records = [...names].map((queue): QueueRecord => {
    const mine = offers.filter((offer) => offer.queue === queue);
    return {
      part,
      queue,
      offered: mine.length,
      sinceMs: mine.length === 0 ? null : Math.min(...mine.map(({ sinceMs }) => sinceMs)),
      askedAtMs: asked.find((row) => row.queue === queue)?.askedAtMs ?? null,
    };
  });
  return inOrder(records, ({ queue }) => [queue]);
}
