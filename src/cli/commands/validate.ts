import type { Command } from 'commander';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import type { WorkflowDefinition } from '../../model/definition.ts';
import type { Problem } from '../../model/problem.ts';
import type { CliContext } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import { EXIT } from '../exit-codes.ts';
import { readTextFile } from '../read-arguments.ts';
import type { Bind } from '../bind.ts';

/** How many problems of one file are shown to people; `-o json` has all. */
const SHOWN_MAX = 20;

interface Checked {
  readonly file: string;
  readonly text: string;
  readonly definition: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
}

/** `pawl validate FILE...`: all problems of all files in one run. */
export function addValidate(program: Command, bind: Bind): void {
  program
    .command('validate')
    .description('check workflow files: every problem with its line, a caret and the mend')
    .argument('<file...>', 'workflow files')
    .action(bind((context, files: string[]) => Promise.resolve(validate(context, files))));
}

function validate(context: CliContext, files: readonly string[]): void {
  const checked = files.map((file): Checked => {
    const text = readTextFile(context, file);
    return { file, text, ...validateWorkflow(text, file) };
  });
  const hasErrors = checked.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  context.exit = hasErrors ? EXIT.invalid : EXIT.ok;
  if (context.options.output === 'json') {
    context.print(
      JSON.stringify(
        checked.map(({ file, definition, problems }) => ({ file, ok: definition !== null, problems })),
        null,
        2,
      ),
    );
    return;
  }
  for (const file of checked) tell(context, file);
}

function tell(context: CliContext, { file, text, definition, problems }: Checked): void {
  const { paint } = context;
  for (const problem of problems.slice(0, SHOWN_MAX)) context.print(`${codeFrame(problem, text, paint)}\n`);
  if (problems.length > SHOWN_MAX)
    context.print(`… and ${problems.length - SHOWN_MAX} more: pawl validate -o json ${file}\n`);
  const count = (severity: Problem['severity']): number =>
    problems.filter((problem) => problem.severity === severity).length;
  const counts = [plural(count('error'), 'error'), plural(count('warning'), 'warning')]
    .filter((part) => part !== null)
    .join(', ');
  if (definition === null) context.print(`${file}  ${paint.bad('✘')} ${counts}`);
  else
    context.print(
      `${file}  ${paint.good('ok')}  ${describe(definition)}${counts === '' ? '' : `  ${paint.warn(counts)}`}`,
    );
}

function plural(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describe(definition: WorkflowDefinition): string {
  const parts = [plural(definition.steps.length, 'step'), plural(definition.actions.length, 'action')];
  return `${definition.workflow}@${definition.version}  ${parts.filter((part) => part !== null).join(', ')}`;
}
