import { describe, expect, it } from 'vitest';
import { packSnapshot, phaseOf, snapshotText, topState, unpackSnapshot } from '../../src/decision/snapshot-envelope.ts';
import type { Digest } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import type { KernelSnapshot } from '../../src/model/run.ts';
import { Play, workflow } from './support/play.ts';

const DIGEST = 'd'.repeat(64) as Digest;
const { snapshot, control } = new Play(workflow('  - { id: w, wait: 1h }')).state;
const TEXT = packSnapshot({ digest: DIGEST, revision: 1, snapshotText: snapshotText(snapshot), control });

describe('the envelope of a snapshot', () => {
  it('comes back as it went in', () => {
    expect(unpackSnapshot(TEXT, DIGEST)).toMatchObject({ revision: 1, digest: DIGEST, snapshot, control });
  });

  it.each<[string, Json]>([
    ['format', 'xstate4'],
    ['kernel', 'xstate@0.0.1'],
    ['schema', 2],
    ['digest', 'e'.repeat(64)],
    ['snapshot', null],
    ['snapshot', 'text'],
    ['control', null],
    ['control', 7],
  ])('P07 is refused with the field that does not fit: %s %j', (field, value) => {
    // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
    const other = JSON.stringify({ ...(JSON.parse(TEXT) as object), [field]: value });
    expect(() => unpackSnapshot(other, DIGEST)).toThrow(
      expect.objectContaining({ code: 'PAWL_SNAPSHOT_INVALID', details: expect.objectContaining({ field }) as object }),
    );
  });

  it('P07 is refused when it is no JSON', () => {
    // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
    expect(() => unpackSnapshot('{', DIGEST)).toThrow('not JSON');
  });
});

describe('the phase of a snapshot', () => {
  it.each<[Json, string, string]>([
    ['$settling', '$settling', 'settling'],
    ['$compensating', '$compensating', 'compensating'],
    ['$ended', '$ended', 'ended'],
    ['$completed', '$completed', 'ended'],
    [{ $forward: 'w' }, '$forward', 'forward'],
    [{}, '', 'forward'],
    [null, '', 'forward'],
  ])('of the position %j is read from its top state %s: %s', (value, top, phase) => {
    expect(topState(value)).toBe(top);
    expect(phaseOf({ ...snapshot, value } as KernelSnapshot)).toBe(phase);
  });
});
