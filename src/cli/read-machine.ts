import { validateWorkflow } from '../definition/validate-workflow.ts';
import { lower } from '../machine/lower.ts';
import { DefinitionError } from '../model/errors.ts';
import type { Machine } from '../model/machine.ts';
import { readSource, shelfOf } from './catalogue-shelf.ts';
import type { CliContext } from './cli-context.ts';
import { isFileName, readVersionName } from './read-arguments.ts';

/** The machine of a file or of a published version. @throws DefinitionError, PAWL_VERSION_NOT_FOUND. */
export function readMachine(context: CliContext, workflow: string): Promise<Machine> {
  if (isFileName(workflow)) return Promise.resolve(machineOf(context, workflow));
  const { workflow: name, version } = readVersionName(workflow);
  return context.withApp(async (app) => JSON.parse((await app.version(name, version)).machine) as Machine, {
    what: 'export NAME',
  });
}

/** The machine of a file. @throws DefinitionError. */
export function machineOf(context: CliContext, file: string): Machine {
  const { definition, problems } = validateWorkflow(readSource(context, file), file, shelfOf(context, file));
  if (definition === null) throw new DefinitionError(problems.filter(({ severity }) => severity === 'error'));
  return lower(definition);
}
