import { validateWorkflow } from '../definition/validate-workflow.ts';
import { lower } from '../machine/lower.ts';
import { DefinitionError } from '../model/errors.ts';
import type { Machine } from '../model/machine.ts';
import type { CliContext } from './cli-context.ts';
import { isFileName, readTextFile, readVersionName } from './read-arguments.ts';

/** The machine of a file or of a published version. @throws DefinitionError, PAWL_VERSION_NOT_FOUND. */
export function readMachine(context: CliContext, workflow: string): Promise<Machine> {
  if (isFileName(workflow)) return Promise.resolve(machineOf(context, workflow));
  const { workflow: name, version } = readVersionName(workflow);
  return context.withApp(async (app) => JSON.parse((await app.version(name, version)).machine) as Machine);
}

function machineOf(context: CliContext, file: string): Machine {
  const text = readTextFile(context, file);
  context.sources.set(file, text);
  const { definition, problems } = validateWorkflow(text, file);
  if (definition === null) throw new DefinitionError(problems.filter(({ severity }) => severity === 'error'));
  return lower(definition);
}
