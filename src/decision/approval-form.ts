import { fillDefaults } from '../definition/fill-defaults.ts';
import { compileSchema } from '../definition/schema-validator.ts';
import type { Approval, AuthorizedRequest } from '../model/approval.ts';
import type { ApproveStep, CallStep } from '../model/definition.ts';
import type { Effect, EffectRequest } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { isUndoApproval } from './approval-rules.ts';
import type { Draft } from './draft.ts';
import { orFault } from './faults.ts';
import { prepareCall } from './prepare-call.ts';
import { framesAhead } from './step-scope.ts';

/** Why what a vote fills in is not taken: the place in it, and what is allowed there. */
export interface FormFault {
  readonly pointer: string;
  readonly message: string;
}

/** What a yes fills in. */
export interface Filling {
  readonly by: string;
  readonly form: Json | undefined;
}

/** What has the form of an approval: the step that asks; a compensation's has none. @throws PAWL_INVARIANT for another verb. */
export function formAsked(draft: Draft, approval: Approval): Pick<ApproveStep, 'form'> {
  if (isUndoApproval(approval)) return {};
  const step = draft.ctx.compiled.step(approval.step);
  invariant(step.verb === 'approve', 'an approval of a step that asks nobody', { step: approval.step });
  return step;
}

/**
 * What a vote fills in, with the form's defaults. Only a yes fills in, only the fields of the form, and each fits it.
 * @returns undefined where there is no form, or the vote is a no.
 */
export function fillForm(
  { form: schema }: Pick<ApproveStep, 'form'>,
  vote: { readonly decision: 'approve' | 'deny'; readonly form?: Json },
): { readonly form: Json | undefined } | FormFault {
  const given = vote.form;
  if (schema === undefined || vote.decision === 'deny') {
    const message = schema === undefined ? 'this approval has no form' : 'a denial fills in nothing';
    return given === undefined ? { form: undefined } : { pointer: '', message };
  }
  const form = fillDefaults(schema, given ?? {});
  const [misfit] = [...strangeFields(schema, form), ...compileSchema(schema)(form)];
  return misfit ?? { form };
}

/** A name that is mistyped would leave the value as it was proposed: only what the form names is taken. */
function strangeFields(schema: JsonObject, form: Json): readonly FormFault[] {
  const fields = Object.keys(membersOf(schema['properties'] ?? null));
  const strange = Object.keys(membersOf(form)).filter((name) => !fields.includes(name));
  return strange.map((name) => ({
    pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    message: `"${name}" is no field of the form; it has: ${fields.join(', ')}`,
  }));
}

/**
 * The requests that a yes authorizes: as they were shown, or, where the form has a field of the same name as one of `with`,
 * with its value instead (A04).
 * @throws PAWL_EXPRESSION_FAULT where what was filled in does not fit the action's input.
 */
export function editRequests(draft: Draft, approval: Approval, filling: Filling): readonly AuthorizedRequest[] {
  return approval.authorizes.map((target) => {
    const shown = shownCall(draft, approval, target);
    const edited = shown === null ? null : editedWith(shown, filling.form ?? null);
    if (edited === null) return target;
    const { request, requestHash } = callWith(draft, approval, target, edited);
    if (requestHash === target.requestHash) return target;
    return { ...target, edited: { by: filling.by, request, requestHash } };
  });
}

/**
 * The ledger row of an effect whose approval has a form: it is born with the yes, because only then its request is known.
 * @returns null where the request that was shown is not what the step would ask for now: that is `unauthorized` (A04).
 */
export function bornAuthorized(draft: Draft, approval: Approval, target: AuthorizedRequest): Effect | null {
  const shown = shownCall(draft, approval, target);
  if (shown === null) return null;
  const { approvalId } = approval;
  if (target.edited === undefined) return { ...shown, approvalId };
  return { ...callWith(draft, approval, target, withIn(target.edited.request)), approvalId };
}

/** The `with` of a request's text. */
export function withIn(request: string): Json {
  return (JSON.parse(request) as EffectRequest).with;
}

/** The row as it was proposed; null where that is not what the step would ask for now. */
function shownCall(draft: Draft, approval: Approval, target: AuthorizedRequest): Effect | null {
  const call = orFault(
    () => callWith(draft, approval, target),
    () => null,
  );
  return call?.requestHash === target.requestHash && call.key === target.effectKey ? call : null;
}

function callWith(draft: Draft, approval: Approval, target: AuthorizedRequest, edited?: Json): Effect {
  const { data } = draft.snapshot;
  const step = callStep(draft, target.step);
  const frames = framesAhead(draft, approval.step, target.step, data);
  return prepareCall(draft, { step, data, frames, state: 'AUTHORIZED', ...(edited === undefined ? {} : { edited }) });
}

function callStep(draft: Draft, id: string): CallStep {
  const step = draft.ctx.compiled.step(id);
  invariant(step.verb === 'call', 'a yes to a step that calls nothing', { step: id });
  return step;
}

/** `with` after the form; null where the form changes nothing of it. */
function editedWith(shown: Effect, form: Json): Json | null {
  const before = membersOf(withIn(shown.request));
  const fields = Object.entries(membersOf(form)).filter(([name]) => Object.hasOwn(before, name));
  if (fields.length === 0) return null;
  return Object.fromEntries([...Object.entries(before), ...fields]);
}

function membersOf(value: Json): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
