import { effectKey } from '../decision/effect-key.ts';
import { isSameJson } from '../decision/invariants/stored-json.ts';
import { isShared } from '../decision/share-effect.ts';
import { isSettled } from '../decision/effect-lifecycle.ts';
import type { CheckFacts, InvariantFault } from '../decision/invariants/check.ts';
import type { EffectKey, RunId } from '../model/ids.ts';
import { type SharedEffect, sharePart } from '../model/shared-effect.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { RunRecords } from '../model/run-records.ts';
import type { Store } from '../ports/store.ts';

/** Shared acts that are in memory at once. */
const PAGE_ROWS = 100;

/** E11: what stands in the place of a shared act is of its key, and its owner is there to settle it. */
export const SHARE: CheckFacts = {
  name: 'share',
  rule: 'E01, E11',
  promise:
    'A shared act has its row, under the hash of its ingredients, in the part of that key; whoever has done or awaits it is one of its users, its owner, too, whose request and outcome it has and who has not settled it without telling.',
  mend: null,
};

/** Whether the run that is to settle an act has done so and has nothing more to tell, or is not there. */
async function isForsaken(store: Store, owner: RunId, { effectKey: key, state }: SharedEffect): Promise<boolean> {
  const part = partOf(owner, store.parts);
  const { runs } = await store.load(part, [owner]);
  const rows = runs[0]?.effects.filter((row) => (state === 'undoing' ? row.compensates : row.key) === key) ?? [];
  const isOver = rows.length === 0 || rows.every((row) => isSettled(row.state) && row.state !== 'FAILED');
  if (!isOver) return false;
  const messages = await store.outbox(part, owner);
  return !messages.some((message) => message.key === key && message.state !== 'delivered');
}

/** What the row says of the act is what its owner's ledger says; a row of the ledger that is settled never changes back. */
async function ownerFaults(store: Store, owner: RunId, row: SharedEffect): Promise<readonly string[]> {
  const { runs } = await store.load(partOf(owner, store.parts), [owner]);
  const effect = runs[0]?.effects.find(({ key }) => key === row.effectKey);
  if (effect === undefined) return [];
  const { outcome } = row;
  const isTold = outcome?.ok === true && effect.state === 'CONFIRMED';
  const says = [effect.output ?? null, effect.externalId];
  const isOther = isTold && !isSameJson([outcome.output, outcome.externalId], says);
  return [
    ...(row.requestHash === effect.requestHash ? [] : ["its request is not its owner's"]),
    ...(isOther ? ["its outcome is not its owner's"] : []),
  ];
}

async function faultsOf(store: Store, row: SharedEffect): Promise<readonly string[]> {
  const { part, effectKey: key, owner, users, state } = row;
  const isOwnKey = effectKey(row.ingredients) === key && sharePart(key, store.parts) === part;
  const faults: string[] = isOwnKey ? [] : ['its key is not that of its ingredients, or lies in another part'];
  if (owner === null) return faults;
  if (!users.some(({ runId }) => runId === owner)) return [...faults, 'its owner is none of its users'];
  faults.push(...(await ownerFaults(store, owner, row)));
  if (state !== 'open' && state !== 'undoing') return faults;
  if (!(await isForsaken(store, owner, row))) return faults;
  // Read one after the other: what was settled meanwhile has changed it.
  const now = await store.sharedEffect(part, key);
  return now?.version === row.version ? [...faults, 'its owner has settled it, and its users have not heard'] : faults;
}

/** A run that may send a shared act, or has its outcome, was told so by the act's row, which stays. */
export async function verifyUses(store: Store, { run, effects }: RunRecords): Promise<readonly InvariantFault[]> {
  const used = effects.filter((effect) => isShared(effect) && (effect.attempt > 0 || effect.state === 'CONFIRMED'));
  const found: InvariantFault[] = [];
  for (const { key } of used) {
    const row = await store.sharedEffect(sharePart(key, store.parts), key);
    if (row?.users.some(({ runId }) => runId === run.runId)) continue;
    const what = row === null ? 'it is missing, and its run has it' : 'a run that has it is none of its users';
    found.push({ runId: run.runId, check: SHARE.name, rule: SHARE.rule, row: `share ${key}`, what, mend: SHARE.mend });
  }
  return found;
}

/** Looks at the shared acts of a part. Transaction: none. */
export async function verifyShares(store: Store, part: number): Promise<readonly InvariantFault[]> {
  const found: InvariantFault[] = [];
  let after: EffectKey | null = null;
  for (;;) {
    const page: readonly SharedEffect[] = await store.sharedEffects(part, after, PAGE_ROWS);
    for (const row of page) {
      const { name, rule, mend } = SHARE;
      const runId = row.owner ?? row.users[0]?.runId ?? null;
      if (runId === null) continue;
      const faults = await faultsOf(store, row);
      found.push(...faults.map((what) => ({ runId, check: name, rule, row: `share ${row.effectKey}`, what, mend })));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return found;
    after = last.effectKey;
  }
}
