import { type Command, Option } from 'commander';
import { createKey, type KeyView, listKeys, revokeKey } from '../../app/api-keys.ts';
import { API_ROLES, type ApiRole, type KeyScope, readScope } from '../../model/api-key.ts';
import { parseDuration } from '../../model/duration.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { timeWords } from '../time-words.ts';

interface CreateOptions {
  readonly role: readonly string[];
  readonly scope?: readonly string[];
  readonly expires?: string;
}

const more = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/** `pawl key create|ls|revoke`: who may call the API, and what they may. */
export function addKey(program: Command, bind: Bind): void {
  const key = program.command('key').description('keys of the HTTP API');
  key
    .command('create')
    .description('make a key and show it once: what is stored cannot give it back')
    .argument('<principal>', 'whose key it is; one principal may have several')
    .addOption(
      new Option('--role <role>', `one of ${API_ROLES.join(', ')}; may be said again`)
        .argParser(more)
        .makeOptionMandatory(),
    )
    .option(
      '--scope <scope>',
      'RIGHT@WORKFLOWS, as run:start@refund-*: only that of its roles; may be said again',
      more,
    )
    .option('--expires <duration>', 'how long it counts, as 90d (default: until it is revoked)')
    .action(bind((context, principal: string, options: CreateOptions) => create(context, principal, options)));
  key
    .command('ls')
    .description('keys with what they may, the newest first')
    .action(bind((context) => ls(context)));
  key
    .command('revoke')
    .description('take a key back, for ever and at once')
    .argument('<id>', 'the 8 digits by which it is listed')
    .option('--reason <text>', 'kept with the act')
    .action(bind((context, id: string, { reason }: { readonly reason?: string }) => revoke(context, id, reason)));
}

function readRole(text: string): ApiRole {
  const role = API_ROLES.find((known) => known === text);
  if (role === undefined) throw new UsageError(`"${text}" is no role: ${API_ROLES.join(', ')}`);
  return role;
}

function scopeIn(text: string): KeyScope {
  const scope = readScope(text);
  if (scope === null)
    throw new UsageError(`"${text}" is no scope: RIGHT@WORKFLOWS, as run:start@refund-* or *@refund-*`);
  return scope;
}

async function create(context: CliContext, principal: string, options: CreateOptions): Promise<void> {
  const roles = [...new Set(options.role.map(readRole))];
  const scopes = (options.scope ?? []).map(scopeIn);
  const forMs = options.expires === undefined ? null : parseDuration(options.expires);
  const made = await context.withApp(
    (app) => createKey(app, { principal, roles, scopes, forMs, by: app.principal(context.options.by ?? null).name }),
    { setsUp: true },
  );
  if (printJson(context, { key: made.key, ...made.view })) return;
  context.print(made.key);
  context.say(`the key ${made.view.id} of ${terminalText(principal)} is shown this once: only a hash of it is stored`);
}

const COLUMNS = [
  { heading: 'KEY' },
  { heading: 'PRINCIPAL', shrinks: true },
  { heading: 'ROLES' },
  { heading: 'SCOPES', shrinks: true },
  { heading: 'CREATED (UTC)' },
  { heading: 'EXPIRES (UTC)' },
  { heading: 'REVOKED', shrinks: true },
];

function rowOf({ id, principal, roles, scopes, createdAt, expiresAt, revoked }: KeyView): readonly string[] {
  return [
    id,
    principal,
    roles.join(', '),
    scopes.join(', '),
    timeWords(createdAt),
    expiresAt === null ? '' : timeWords(expiresAt),
    revoked === null ? '' : `by ${revoked.by}: ${revoked.reason}`,
  ];
}

async function ls(context: CliContext): Promise<void> {
  const keys = await context.withApp((app) => listKeys(app));
  if (printJsonList(context, keys)) return;
  if (keys.length === 0) context.say('there is no key: pawl key create NAME --role ROLE makes one');
  else context.print(renderTable(COLUMNS, keys.map(rowOf), widthOf(context)));
}

async function revoke(context: CliContext, id: string, reason: string | undefined): Promise<void> {
  if (reason === undefined || reason.trim() === '')
    throw new UsageError('key revoke needs --reason TEXT: it is kept with the act');
  await context.withApp((app) => revokeKey(app, id, { by: app.principal(context.options.by ?? null).name, reason }));
  if (!printJson(context, { id, revoked: true })) context.say(`${terminalText(id)} counts no more`);
}
