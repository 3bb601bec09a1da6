import { describe, expect, it } from 'vitest';
import { isReservedHeader } from '../../src/model/reserved-headers.ts';

describe('a header', () => {
  it.each(['Host', 'content-length', 'Proxy-Authorization', 'Pawl-Effect'])(
    'that is not a workflow’s to set: %s',
    (name) => {
      expect(isReservedHeader(name)).toBe(true);
    },
  );

  it.each(['Authorization', 'X-Host', 'Idempotency-Key'])('that a workflow may set: %s', (name) => {
    expect(isReservedHeader(name)).toBe(false);
  });
});
