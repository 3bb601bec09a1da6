import type { Outcome } from '../model/outcome.ts';

/** What every outcome starts from. */
export const BLANK: Omit<Outcome, 'kind' | 'code' | 'message'> = {
  output: undefined,
  named: false,
  retryAfterMs: null,
  externalId: null,
  resultBase64: '',
  sent: true,
};
