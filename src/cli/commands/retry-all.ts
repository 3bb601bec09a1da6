import type { App } from '../../app/create-app.ts';
import { NotFoundError, PawlError } from '../../model/errors.ts';
import type { IncidentKind } from '../../model/statuses.ts';
import { type CliContext, printJsonList, widthOf } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import { EXIT } from '../exit-codes.ts';
import { renderTable } from '../table.ts';
import { type Delivered, exitOf, reasonsOf } from '../tell-delivered.ts';
import { counted, timeWords } from '../time-words.ts';

/** Kinds of incidents that `retry` lets go; the others are answered by `resolve`, or not at all. */
export const RETRIED_KINDS = [
  'failure',
  'pivot',
  'expired',
  'authorization',
  'poison',
  'pin',
] as const satisfies readonly IncidentKind[];

/** One of them. */
export type RetriedKind = (typeof RETRIED_KINDS)[number];

interface RetryAll extends Consent {
  readonly kind: RetriedKind;
  /** null = of any workflow. */
  readonly workflow: string | null;
}

type Held = Awaited<ReturnType<App['held']>>[number];

/** What became of one of them, as `-o json` lists it. */
interface Tried
  extends Pick<Delivered, 'outcome' | 'code' | 'detail'>,
    Pick<Held, 'run' | 'key' | 'workflow' | 'version' | 'kind' | 'step'> {}

/**
 * Lets everything go that is held for the same: lists it, asks, and tells of each what became of it. One that is refused stops
 * none of the others.
 */
export async function retryAll(context: CliContext, app: App, ask: RetryAll): Promise<void> {
  const { kind, workflow } = ask;
  await assertPublished(app, workflow);
  const held = (await app.held(kind, workflow)).filter(({ acts }) => acts.includes('retry'));
  if (held.length === 0) {
    if (!printJsonList(context, [])) context.say(`nothing is held for ${kind}`);
    return;
  }
  tellHeld(context, held);
  const reason = await askConsent(context, `Let ${counted(held.length, 'incident')} go and try again?`, ask);
  if (reason === null) return;
  const act = { by: app.principal(context.options.by ?? null).name, reason };
  const tried: Tried[] = [];
  for (const one of held) tried.push(await tryAgain(app, one, act));
  if (tried.some((one) => exitOf(one) !== EXIT.ok)) context.exit = EXIT.conflict;
  if (!printJsonList(context, tried)) tellTried(context, tried);
}

type Act = Parameters<App['retry']>[2];

/** What became of one: of a run, by the kind; of a step, by its name. What cannot even be asked is told in its place. */
async function tryAgain(app: App, held: Held, act: Act): Promise<Tried> {
  const { run, key, workflow, version, kind, step } = held;
  const about = { run, key, workflow, version, kind, step };
  try {
    const { outcome, code, detail } = await app.retry(run, step ?? kind, act);
    return { ...about, outcome, code, detail };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { ...about, outcome: 'refused', code: error.code, detail: { message: error.message } };
  }
}

/** What would be let go, on stderr as every plan. */
function tellHeld(context: CliContext, held: readonly Held[]): void {
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'STEP', shrinks: true },
    { heading: 'SINCE (UTC)' },
    { heading: 'WHAT', shrinks: true },
  ];
  const rows = held.map(({ run, key, step, since, message }) => [run, key, step ?? '', timeWords(since), message]);
  context.say(renderTable(columns, rows, widthOf(context)));
}

function tellTried(context: CliContext, tried: readonly Tried[]): void {
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'STEP', shrinks: true },
    { heading: 'OUTCOME' },
    { heading: 'WHY', shrinks: true },
  ];
  const rows = tried.map((one) => [one.run, one.key, one.step ?? '', one.outcome, reasonsOf(one).join('; ')]);
  context.print(renderTable(columns, rows, widthOf(context)));
  const done = tried.filter((one) => exitOf(one) === EXIT.ok).length;
  context.say(`${done} of ${tried.length} tried again`);
}

async function assertPublished(app: App, workflow: string | null): Promise<void> {
  if (workflow === null || (await app.versions()).some((version) => version.workflow === workflow)) return;
  throw new NotFoundError('PAWL_VERSION_NOT_FOUND', `no workflow ${workflow} is published`, { workflow });
}
