import type { Finding } from '../../definition/report-problem.ts';
import { caught } from '../../model/caught.ts';
import { parseDuration } from '../../model/duration.ts';
import { RefusedError } from '../../model/errors.ts';
import { nameHelp, type WorkflowNames } from './workflow-names.ts';

/** What a scenario is built with. */
export interface ScenarioContext {
  readonly names: WorkflowNames;
  report(finding: Finding): void;
}

/** Whoever acts where nobody is named. */
export const TESTER = 'tester';

/** Milliseconds of a duration; 0 where it cannot be read, which is told. */
export function durationAt(context: ScenarioContext, pointer: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    const { message, details } = caught(error, RefusedError);
    context.report({ code: 'PAWL-110', pointer, message: message.replace(/; .*/s, ''), help: String(details['help']) });
    return 0;
  }
}

/** Tells a name that the workflow does not have. */
export function checkName(
  context: ScenarioContext,
  pointer: string,
  name: string,
  { known, what, at = 'value' }: { known: readonly string[]; what: string; at?: Finding['at'] },
): void {
  if (known.includes(name)) return;
  const message = `the workflow has no ${what} \`${name}\``;
  context.report({ code: 'PAWL-602', pointer, at, message, help: nameHelp(name, known, what) });
}
