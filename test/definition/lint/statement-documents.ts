import type { DocumentMistake } from './documents.ts';

/** A sound file with one statement, whose action and call take these keys. */
const statement = (keys: string, call = ''): string => `pawl: 1
workflow: sample
version: 1
timeout: 1d
input: { type: object, required: [n], properties: { n: { type: integer } } }
actions:
  act:
    ${keys}
    compensate: none
    input: { type: object, required: [n], properties: { n: { type: integer } } }
steps:
  - { id: a, call: act, with: { n: =input.n }${call} }
`;
const TAKE = 'sql: UPDATE t SET n = n - :n';

/** Mistakes in statements, by code. */
export const STATEMENTS: readonly DocumentMistake[] = [
  { code: 'PAWL-290', why: 'DDL', file: statement('sql: «⟦DROP TABLE t⟧|DELETE FROM t»') },
  { code: 'PAWL-290', why: 'two statements', file: statement("sql: «⟦'DELETE FROM t; COMMIT'⟧|DELETE FROM t»") },
  { code: 'PAWL-291', why: 'a value of another name', file: statement('sql: «⟦SELECT :m⟧|SELECT :n»') },
  {
    code: 'PAWL-292',
    why: 'a key for a provider',
    file: statement(`${TAKE}\n    «⟦idempotency⟧: natural|timeout: 5s»`),
  },
  { code: 'PAWL-292', why: 'a read', file: statement(`${TAKE}\n    «⟦effect⟧: read|effect: write»`) },
  {
    code: 'PAWL-292',
    why: 'an answer that is none',
    file: statement(`${TAKE}\n    outcome: [{ when: response.rowCount == 0, is: «⟦unknown⟧|rejected» }]`),
  },
  {
    code: 'PAWL-292',
    why: 'rows of a request',
    file: statement(
      "http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: natural\n    «⟦expectRows⟧: 1|timeout: 5s»",
    ),
  },
  { code: 'PAWL-292', why: 'a doubt that never comes', file: statement(TAKE, ', «⟦onUnknown⟧: review|when: true»') },
  {
    code: 'PAWL-292',
    why: 'a retry of a doubt',
    file: statement(TAKE, ', retry: { attempts: 2, on: [«⟦unknown⟧|unavailable»] }'),
  },
  { code: 'PAWL-293', why: 'a long one', file: statement(`${TAKE}\n    timeout: «⟦2m⟧|1m»`) },
];
