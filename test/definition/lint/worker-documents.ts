import type { DocumentMistake } from './documents.ts';

/** A sound file with one action of remote workers, which takes these keys. */
const worker = (keys: string): string => `pawl: 1
workflow: sample
version: 1
timeout: 1d
secrets: [token]
input: { type: object, required: [n], properties: { n: { type: integer } } }
actions:
  act:
    worker: desk
    ${keys}
    compensate: none
    input: { type: object, required: [n], properties: { n: { type: integer } } }
steps:
  - { id: a, call: act, with: { n: =input.n } }
`;

/** Mistakes in actions of remote workers, by code. */
export const WORKERS: readonly DocumentMistake[] = [
  {
    code: 'PAWL-294',
    why: 'a secret for a worker',
    file: worker("idempotency: natural\n    «⟦auth⟧: { bearer: '${ secrets.token }' }|timeout: 5s»"),
  },
  { code: 'PAWL-294', why: 'a read', file: worker('idempotency: natural\n    «⟦effect⟧: read|effect: write»') },
  {
    code: 'PAWL-294',
    why: 'a header',
    file: worker('idempotency: { «⟦header⟧: Idempotency-Key, remembers: 24h|remembers: 24h» }'),
  },
  {
    code: 'PAWL-294',
    why: 'a field',
    file: worker('idempotency: { «⟦field⟧: key, remembers: 24h|remembers: 24h» }'),
  },
  {
    code: 'PAWL-250',
    why: 'a no that a remote worker has a name for',
    file: `pawl: 1
workflow: sample
version: 1
timeout: 1d
actions:
  act: { worker: desk, idempotency: { remembers: 24h }, compensate: none«|, outcome: [{ when: failure.code == "no-paper", is: rejected }]» }
steps:
  - { id: a, call: act, catch: [{ on: [unknown, ⟦no-paper⟧], do: [] }] }
`,
  },
];
