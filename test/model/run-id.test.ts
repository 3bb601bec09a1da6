import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import type { EffectKey, RunId } from '../../src/model/ids.ts';
import { displayEffectKey, displayRunId, parseRunId } from '../../src/model/run-id.ts';

const ID = '0193735f-6b40-7c3a-9d52-1f0e8a4b7c6d' as RunId;
const uuid = fc.uuid().map((text) => text as RunId);

describe('displayRunId', () => {
  it('shows run_ and 26 digits of Crockford base 32', () => {
    expect(displayRunId(ID)).toBe('run_01jdsnytt0fgx9tmgz1t54pz3d');
    expect(displayRunId('00000000-0000-0000-0000-000000000000' as RunId)).toBe(`run_${'0'.repeat(26)}`);
    expect(displayRunId('ffffffff-ffff-ffff-ffff-ffffffffffff' as RunId)).toBe(`run_7${'z'.repeat(25)}`);
  });

  it('sorts as the ids sort', () => {
    fc.assert(fc.property(uuid, uuid, (a, b) => displayRunId(a) < displayRunId(b) === a < b));
  });
});

describe('parseRunId', () => {
  it('reads back both forms, in any case', () => {
    fc.assert(
      fc.property(uuid, (id) => {
        for (const text of [id, id.toUpperCase(), displayRunId(id), displayRunId(id).toUpperCase()])
          expect(parseRunId(text)).toBe(id);
      }),
    );
  });

  it('forgives the digits that people misread', () => {
    expect(parseRunId('run_OIJDSNYTTofgx9tmgzlt54pz3d')).toBe(ID);
  });

  it.each([
    '',
    'order-1',
    'run_',
    'run_01jdspytt0',
    `run_8${'0'.repeat(25)}`,
    `run_${'u'.repeat(26)}`,
    `${ID}0`,
    ID.replaceAll('-', ''),
  ])('answers null for %j', (text) => expect(parseRunId(text)).toBeNull());
});

describe('displayEffectKey', () => {
  it('shows eff_ and the first 12 digits', () => {
    expect(displayEffectKey('abcdef0123456789'.repeat(4) as EffectKey)).toBe('eff_abcdef012345');
  });
});
