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
export function lintSchedule(context: LintContext): void {
  const { definition, map, report } = context;
  const { schedule } = definition;
  if (schedule === undefined) return;
  lintCatchUp(context, schedule);
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

/** Whoever wants each of the times that passed hardly wants those left out that come while the first of them runs. */
function lintCatchUp({ map, report }: LintContext, { catchUp }: ScheduleDefinition): void {
  if (catchUp !== 'all' || map.has('/schedule/overlap')) return;
  report({
    code: 'PAWL-360',
    severity: 'warning',
    pointer: '/schedule/catchUp',
    message:
      'what comes due while a run has not ended is left out, also of the times that passed: `overlap` is `skip` unless said',
    help: 'write `overlap: queue`, so that each waits for the one before, or `overlap: skip` if they may be left out',
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
