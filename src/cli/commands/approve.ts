import type { Command } from 'commander';
import type { Json, JsonObject } from '../../model/json.ts';
import { isEnd } from '../../model/statuses.ts';
import type { CliContext } from '../cli-context.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { askAgreement } from '../confirm.ts';
import { formLines, readForm } from '../read-form.ts';
import { UsageError } from '../report-error.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { terminalText } from '../terminal-text.ts';

interface VoteOptions {
  readonly comment?: string;
  readonly subject?: string;
  readonly form?: readonly string[];
  readonly formFile?: string;
  readonly yes?: boolean;
}

/** `pawl approve RUN [STEP]`. */
export function addApprove(program: Command, bind: Bind): void {
  addVote(program, bind, { verb: 'approve', done: 'approved', description: 'vote yes on an open approval of a run' });
}

/** `pawl deny RUN [STEP]`. */
export function addDeny(program: Command, bind: Bind): void {
  addVote(program, bind, { verb: 'deny', done: 'denied', description: 'vote no on an open approval of a run' });
}

interface VoteVerb {
  readonly verb: 'approve' | 'deny';
  readonly done: string;
  readonly description: string;
}

function addVote(program: Command, bind: Bind, verb: VoteVerb): void {
  const command = program
    .command(verb.verb)
    .description(verb.description)
    .argument('<run>', 'run id or key')
    .argument('[step]', 'the step or the approval, when more than one is open')
    .option('--comment <text>', 'kept with the vote')
    .option('--subject <hash>', 'the hash of what you saw; another one is refused');
  if (verb.verb === 'approve')
    command
      .option(
        '--form <field=value>',
        'fill in a field of the form; may be said again',
        (text, before: string[] = []) => [...before, text],
      )
      .option('--form-file <file>', 'fill in the form from a JSON file, or - for standard input')
      .option('--yes', 'vote for what is shown without asking');
  command.action(
    bind((context, run: string, step: string | undefined, options: VoteOptions) =>
      context.withBackend((app) => vote(context, app, { verb, run, step: step ?? null, options })),
    ),
  );
}

type ApprovalView = Awaited<ReturnType<Backend['show']>>['approvals'][number];

interface Ballot {
  readonly verb: VoteVerb;
  readonly run: string;
  readonly step: string | null;
  readonly options: VoteOptions;
}

/** What is voted about, and what it would cause, as lines; whatever has another form is shown as it is. */
function subjectLines(asked: Json): readonly string[] {
  const shown = memberOf(asked, 'subject');
  const effects = memberOf(asked, 'effects');
  if (shown === undefined || !Array.isArray(effects)) return [JSON.stringify(asked)];
  const facts =
    typeof shown === 'object' && shown !== null && !Array.isArray(shown)
      ? Object.entries(shown).map(([name, value]) => `${name}: ${plain(value)}`)
      : [plain(shown)];
  const causes = effects.map((effect: Json) => {
    const request = memberOf(effect, 'request') ?? null;
    return `will send ${plain(memberOf(effect, 'action') ?? effect)} ${JSON.stringify(memberOf(request, 'with') ?? request)}`;
  });
  return [...facts, ...causes];
}

function memberOf(value: Json, name: string): Json | undefined {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isMap && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function tellAsked(context: CliContext, approval: ApprovalView): void {
  context.say(`${terminalText(approval.title)}  (needs ${approval.quorum} of ${approval.from.join(', ')})`);
  const lines = [...subjectLines(approval.subject), ...formLines(approval.form ?? null)];
  for (const line of lines) context.say(terminalText(`  ${line}`));
}

/** The hash of nothing: whoever votes with it has seen no question, so it fits none that opens meanwhile (A04). */
const NOTHING_SEEN = '0'.repeat(64);

/** What a person is shown, and may be asked to agree to. */
interface Look {
  /** Open, or asked again by a person between this look and the vote; null where nothing is. */
  readonly asked: ApprovalView | null;
  /** Decided before the look, for good; null where it is asked, or nothing is. */
  readonly decided: ApprovalView | null;
}

/** Looks once at what is meant. @throws UsageError where several are open. */
async function lookAt(app: Backend, run: string, step: string | null): Promise<Look> {
  const { approvals, status } = await app.show(run);
  const named = approvals.filter(({ id, step: of }) => step === null || of === step || id === step);
  const open = named.filter(({ state }) => state === 'open');
  if (open.length > 1)
    throw new UsageError(`${open.length} approvals are open: name one of ${open.map(({ id }) => id).join(', ')}`);
  const [asked] = open;
  if (asked !== undefined) return { asked, decided: null };
  const [last, ...others] = step === null ? named : named.slice(-1);
  if (last === undefined || others.length > 0) return { asked: null, decided: null };
  const mayBeAskedAgain = !isEnd(status) && (last.state === 'held' || last.state === 'cancelled');
  return mayBeAskedAgain ? { asked: last, decided: null } : { asked: null, decided: last };
}

function whatIsMeant(
  seen: ApprovalView | null,
  step: string | null,
  subject: string | undefined,
): { readonly approval: string | null; readonly subjectHash: string } {
  return { approval: seen?.id ?? step, subjectHash: subject ?? seen?.subjectHash ?? NOTHING_SEEN };
}

/** The vote carries the hash of what is printed here, and a yes is asked for, so that nobody approves what they have not seen (A04). */
async function vote(context: CliContext, app: Backend, { verb, run, step, options }: Ballot): Promise<void> {
  const { asked: approval, decided } = await lookAt(app, run, step);
  const person = app.principal(context.options.by ?? null);
  if (approval !== null) tellAsked(context, approval);
  const form = await readForm(context, options, approval?.form ?? null);
  const needsYes = approval !== null && verb.verb === 'approve';
  if (needsYes && !(await askAgreement(context, `Approve this as ${person.name}?`, options.yes === true))) return;
  const delivered = await app.vote(run, {
    ...whatIsMeant(approval ?? decided, step, options.subject),
    decision: verb.verb,
    principal: person.name,
    roles: person.roles,
    comment: options.comment ?? null,
    ...(form === undefined ? {} : { form }),
  });
  const done = `${verb.done} by ${person.name}`;
  tellDelivered(context, { done, undone: `the vote of ${person.name} does not count` }, delivered);
}
