import type { ActionContract, CallStep, Expression, Step } from '../../model/definition.ts';
import { suggest } from '../suggest.ts';
import {
  expressionsAt,
  expressionsIn,
  expressionsOfAuth,
  expressionsOfCatch,
  expressionsOfCompensation,
  expressionsAtEnd,
  expressionsOfHandlers,
  expressionsOfTransport,
} from './expressions-of.ts';
import type { PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';
import { expressionsOfForm } from './machine-rules.ts';
import { placeOf, type Read, readsOf } from './reads.ts';

/** What a step reads of other steps has happened on every way to it; `or(…)` says that it may be missing. */
export function lintStepReads(context: LintContext): void {
  for (const placed of context.graph.steps) {
    for (const expression of [...expressionsAt(placed.step), ...expressionsOfCatch(placed.step)]) {
      for (const read of readsOf(expression)) lintStepRead(context, read, placed.index);
    }
    const atEnd = expressionsAtEnd(placed.step);
    if (atEnd.length === 0) continue;
    const exit = context.graph.exitOf(placed.index);
    for (const expression of atEnd) {
      for (const read of readsOf(expression)) lintStepRead(context, read, exit);
    }
  }
  lintDocumentReads(context);
}

/** What the document itself reads: its handlers from the first step on, its output at the end. */
function lintDocumentReads(context: LintContext): void {
  const { on = [], output } = context.definition;
  for (const read of expressionsOfHandlers(on).flatMap(readsOf)) lintStepRead(context, read, context.graph.start);
  for (const read of expressionsIn(output).flatMap(readsOf)) lintStepRead(context, read, context.graph.end);
}

function lintStepRead(context: LintContext, read: Read, node: number): void {
  const [root, id, field] = read.path;
  if (root !== 'steps' || id === undefined) return;
  const target = context.graph.byId.get(id);
  if (target === undefined) {
    context.report({
      code: 'PAWL-211',
      ...placeOf(read),
      message: `there is no step "${id}"`,
      help: suggest(id, [...context.graph.byId.keys()]) ?? 'name a step of this file',
    });
    return;
  }
  const needsRun = field === 'output' || field === 'at';
  if (!needsRun || read.guarded || context.completed.always(node, target.index)) return;
  if (!context.completed.isReachable(node)) return;
  context.report({
    code: 'PAWL-207',
    ...placeOf(read),
    message: `step "${id}" may not have completed when this is read`,
    help: `write "or(${read.path.join('.')}, …)" with what to use then`,
  });
}

/** A call is authorized by an approval. */
export function lintAuthorizers(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    if (step.verb !== 'call' || step.authorizedBy === null) continue;
    if (context.graph.byId.get(step.authorizedBy)?.step.verb === 'approve') continue;
    context.report({
      code: 'PAWL-306',
      pointer: `${step.pointer}/authorizedBy`,
      message: `"${step.authorizedBy}" is no approve step`,
      help: suggest(step.authorizedBy, approvalsOf(context)) ?? 'name the step whose approval authorizes this call',
    });
  }
}

/** A request that people approve comes after that approval and reads only what was there when they were asked. */
export function lintAuthorized(context: LintContext): void {
  for (const placed of context.graph.steps) {
    const { step } = placed;
    if (step.verb !== 'call' || step.authorizedBy === null) continue;
    const approval = context.graph.byId.get(step.authorizedBy);
    if (approval?.step.verb !== 'approve') continue;
    if (mapAround(placed) !== mapAround(approval)) {
      context.report({
        code: 'PAWL-306',
        pointer: `${step.pointer}/authorizedBy`,
        message: `"${step.id}" is done for each item, and "${step.authorizedBy}" is asked once`,
        help: 'what people approve is one exact request: put the approval into the map, before the call',
      });
    } else if (!context.completed.always(placed.index, approval.index)) {
      context.report({
        code: 'PAWL-306',
        pointer: `${step.pointer}/authorizedBy`,
        message: `"${step.id}" can be reached without the approval "${step.authorizedBy}"`,
        help: 'put the approval on every way to it',
      });
    } else {
      lintAuthorizedReads(context, step, approval);
    }
  }
}

/** The map in whose items a step stands, innermost. */
function mapAround(placed: PlacedStep): Step | null {
  for (let at: PlacedStep | null = placed; at !== null; at = at.parent)
    if (at.parent?.step.verb === 'map' && at.parent.step.steps === at.siblings) return at.parent.step;
  return null;
}

function approvalsOf({ graph }: LintContext): readonly string[] {
  return graph.steps.filter(({ step }) => step.verb === 'approve').map(({ step }) => step.id);
}

function lintAuthorizedReads(context: LintContext, step: CallStep, approval: PlacedStep): void {
  const expressions = [step.with, step.object, step.intent].flatMap(expressionsIn);
  for (const read of expressions.flatMap(readsOf)) {
    const [root, id] = read.path;
    const target = root === 'steps' && id !== undefined ? context.graph.byId.get(id) : undefined;
    const late = target !== undefined && !context.completed.always(approval.index, target.index);
    if (!late && root !== 'vars') continue;
    context.report({
      code: 'PAWL-307',
      ...placeOf(read),
      message: `"${read.path.join('.')}" can change between the approval "${approval.step.id}" and this call`,
      help: 'what people approve is the exact request: read only input, constants and steps that completed before the approval',
    });
  }
}

/** A compensation is computed from the recorded effect, never from what can change. */
export function lintCompensationReads(context: LintContext): void {
  const CONSTANT = new Set(['effect', 'failure', 'input', 'constants', 'secrets']);
  // Who may agree to an undo can be said by who started the run; its request is not made of it.
  const CONSTANT_OF_RUN = new Set(['id', 'key', 'startedBy']);
  const check = (expression: Expression): void => {
    for (const read of readsOf(expression)) {
      const [root, field] = read.path;
      const constant =
        root !== undefined && (CONSTANT.has(root) || (root === 'run' && CONSTANT_OF_RUN.has(field ?? '')));
      if (constant || (root !== 'vars' && root !== 'steps' && root !== 'run')) continue;
      context.report({
        code: 'PAWL-309',
        ...placeOf(read),
        message: `a compensation cannot read "${read.path.join('.')}": it can change before the undo`,
        help: 'read effect.input, effect.output, effect.receipt, failure, input, constants, run.id or run.key',
      });
    }
  };
  for (const action of context.definition.actions)
    for (const expression of expressionsOfCompensation(action.compensate)) check(expression);
  for (const { step } of context.graph.steps)
    if (step.verb === 'call') for (const expression of expressionsOfCompensation(step.compensate)) check(expression);
}

/** Secrets go into auth and headers of actions and nowhere else; each is declared. */
export function lintSecrets(context: LintContext): void {
  const { definition } = context;
  const allowed: Expression[] = [];
  const forbidden: Expression[] = [
    ...expressionsIn(definition.output),
    ...(definition.key === null ? [] : [definition.key.value]),
    ...expressionsOfHandlers(definition.on ?? []),
    ...expressionsOfForm(definition),
  ];
  for (const action of definition.actions) {
    const transports = [action.transport, ...(action.reconcile === null ? [] : [action.reconcile.transport])].map(
      expressionsOfTransport,
    );
    allowed.push(...expressionsOfAuth(action.auth), ...transports.flatMap(({ headers }) => headers));
    forbidden.push(
      ...transports.flatMap(({ open }) => open),
      ...expressionsOfCompensation(action.compensate),
      ...ofOutcome(action),
    );
  }
  for (const { step } of context.graph.steps) {
    forbidden.push(...expressionsAt(step), ...expressionsAtEnd(step), ...expressionsOfCatch(step));
    if (step.verb === 'call') forbidden.push(...expressionsOfCompensation(step.compensate));
  }
  for (const read of allowed.flatMap(readsOf)) lintDeclared(context, read);
  for (const read of forbidden.flatMap(readsOf)) {
    if (read.path[0] !== 'secrets') continue;
    context.report({
      code: 'PAWL-701',
      ...placeOf(read),
      message: 'a secret would be stored and shown here',
      help: 'secrets.* can be read in "auth" and "headers" of an action only; they are filled in at each sending',
    });
  }
}

function ofOutcome(action: ActionContract): readonly Expression[] {
  const rules = [...action.outcome, ...(action.reconcile?.outcome ?? [])].map((rule) => rule.when);
  const found = action.reconcile?.found ?? null;
  return [...rules, ...(found === null ? [] : [found]), ...expressionsIn(action.reconcile?.output ?? null)];
}

function lintDeclared({ definition, report }: LintContext, read: Read): void {
  const [root, name] = read.path;
  if (root !== 'secrets' || name === undefined || definition.secrets.includes(name)) return;
  report({
    code: 'PAWL-704',
    ...placeOf(read),
    message: `secret "${name}" is not declared`,
    help: suggest(name, definition.secrets) ?? `add it: "secrets: [${[...definition.secrets, name].join(', ')}]"`,
  });
}

/** A redacted value is never stored, so nothing can read it. */
export function lintRedacted(context: LintContext): void {
  const redactedBy = new Map<string, readonly string[]>();
  for (const { step } of context.graph.steps) {
    if (step.verb === 'call') redactedBy.set(step.id, context.action(step.action)?.redact ?? []);
  }
  const steps = context.graph.steps.flatMap(({ step }) => [
    ...expressionsAt(step),
    ...expressionsAtEnd(step),
    ...expressionsOfCatch(step),
  ]);
  const { on = [], output } = context.definition;
  const others = [...expressionsOfHandlers(on), ...expressionsIn(output), ...expressionsOfForm(context.definition)];
  for (const read of [...steps, ...others].flatMap(readsOf)) {
    const [root, id = '', field, ...rest] = read.path;
    if (root === 'steps' && field === 'output')
      reportRedacted(context, read, { pointers: redactedBy.get(id) ?? [], rest });
  }
  for (const action of context.definition.actions) lintRedactedUndo(context, action);
}

function lintRedactedUndo(context: LintContext, action: ActionContract): void {
  for (const read of expressionsOfCompensation(action.compensate).flatMap(readsOf)) {
    const [root, field, ...rest] = read.path;
    if (root === 'effect' && field === 'output') reportRedacted(context, read, { pointers: action.redact, rest });
  }
}

function reportRedacted(
  { report }: LintContext,
  read: Read,
  at: { readonly pointers: readonly string[]; readonly rest: readonly string[] },
): void {
  const pointer = `/${at.rest.join('/')}`;
  const hit = at.pointers.find((redacted) => pointer === redacted || pointer.startsWith(`${redacted}/`));
  if (hit === undefined) return;
  report({
    code: 'PAWL-703',
    ...placeOf(read),
    message: `"${read.path.join('.')}" is redacted (${hit}): it is never stored`,
    help: 'read another field, or take it out of "redact"',
  });
}
