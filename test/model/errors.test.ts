import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/model/canonical-json.ts';
import { assertNever, DefinitionError, invariant } from '../../src/model/errors.ts';
import type { Json } from '../../src/model/json.ts';
import type { Problem } from '../../src/model/problem.ts';

describe('errors', () => {
  it('of a definition say the first problem and carry all of them', () => {
    const problems = [{ message: 'first' }, { message: 'second' }] as unknown as readonly Problem[];
    expect(new DefinitionError(problems)).toMatchObject({
      code: 'PAWL_DEFINITION_INVALID',
      message: 'first',
      problems,
      details: { count: 2 },
    });
    expect(new DefinitionError([]).message).toBe('the definition is invalid');
  });

  it('of our own are loud: a broken invariant, a kind that nobody knows, a value without JSON form', () => {
    expect(() => invariant(false, 'one', { fact: 1 })).toThrow(
      expect.objectContaining({ code: 'PAWL_INVARIANT', message: 'one', details: { fact: 1 } }),
    );
    expect(() => assertNever('other' as never)).toThrow(
      expect.objectContaining({ code: 'PAWL_INVARIANT', message: 'unexpected value "other"' }),
    );
    expect(() => canonicalJson(undefined as unknown as Json)).toThrow(
      expect.objectContaining({ code: 'PAWL_INVARIANT' }),
    );
  });
});
