import { canonicalJson } from '../model/canonical-json.ts';
import type { Effect, Receipt } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { sha256 } from '../model/hash.ts';
import { PRUNED_REQUEST } from '../model/retention.ts';
import type { RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { effectKey } from './effect-key.ts';

/** The end of a run's chain of receipts: what the next one is linked to. */
export interface ReceiptChain {
  readonly runId: RunId;
  readonly lastReceiptNo: number;
  /** Integrity of the last receipt; 64 zeros before the first. */
  readonly lastReceiptHash: string;
}

/** What a receipt says before it is numbered and linked. */
export type ReceiptDraft = Omit<Receipt, 'receiptNo' | 'previous' | 'integrity'>;

/** What the first receipt of a run is linked to. */
export const CHAIN_START = '0'.repeat(64);

/** Numbers a receipt and links it to the one before it (rule E10). */
export function makeReceipt(draft: ReceiptDraft, chain: ReceiptChain): Receipt {
  const body = { ...draft, receiptNo: chain.lastReceiptNo + 1, previous: chain.lastReceiptHash };
  return { ...body, integrity: integrityOf(body, chain.runId) };
}

/**
 * Issues the receipt of a settlement: the receipt, its number on the row, and the chain for the next one.
 * @throws PAWL_INVARIANT when the draft is not of this row.
 */
export function issueReceipt(
  effect: Effect,
  draft: ReceiptDraft,
  chain: ReceiptChain,
): { readonly effect: Effect; readonly receipt: Receipt; readonly chain: ReceiptChain } {
  invariant(
    draft.effectKey === effect.key && draft.requestHash === effect.requestHash,
    'a receipt belongs to another effect',
  );
  const receipt = makeReceipt(draft, chain);
  return {
    effect: { ...effect, receiptNo: receipt.receiptNo },
    receipt,
    chain: { runId: chain.runId, lastReceiptNo: receipt.receiptNo, lastReceiptHash: receipt.integrity },
  };
}

function integrityOf(body: Omit<Receipt, 'integrity'>, runId: RunId): string {
  const { receiptNo, effectKey: key, attempt, outcome, code, requestHash, externalId, resultBase64, observedBy } = body;
  const { evidence, approvalId, contract, requestedAtMs, settledAtMs, previous } = body;
  const content: Json = {
    runId,
    receiptNo,
    effectKey: key,
    attempt,
    outcome,
    code,
    requestHash,
    externalId,
    resultBase64,
    observedBy,
    evidence,
    approvalId,
    contract,
    requestedAtMs,
    settledAtMs,
    previous,
  };
  return sha256(canonicalJson(content));
}

/** Something that a receipt, or the ledger beside it, does not bear out. */
export interface ReceiptFault {
  /** The receipt it is about; null for a row of the ledger without its receipt. */
  readonly receiptNo: number | null;
  readonly effectKey: string;
  readonly fault: string;
}

/**
 * Recomputes a run's chain from nothing but the rows: numbers, links, integrity, and for the rows of the ledger given
 * with it the key, the request's hash, the number and the outcome. Needs no database and no network (rule E10).
 * @param proof receipts in any order; `effects` empty checks the chain alone.
 * @returns every fault found, by receipt number; an empty list means verified.
 */
export function verifyReceipts(proof: {
  readonly runId: RunId;
  readonly receipts: readonly Receipt[];
  readonly effects: readonly Effect[];
}): readonly ReceiptFault[] {
  const receipts = [...proof.receipts].sort((left, right) => left.receiptNo - right.receiptNo);
  const chain = receipts.flatMap((receipt, index) => checkLink(receipt, receipts[index - 1], proof.runId));
  const byNo = new Map(receipts.map((receipt) => [receipt.receiptNo, receipt]));
  return [...chain, ...proof.effects.flatMap((effect) => checkRow(effect, receipts, byNo))];
}

function checkLink(receipt: Receipt, before: Receipt | undefined, runId: RunId): ReceiptFault[] {
  const faults: string[] = [];
  if (receipt.receiptNo !== (before?.receiptNo ?? 0) + 1) faults.push('a receipt is missing before this one, or twice');
  if (receipt.previous !== (before?.integrity ?? CHAIN_START)) faults.push('it is not linked to the receipt before it');
  if (!isIntact(receipt, runId)) faults.push('its content does not match its integrity');
  return faults.map((fault) => ({ receiptNo: receipt.receiptNo, effectKey: receipt.effectKey, fault }));
}

/** Whether the integrity covers the content; content that has no canonical form is not intact. */
function isIntact(receipt: Receipt, runId: RunId): boolean {
  const { integrity, ...body } = receipt;
  try {
    return integrityOf(body, runId) === integrity;
  } catch {
    return false;
  }
}

function checkRow(effect: Effect, receipts: readonly Receipt[], byNo: ReadonlyMap<number, Receipt>): ReceiptFault[] {
  const own = receipts.filter((receipt) => receipt.effectKey === effect.key);
  const faults: string[] = [];
  const isThere = effect.request !== PRUNED_REQUEST;
  if (isThere && sha256(effect.request) !== effect.requestHash) faults.push('the request does not match its hash');
  if (effectKey(effect.ingredients) !== effect.key) faults.push('the key does not match its ingredients');
  faults.push(...checkProof(effect, own, byNo));
  return faults.map((fault) => ({ receiptNo: effect.receiptNo, effectKey: effect.key, fault }));
}

/** What a row and its receipts do not agree on. */
function checkProof(effect: Effect, own: readonly Receipt[], byNo: ReadonlyMap<number, Receipt>): readonly string[] {
  const isOther = own.some((receipt) => receipt.requestHash !== effect.requestHash);
  const named = effect.receiptNo === null ? null : (byNo.get(effect.receiptNo) ?? null);
  return [...(isOther ? ['the receipt is of another request'] : []), ...checkNamed(effect, named)];
}

/** What a ledger row and the receipts of its run do not agree on, its own key and hash left aside. */
export function proofFaults(effect: Effect, receipts: readonly Receipt[]): readonly string[] {
  const own = receipts.filter((receipt) => receipt.effectKey === effect.key);
  return checkProof(effect, own, new Map(receipts.map((receipt) => [receipt.receiptNo, receipt])));
}

/** What a row says of its outcome is what the receipt that it names says. */
function checkNamed(effect: Effect, named: Receipt | null): readonly string[] {
  const faults: string[] = [];
  const isOwn = named?.effectKey === effect.key;
  if (effect.receiptNo !== null && !isOwn) faults.push('the receipt that the row names is not its own');
  if (isOwn && named.externalId !== effect.externalId)
    faults.push('the row names another external id than its receipt');
  if (isOwn && SAID.some((name) => named[name] !== effect[name]))
    faults.push(
      `the row says otherwise than its receipt: ${SAID.filter((name) => named[name] !== effect[name]).join(', ')}`,
    );
  const isProved = named !== null && named.outcome === OUTCOME_OF[effect.state];
  if (NEEDS_RECEIPT.has(effect.state) && !isProved) faults.push(`the row is ${effect.state} and no receipt says so`);
  return faults;
}

/** What a receipt repeats of its row. */
const SAID = ['attempt', 'code', 'approvalId', 'contract', 'requestedAtMs', 'settledAtMs'] as const;

const OUTCOME_OF: Readonly<Partial<Record<Effect['state'], Receipt['outcome']>>> = {
  CONFIRMED: 'confirmed',
  FAILED: 'failed',
  ABSENT: 'absent',
  WAIVED: 'waived',
};
/** FAILED is not among them: a row whose deadline came before a sending fails without anybody having observed anything. */
const NEEDS_RECEIPT: ReadonlySet<Effect['state']> = new Set(['CONFIRMED', 'ABSENT', 'WAIVED']);
