import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import canonicalize from 'canonicalize';
import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  CHAIN_START,
  issueReceipt,
  makeReceipt,
  type ReceiptChain,
  verifyReceipts,
} from '../../src/decision/receipt.ts';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import type { Effect, Receipt } from '../../src/model/effect.ts';
import type { RunId } from '../../src/model/ids.ts';
import { authorized, outcome, RUN, requested, settling } from './ledger-fixtures.ts';

/** Three effects settled one after the other, with their receipts. */
function book(): { effects: Effect[]; receipts: Receipt[] } {
  let chain: ReceiptChain = { runId: RUN.runId, lastReceiptNo: 0, lastReceiptHash: CHAIN_START };
  const effects: Effect[] = [];
  const receipts: Receipt[] = [];
  for (const [index, step] of ['reserve', 'charge', 'ship'].entries()) {
    const settled = settleAttempt(
      settling(requested(authorized(step))),
      index === 2
        ? outcome('rejected', { resultBase64: 'eyJubyI6MX0=' })
        : outcome('confirmed', { resultBase64: 'eyJpZCI6MX0=' }),
    );
    if (settled.receipt === null) throw new Error('not settled');
    const issued = issueReceipt(settled.effect, settled.receipt, chain);
    chain = issued.chain;
    effects.push(issued.effect);
    receipts.push(issued.receipt);
  }
  return { effects, receipts };
}
const verify = (receipts: readonly Receipt[], effects: readonly Effect[] = []) =>
  verifyReceipts({ runId: RUN.runId, receipts, effects });
const swap = <Item>(list: readonly Item[], index: number, change: (item: Item) => Item): Item[] =>
  list.map((item, at) => (at === index ? change(item) : item));

describe('receipts', () => {
  it('E10: they are numbered from 1, linked to the one before, and covered by a hash that can be made by hand', () => {
    // E10: "Receipts are numbered per run, written only in guarded commits, chained by that number (order of completion for R06)."
    const { receipts, effects } = book();
    expect(receipts.map((receipt) => receipt.receiptNo)).toEqual([1, 2, 3]);
    expect(receipts.map((receipt) => receipt.previous)).toEqual([
      CHAIN_START,
      receipts[0]?.integrity,
      receipts[1]?.integrity,
    ]);
    for (const receipt of receipts) {
      const { integrity, ...body } = receipt;
      const text = String(canonicalize({ ...body, runId: RUN.runId }));
      expect(integrity).toBe(createHash('sha256').update(text).digest('hex'));
    }
    expect(effects.map((effect) => effect.receiptNo)).toEqual([1, 2, 3]);
    expect(verify(receipts, effects)).toEqual([]);
    expect(verify([...receipts].reverse(), effects)).toEqual([]);
  });

  it('E10: one flipped character anywhere in a receipt is found', () => {
    // E10: "`pawl receipt verify` recomputes offline; one flipped byte is found."
    const { receipts, effects } = book();
    const text = JSON.stringify(receipts);
    const flip = (at: number, code: number): string =>
      text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 0x20, max: 0x7e }), (at, code) => {
        fc.pre(text.charCodeAt(at) !== code);
        let damaged: Receipt[];
        try {
          damaged = JSON.parse(flip(at, code));
        } catch {
          return;
        }
        // JSON reads 1e999 as Infinity, which has no canonical form: such a text never says the same.
        if (isDeepStrictEqual(damaged, receipts)) return;
        expect(verify(damaged, effects)).not.toEqual([]);
      }),
      { numRuns: 1_000, examples: [[1491, 69]] },
    );
  });

  it('E10: a missing, a doubled and an exchanged receipt are found', () => {
    // E10: "`pawl receipt verify` recomputes offline; one flipped byte is found."
    const { receipts } = book();
    expect(verify(receipts.slice(1))).not.toEqual([]);
    expect(verify(receipts.filter((receipt) => receipt.receiptNo !== 2))).not.toEqual([]);
    expect(verify([...receipts, ...receipts.slice(2)])).not.toEqual([]);
    expect(verifyReceipts({ runId: 'other' as RunId, receipts, effects: [] })).toHaveLength(3);
  });

  it('E10: a chain that is consistent but belongs to other requests is found', () => {
    // E10: "`pawl receipt verify` recomputes offline; one flipped byte is found."
    const { receipts, effects } = book();
    const [first] = receipts;
    if (!first) throw new Error('no receipt');
    const { receiptNo, previous, integrity, ...draft } = first;
    const chain = { runId: RUN.runId, lastReceiptNo: receiptNo - 1, lastReceiptHash: previous };
    const forged = makeReceipt({ ...draft, requestHash: 'f'.repeat(64) }, chain);
    expect(forged.integrity).not.toBe(integrity);
    expect(verify([forged])).toEqual([]);
    const rechained = verify([forged, ...receipts.slice(1)]);
    expect(rechained).toEqual([
      { receiptNo: 2, effectKey: receipts[1]?.effectKey, fault: 'it is not linked to the receipt before it' },
    ]);
    expect(verify([forged], effects.slice(0, 1)).map((fault) => fault.fault)).toEqual([
      'the receipt is of another request',
    ]);
  });

  it('E10: a ledger row that its receipts do not bear out is found', () => {
    // E10: "`pawl receipt verify` recomputes offline; one flipped byte is found."
    const { receipts, effects } = book();
    const faults = (change: (effect: Effect) => Effect): readonly string[] =>
      verify(receipts, swap(effects, 0, change)).map((fault) => fault.fault);
    expect(faults((row) => ({ ...row, request: row.request.replace('100', '900') }))).toEqual([
      'the request does not match its hash',
    ]);
    expect(faults((row) => ({ ...row, ingredients: { ...row.ingredients, generation: 1 } }))).toEqual([
      'the key does not match its ingredients',
    ]);
    expect(faults((row) => ({ ...row, receiptNo: 2 }))).toEqual(['the receipt that the row names is not its own']);
    expect(faults((row) => ({ ...row, externalId: 'zzz' }))).toEqual([
      'the row names another external id than its receipt',
    ]);
    expect(faults((row) => ({ ...row, state: 'ABSENT' }))).toEqual(['the row is ABSENT and no receipt says so']);
    expect(faults((row) => ({ ...row, receiptNo: null }))).toEqual(['the row is CONFIRMED and no receipt says so']);
    expect(faults((row) => ({ ...row, state: 'FAILED', receiptNo: null }))).toEqual([]);
  });

  it('finds content that has no canonical form at all', () => {
    const { receipts } = book();
    const damaged = swap(receipts, 0, (receipt) => ({ ...receipt, attempt: Number.NaN }));
    expect(verify(damaged)).not.toEqual([]);
  });

  it('is issued only for the row that it is about', () => {
    const { effects, receipts } = book();
    const [first] = receipts;
    const other = effects[1];
    if (!first || !other) throw new Error('no receipt');
    const chain = { runId: RUN.runId, lastReceiptNo: 0, lastReceiptHash: CHAIN_START };
    expect(() => issueReceipt(other, first, chain)).toThrow('belongs to another effect');
  });

  it('an empty book verifies', () => {
    expect(verify([])).toEqual([]);
  });
});
