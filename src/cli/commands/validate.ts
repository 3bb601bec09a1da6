import type { Command } from 'commander';
import { type Explanation, explainWorkflow } from '../../app/explain/explain-workflow.ts';
import { type Catalogue, validateCatalogue } from '../../definition/catalogue.ts';
import { decodeFile } from '../../definition/decode-file.ts';
import { checkChildren, withInputs } from '../../definition/check-children.ts';
import { sortProblems } from '../../definition/report-problem.ts';
import type { SourceMap } from '../../definition/source-map.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import type { WorkflowDefinition } from '../../model/definition.ts';
import { allStates } from '../../model/machine-form.ts';
import type { Problem } from '../../model/problem.ts';
import { isCatalogueFile, shelfOf } from '../catalogue-shelf.ts';
import { type CliContext, printJsonList } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import { EXIT } from '../exit-codes.ts';
import { readBytes } from '../read-arguments.ts';
import type { Bind } from '../bind.ts';
import { UsageError } from '../report-error.ts';
import { explanationLines } from '../tell-explanation.ts';
import { terminalText } from '../terminal-text.ts';

/** How many problems are shown to people in one call; `-o json` has all. */
const SHOWN_MAX = 20;

interface Checked {
  readonly file: string;
  /** What is in the file, where it is valid. */
  readonly words: string | null;
  readonly problems: readonly Problem[];
  /** What the workflow may do, where that was asked and the file is valid. */
  readonly explanation: Explanation | null;
  /** Why the file was not checked at all. */
  readonly unreadable: string | null;
  /** The workflow and the places of its nodes, where it is valid. */
  readonly workflow: { readonly definition: WorkflowDefinition; readonly map: SourceMap } | null;
}

/** `pawl validate FILE...`: all problems of all files in one run. */
export function addValidate(program: Command, bind: Bind): void {
  program
    .command('validate')
    .description('check workflow files and catalogues: every problem with its line, a caret and the mend')
    .argument('<file...>', 'workflow files, catalogues')
    .option('--explain', 'say how often each effect may be sent, what undoes it, where people are needed, what stands')
    .action(
      bind((context, files: string[], options: { readonly explain?: boolean }) =>
        Promise.resolve(validate(context, files, options.explain === true)),
      ),
    );
}

function validate(context: CliContext, files: readonly string[], explains: boolean): void {
  const checked = amongEachOther(files.map((file) => check(context, file, explains)));
  const hasErrors = checked.some(({ problems }) => problems.some(({ severity }) => severity === 'error'));
  const isUnreadable = checked.some(({ unreadable }) => unreadable !== null);
  context.exit = isUnreadable ? EXIT.usage : hasErrors ? EXIT.invalid : EXIT.ok;
  const data = checked.map(({ file, words, problems, explanation, unreadable }) => ({
    file,
    ok: words !== null,
    ...(unreadable === null ? {} : { unreadable }),
    problems,
    ...(explanation === null ? {} : { explanation }),
  }));
  if (printJsonList(context, data)) return;
  let room = SHOWN_MAX;
  for (const file of checked) {
    tell(context, file, room);
    room = Math.max(0, room - file.problems.length);
  }
}

/** Parents are held against the children that are checked with them: whoever publishes both would learn it then. */
function amongEachOther(checked: readonly Checked[]): readonly Checked[] {
  const known = new Map(
    checked.flatMap(({ workflow }) =>
      workflow === null
        ? []
        : [[`${workflow.definition.workflow}@${workflow.definition.version}`, workflow.definition.input] as const],
    ),
  );
  return checked.map((file) => {
    if (file.workflow === null) return file;
    const { definition, map } = file.workflow;
    const whole = withInputs(definition, (workflow, version) => known.get(`${workflow}@${version}`) ?? null);
    const found = checkChildren(whole, map);
    if (found.length === 0) return file;
    return { ...file, words: null, explanation: null, problems: sortProblems([...file.problems, ...found]) };
  });
}

/** A file that cannot be read is told with the others, so that one slip does not hide what else is wrong. */
function check(context: CliContext, file: string, explains: boolean): Checked {
  const nothing = { file, words: null, explanation: null, unreadable: null, workflow: null };
  try {
    const { text, problem } = decodeFile(readBytes(context, file), file);
    if (problem !== null) {
      context.sources.set(file, text);
      return { ...nothing, problems: [problem] };
    }
    context.sources.set(file, text);
    if (isCatalogueFile(file)) {
      const { catalogue, problems } = validateCatalogue(text, file);
      return { ...nothing, problems, words: catalogue === null ? null : describeCatalogue(catalogue) };
    }
    const { definition, problems, map } = validateWorkflow(text, file, shelfOf(context, file));
    if (definition === null) return { ...nothing, problems };
    const explanation = explains ? explainWorkflow(definition, map) : null;
    return { ...nothing, words: describe(definition), problems, explanation, workflow: { definition, map } };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { ...nothing, problems: [], unreadable: error.message };
  }
}

function tell(context: CliContext, checked: Checked, room: number): void {
  const { file, words, problems, explanation, unreadable } = checked;
  const { paint } = context;
  const name = terminalText(file);
  if (unreadable !== null) {
    context.say(`${paint.bad('error')} ${terminalText(unreadable)}`);
    return;
  }
  for (const problem of problems.slice(0, room)) context.print(`${codeFrame(problem, context.sources, paint)}\n\n`);
  if (problems.length > room) context.print(`… and ${problems.length - room} more: pawl validate -o json ${name}\n\n`);
  const count = (severity: Problem['severity']): number =>
    problems.filter((problem) => problem.severity === severity).length;
  const counts = [plural(count('error'), 'error'), plural(count('warning'), 'warning')]
    .filter((part) => part !== null)
    .join(', ');
  if (words === null) context.print(`${name}  ${paint.bad('✘')} ${counts}`);
  else context.print(`${name}  ${paint.good('ok')}  ${words}${counts === '' ? '' : `  ${paint.warn(counts)}`}`);
  if (explanation !== null) for (const line of explanationLines(explanation)) context.print(terminalText(line));
}

function plural(count: number, noun: string): string | null {
  return count === 0 ? null : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describe(definition: WorkflowDefinition): string {
  const { machine, steps, actions } = definition;
  const states = machine?.root.states.flatMap(allStates).length;
  const parts = [
    states === undefined ? plural(steps.length, 'step') : plural(states, 'state'),
    plural(actions.length, 'action'),
  ];
  return `${definition.workflow}@${definition.version}  ${parts.filter((part) => part !== null).join(', ')}`;
}

function describeCatalogue({ name, version, actions }: Catalogue): string {
  return `${name}@${version}  ${plural(actions.length, 'action')}`;
}
