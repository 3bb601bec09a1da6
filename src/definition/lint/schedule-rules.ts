import { PawlError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { ScheduleDefinition, WorkflowDefinition } from '../../model/definition.ts';
import { closestWord } from '../closest-word.ts';
import { faultOf } from '../cron-times.ts';
import { createEvaluator } from '../evaluator.ts';
import { isZone } from '../expression/calendar.ts';
import { fillDefaults } from '../fill-defaults.ts';
import { compileSchema, type Misfit } from '../schema-validator.ts';
import type { LintContext } from './lint-context.ts';

/** A schedule starts runs when nobody looks: what would keep one from starting is told before. */
export function lintSchedule({ definition, map, report }: LintContext): void {
  const { schedule } = definition;
  if (schedule === undefined) return;
  const fault = faultOf(schedule.cron);
  if (fault !== null)
    report({
      code: 'PAWL-231',
      pointer: '/schedule/cron',
      message: `these times cannot be used: ${fault}`,
      help: 'write minute, hour, day of the month, month and day of the week, for example "30 2 * * *" for half past two every day',
    });
  if (!isNamedZone(schedule.timezone))
    report({
      code: 'PAWL-232',
      pointer: '/schedule/timezone',
      message: `no time zone is named "${schedule.timezone}"`,
      help: `write ${closestWord(schedule.timezone, Intl.supportedValuesOf('timeZone')) ?? 'UTC, or a name such as Europe/Berlin'}`,
    });
  if (schedule.overlap === 'queue' && map.has('/lock'))
    report({
      code: 'PAWL-234',
      pointer: '/schedule/overlap',
      message: 'a run waits in one queue, and `lock` is that of this workflow',
      help: 'write `overlap: allow`: its runs wait for the lock as they start',
    });
  if (definition.key !== null)
    report({
      code: 'PAWL-235',
      pointer: '/key',
      at: 'key',
      message: '`key` and `schedule` exclude each other: the run key of a schedule is its instant',
      help: 'leave one of the two out; an expression reads the instant as `run.key`',
    });
  for (const { pointer, message } of misfitsOf(definition, schedule))
    report({
      code: 'PAWL-233',
      pointer: [`/schedule/input${pointer}`, '/schedule/input'].find((place) => map.has(place)) ?? '/schedule',
      message: `no run can start with this input: ${message}`,
      help: 'write an `input` that fits the input schema of the workflow',
    });
}

/** The same everywhere and for ever: an offset has no clock changes, and not every runtime takes one. */
function isNamedZone(zone: string): boolean {
  return /^[A-Za-z]/.test(zone) && isZone(zone);
}

function misfitsOf(definition: WorkflowDefinition, { input }: ScheduleDefinition): readonly Misfit[] {
  try {
    const { constants } = definition;
    const sent: Json = createEvaluator(definition).render(input, { kind: 'flow' }, { constants });
    return compileSchema(definition.input)(fillDefaults(definition.input, sent));
  } catch (error) {
    // An expression or a schema that cannot be used is told where it stands.
    if (error instanceof PawlError) return [];
    throw error;
  }
}
