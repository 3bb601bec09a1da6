import { type Command, InvalidArgumentError, Option } from 'commander';
import { CannotPlay } from '../../testing/crash-lab/answer-bodies.ts';
import { BOUNDARIES, boundaryWords } from '../../testing/crash-lab/boundaries.ts';
import { cellText, junitReport } from '../../testing/crash-lab/junit.ts';
import { type Lie, LIES } from '../../testing/crash-lab/lies.ts';
import type { LabReport } from '../../testing/crash-lab/lab-report.ts';
import { runCrashLab } from '../../testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO, readScenario, type Scenario } from '../../testing/crash-lab/scenario-file.ts';
import { DefinitionError } from '../../model/errors.ts';
import type { SourceFile } from '../../definition/catalogue.ts';
import type { Shelf } from '../../definition/embed-catalogues.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import type { Bind } from '../bind.ts';
import { readSource, shelfOf } from '../catalogue-shelf.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { untilStopped } from '../until-stopped.ts';

interface CrashtestOptions {
  readonly scenario?: string;
  readonly lie: readonly Lie[];
  readonly child: readonly string[];
}

/** `pawl crashtest FILE [--scenario S]`: every effect of a workflow, crashed at every boundary. */
export function addCrashtest(program: Command, bind: Bind): void {
  program
    .command('crashtest')
    .description('crash a workflow at every boundary of every effect, on a simulated clock; -o json or junit')
    .argument('<file>', 'a workflow file')
    .option('--scenario <file>', 'input, provider scripts, events and votes (default: made from the workflow)')
    .option(
      '--child <file>',
      'a workflow that it runs as a child, before those that run it; may be repeated',
      (file, before: readonly string[]) => [...before, file],
      [],
    )
    .addOption(
      new Option('--lie <what>', `providers that do not keep their word: ${LIES.join(', ')}; may be repeated`)
        .argParser(collect)
        .default([], 'honest providers'),
    )
    .action(bind((context, file: string, options: CrashtestOptions) => crashtest(context, file, options)));
}

function collect(value: string, before: readonly Lie[]): readonly Lie[] {
  const lie = LIES.find((known) => known === value);
  if (lie === undefined) throw new InvalidArgumentError(`Allowed choices are ${LIES.join(', ')}.`);
  return [...before, lie];
}

async function crashtest(context: CliContext, file: string, { scenario, lie, child }: CrashtestOptions): Promise<void> {
  const source = (name: string) => ({
    text: readSource(context, name),
    file: name,
    catalogues: shelfOf(context, name),
  });
  const workflow = source(file);
  const children = child.map(source);
  const given = scenarioOf(context, workflow, scenario);
  const report = await played(() =>
    untilStopped(context, () => runCrashLab({ ...workflow, children, scenario: given, lies: lie })),
  );
  if (report === null) return;
  context.exit = report.ok ? (report.problems.length === 0 ? EXIT.ok : EXIT.usage) : EXIT.runFailed;
  if (printJson(context, report)) return;
  if (context.options.output === 'junit') context.print(junitReport(report));
  else tell(context, report);
  for (const problem of report.problems) context.say(`${context.paint.warn('not played')} ${terminalText(problem)}`);
}

function scenarioOf(
  context: CliContext,
  workflow: SourceFile & { readonly catalogues: Shelf },
  name: string | undefined,
): Scenario {
  if (name === undefined) return NO_SCENARIO;
  const { definition, problems } = validateWorkflow(workflow.text, workflow.file, workflow.catalogues);
  if (definition === null) throw new DefinitionError(problems.filter(({ severity }) => severity === 'error'));
  return readScenario(readSource(context, name), name, definition);
}

/** What cannot be played without a word of the user is a call that says too little. */
async function played(run: () => Promise<LabReport | null>): Promise<LabReport | null> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof CannotPlay) throw new UsageError(error.message);
    throw error;
  }
}

function tell(context: CliContext, report: LabReport): void {
  const { paint } = context;
  const { workflow, version, plays, stories, rows, findings, relies, warnings, unreached } = report;
  const told = stories.map(
    ({ name, status, failure }) => `${name}: ${failure === null ? status : `${status} (${failure})`}`,
  );
  context.print(`${workflow}@${version}: ${plays} plays of ${stories.length} stories\n`);
  context.print(told.map((line) => `  ${terminalText(line)}`).join('\n'));
  context.print('\n');
  const columns = BOUNDARIES.filter(({ name }) => rows.some((row) => row.cells[name] !== undefined));
  const cells = rows.map((row) => [
    row.effect,
    ...columns.map(({ name }) => {
      const cell = row.cells[name];
      return cell === undefined ? '-' : cellText(cell);
    }),
  ]);
  const headings = [{ heading: 'EFFECT' }, ...columns.map(({ heading }) => ({ heading }))];
  context.print(renderTable(headings, cells, Number.POSITIVE_INFINITY));
  context.print(`\n${columns.map(({ heading, words }) => `  ${heading.padEnd(11)}${words}`).join('\n')}\n`);
  for (const { effect, action, boundary, message, way, story, mend } of findings) {
    const where = `${effect}${action === '' ? '' : ` (${action})`}, ${boundaryWords(boundary)}`;
    context.print(`\n${paint.bad('✘')} ${terminalText(where)}: ${terminalText(message)}`);
    context.print(`  ${terminalText(`${story}; ${way}`)}`);
    context.print(`  mend: ${terminalText(mend)}`);
  }
  for (const { effect, action, message, story, mend } of warnings) {
    context.print(`\n${paint.warn('!')} ${terminalText(`${effect} (${action}), ${story}: ${message}`)}`);
    context.print(`  mend: ${terminalText(mend)}`);
  }
  if (relies.length > 0) context.print('\nsafe as long as');
  for (const { effect, promise, otherwise, mend } of relies) {
    const more = mend === undefined ? '' : `; mend: ${mend}`;
    context.print(`  ${terminalText(`${effect}: ${promise}; else ${otherwise}${more}`)}`);
  }
  for (const step of unreached)
    context.print(
      `${paint.warn('not reached')} ${terminalText(step)}: give an input, or words for a \`provider\`, that leads there in a scenario`,
    );
  if (findings.length === 0) context.print(`\n${paint.good('✔')} nothing lost, nothing twice, no silent stop`);
}
