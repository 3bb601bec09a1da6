import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import {
  checkIdentity,
  compensationKey,
  type EffectIdentity,
  effectKey,
  forwardIngredients,
  isSameRequest,
  KEY_ALGORITHM,
  readRequest,
  requestHash,
  requestText,
} from '../../src/decision/effect-key.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import { authorized, REQUEST, RUN, requested, T0 } from './ledger-fixtures.ts';

/** The rule by other hands: node's hash over canonicalize's text. */
const byHand = (value: unknown): string =>
  createHash('sha256')
    .update(String(canonicalize(value)))
    .digest('hex');

const IDENTITY: EffectIdentity = {
  run: RUN,
  step: 'charge',
  frames: [],
  action: 'psp.charge',
  object: 'order/O-1',
  intent: 'charge',
  generation: 0,
};
const keyOf = (patch: Partial<EffectIdentity> = {}): EffectKey =>
  effectKey(forwardIngredients({ ...IDENTITY, ...patch }));

describe('effect keys', () => {
  it('E01: the key is sha256 over the tagged list, addresses by reach, and stays what it was when it was pinned', () => {
    // E01: "The effect key is `sha256(JCS(["ek/1", tenant, reach, address, object, intent, generation]))`."
    const address = ['order', 'O-1', 'charge', []];
    expect(keyOf()).toBe(byHand(['ek/1', 'default', 'run', address, 'order/O-1', 'charge', 0]));
    expect(keyOf()).toBe('0639cb69c8711b5c485ce2c2fbde572124cb1277ff8b389e6193ed29444c0775');
    expect(keyOf({ reach: 'workflow' })).toBe(
      byHand(['ek/1', 'default', 'workflow', ['order', 'charge'], 'order/O-1', 'charge', 0]),
    );
    expect(keyOf({ reach: 'workflow' })).toBe('0212555be14d8eeb8d83ab3625deff5f40ec4dacbfa042fbe416b5300b3a3387');
    expect(keyOf({ reach: 'global' })).toBe(byHand(['ek/1', 'default', 'global', [], 'order/O-1', 'charge', 0]));
    expect(keyOf({ reach: 'global' })).toBe('c95726cce2e95f64505f264d7905d44ae03835e921a374713c0a55a92b67ed1d');
    const frames = [['v', 2] as const];
    expect(keyOf({ frames, generation: 1 })).toBe(
      byHand(['ek/1', 'default', 'run', ['order', 'O-1', 'charge', [['v', 2]]], 'order/O-1', 'charge', 1]),
    );
    expect(keyOf({ frames, generation: 1 })).toBe('52cfd7c8ed263a626707c83b2f013a2193e6439c82b366de4f992762010c6393');
  });

  it('E01: what the step does not say is the run key and the action name', () => {
    // E01: "runKey without `key` is the run's UUID in lower case."
    const key = keyOf({ object: null, intent: null });
    expect(key).toBe(byHand(['ek/1', 'default', 'run', ['order', 'O-1', 'charge', []], 'O-1', 'psp.charge', 0]));
  });

  it('E01: the start number of a freed key joins the run key and no text can imitate it', () => {
    // E01: "runKey without `key` is the run's UUID in lower case."
    const second = keyOf({ run: { ...RUN, startNumber: 2 } });
    expect(second).toBe(
      byHand(['ek/1', 'default', 'run', ['order', ['O-1', 2], 'charge', []], 'order/O-1', 'charge', 0]),
    );
    expect(keyOf({ run: { ...RUN, key: '["O-1",2]' } })).not.toBe(second);
  });

  it('E01: no version, attempt, worker or time changes a key; every ingredient does', () => {
    // E01: "No version, attempt, worker or time in it."
    const row = authorized();
    fc.assert(
      fc.property(fc.nat(1_000), fc.nat(), fc.nat(99), (attempt, delayMs, fence) => {
        const sent = requested({ ...row, attempt, countedAttempts: attempt }, T0 + delayMs, fence);
        expect(effectKey(sent.ingredients)).toBe(row.key);
      }),
    );
    const run = { ...RUN, version: 9, digest: RUN.digest, startedAtMs: 1, startedBy: 'user:eve', part: 3 };
    expect(keyOf({ run })).toBe(keyOf());
    const others: Partial<EffectIdentity>[] = [
      { step: 'other' },
      { object: 'order/O-2' },
      { intent: 'refund' },
      { generation: 1 },
      { frames: [['v', 1]] },
      { run: { ...RUN, key: 'O-2' } },
      { run: { ...RUN, tenant: 'other' } },
      { run: { ...RUN, workflow: 'other' } },
    ];
    const keys = others.map(keyOf);
    expect(new Set([keyOf(), ...keys]).size).toBe(others.length + 1);
  });

  it('E01: two identities share a key only if they are the same identity', () => {
    // E01: "The provider sees the 64 hex digits; `run_` + Crockford base32 is display only, and every verb takes either form or the run key."
    const text = fc.string({ unit: 'grapheme', maxLength: 6 });
    const identity = fc.record({ step: text, object: text, intent: text, key: text });
    fc.assert(
      fc.property(identity, identity, (left, right) => {
        const key = (of: typeof left): EffectKey =>
          keyOf({ step: of.step, object: of.object, intent: of.intent, run: { ...RUN, key: of.key } });
        return (key(left) === key(right)) === (canonicalize(left) === canonicalize(right));
      }),
    );
  });

  it('R13: the compensation key is sha256 over its tagged forward key and generation, one for each generation', () => {
    // R13: "Its key is `sha256(JCS(["ck/1", forwardKey, "compensate", generation]))`, generation 0, + 1 only by R16."
    const forward = keyOf();
    expect(compensationKey(forward)).toBe(byHand(['ck/1', forward, 'compensate', 0]));
    expect(compensationKey(forward)).toBe('8ed16d8893cb244f44ee21416f384225833d4f14c17e7ede0d9769cb12205c4e');
    expect(compensationKey(forward, 1)).toBe(byHand(['ck/1', forward, 'compensate', 1]));
    expect(compensationKey(forward)).toBe(compensationKey(forward));
    expect(compensationKey(compensationKey(forward))).not.toBe(forward);
  });

  it('refuses a generation that does not count', () => {
    expect(() => keyOf({ generation: -1 })).toThrow('generation');
    expect(() => keyOf({ generation: 0.5 })).toThrow('generation');
  });

  it('names its algorithm for the pin', () => {
    expect(KEY_ALGORITHM).toBe('ek/1 ck/1');
  });
});

describe('request hashes', () => {
  it('E02: the same request has the same hash whatever the order of its keys, another amount has another', () => {
    // E02: "Same key + same hash: the recorded outcome."
    const reordered = Object.fromEntries(Object.entries(REQUEST).reverse()) as unknown as typeof REQUEST;
    expect(requestHash(reordered)).toBe(requestHash(REQUEST));
    expect(requestHash(REQUEST)).toBe(byHand(REQUEST));
    const dearer = { ...REQUEST, body: { amount: 101 } };
    expect(requestHash(dearer)).not.toBe(requestHash(REQUEST));
    expect(isSameRequest(authorized(), requestHash(REQUEST))).toBe(true);
    expect(isSameRequest(authorized(), requestHash(dearer))).toBe(false);
  });

  it('E02: the stored text is the hashed text and gives the request back', () => {
    // E02: "Same key + same hash: the recorded outcome."
    expect(byHand(JSON.parse(requestText(REQUEST)))).toBe(requestHash(REQUEST));
    expect(readRequest(authorized())).toEqual(REQUEST);
  });

  it('finds a row whose request or key was tampered with', () => {
    const row = authorized();
    expect(() => checkIdentity(row)).not.toThrow();
    expect(() => checkIdentity({ ...row, request: row.request.replace('100', '900') })).toThrow(
      'request does not match',
    );
    expect(() => checkIdentity({ ...row, ingredients: { ...row.ingredients, generation: 1 } })).toThrow(
      'key does not match',
    );
    expect(() => readRequest({ ...row, request: '{}' })).toThrow('request does not match');
  });
});
