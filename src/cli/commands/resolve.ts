import { type Command, Option } from 'commander';
import { REVIEW_WORDS, type ReviewAnswer } from '../../model/statuses.ts';
import type { Bind } from '../bind.ts';
import { readJsonArgument } from '../read-arguments.ts';
import { tellDelivered } from '../tell-delivered.ts';

interface ResolveOptions {
  readonly as: ReviewAnswer;
  readonly evidence: string;
  readonly output?: string;
}

/** `pawl resolve RUN STEP --as ANSWER --evidence TEXT`: a person says what happened. */
export function addResolve(program: Command, bind: Bind): void {
  program
    .command('resolve')
    .description('say what happened to an effect in doubt, or let a refused compensation go')
    .argument('<run>', 'run id or key')
    .argument('<step>', 'the step, or the effect key')
    .addOption(new Option('--as <answer>', 'what happened').choices(REVIEW_WORDS).makeOptionMandatory())
    .requiredOption('--evidence <text>', 'how you know; kept in the receipt')
    .option('--output <json>', "the action's output, checked by its schema (text, @FILE or -)")
    .action(
      bind(async (context, run: string, step: string, options: ResolveOptions) => {
        const output =
          options.output === undefined ? undefined : await readJsonArgument(context, options.output, '--output');
        await context.withBackend(async (app) => {
          const person = app.principal(context.options.by ?? null);
          const ask = {
            effect: step,
            as: options.as,
            evidence: options.evidence,
            output,
            by: person.name,
            roles: person.roles,
          };
          const delivered = await app.resolve(run, ask);
          // A word against what the ledger takes for true settles nothing yet.
          const done =
            delivered.code === 'late-proof' || delivered.code === 'doubted' ? 'noted' : `resolved as ${options.as}`;
          tellDelivered(context, { done, undone: `not resolved as ${options.as}` }, delivered);
        });
      }),
    );
}
