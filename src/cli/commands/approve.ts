import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { CliContext } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { UsageError } from '../report-error.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { terminalText } from '../terminal-text.ts';

interface VoteOptions {
  readonly comment?: string;
  readonly subject?: string;
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
  program
    .command(verb.verb)
    .description(verb.description)
    .argument('<run>', 'run id or key')
    .argument('[step]', 'the approve step, when more than one is open')
    .option('--comment <text>', 'kept with the vote')
    .option('--subject <hash>', 'the hash of what you saw; another one is refused')
    .action(
      bind((context, run: string, step: string | undefined, options: VoteOptions) =>
        context.withApp((app) => vote(context, app, { verb, run, step: step ?? null, options })),
      ),
    );
}

interface Ballot {
  readonly verb: VoteVerb;
  readonly run: string;
  readonly step: string | null;
  readonly options: VoteOptions;
}

/** The vote carries the hash of what is printed here, so that nobody approves what they have not seen (A04). */
async function vote(context: CliContext, app: App, { verb, run, step, options }: Ballot): Promise<void> {
  const shown = await app.show(run);
  const open = shown.approvals.filter(
    (approval) => approval.state === 'open' && (step === null || approval.step === step),
  );
  if (open.length > 1)
    throw new UsageError(
      `${open.length} approvals are open: name one of ${open.map((approval) => approval.step).join(', ')}`,
    );
  const [approval] = open;
  const person = app.principal(context.options.as ?? null);
  if (approval !== undefined) {
    context.say(`${terminalText(approval.title)}  (needs ${approval.quorum} of ${approval.from.join(', ')})`);
    context.say(terminalText(JSON.stringify(approval.subject)));
  }
  const delivered = await app.vote(run, {
    approval: approval?.id ?? step,
    decision: verb.verb,
    subjectHash: options.subject ?? approval?.subjectHash ?? null,
    principal: person.name,
    roles: person.roles,
    comment: options.comment ?? null,
  });
  tellDelivered(context, `${verb.done} by ${person.name}`, delivered);
}
