import { proofFaults, verifyReceipts } from '../receipt.ts';
import type { RowCheck } from './check.ts';
import { effectRow } from './opened-run.ts';

/** E10: the chain of receipts, recomputed; a flipped byte, a missing receipt and one put in between are found. */
export const RECEIPT_CHAIN: RowCheck = {
  name: 'receipt-chain',
  rule: 'E10',
  promise: 'Receipts are numbered from 1, linked, and their content is what their integrity covers.',
  mend: null,
  find: ({ run, receipts }) =>
    verifyReceipts({ runId: run.runId, receipts, effects: [] }).map(({ receiptNo, fault }) => ({
      row: `receipt ${receiptNo}`,
      what: fault,
    })),
};

/** E10, V4: what the ledger says happened has its proof, and every proof is of a row. */
export const RECEIPT_ROW: RowCheck = {
  name: 'receipt-row',
  rule: 'E10',
  promise: 'CONFIRMED, ABSENT and WAIVED effects have the receipt that says so, and every receipt is of an effect.',
  mend: null,
  find: ({ effects, receipts }) => {
    const keys = new Set(effects.map(({ key }) => key));
    return [
      ...effects.flatMap((effect) => proofFaults(effect, receipts).map((what) => ({ row: effectRow(effect), what }))),
      ...receipts
        .filter(({ effectKey }) => !keys.has(effectKey))
        .map(({ receiptNo, effectKey }) => ({
          row: `receipt ${receiptNo}`,
          what: `it is of effect ${effectKey}, which is not there`,
        })),
    ];
  },
};
