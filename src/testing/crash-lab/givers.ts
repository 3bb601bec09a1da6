import { authorOf } from '../../machine/lane-steps.ts';
import type { Verbs } from '../../app/verbs.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import { compileSchema } from '../../definition/schema-validator.ts';
import { ExpressionFault } from '../../definition/expression/expression-fault.ts';
import { restingStates } from '../../machine/form/active-states.ts';
import { flowScope } from '../../machine/scope.ts';
import type { Approval } from '../../model/approval.ts';
import type { AwaitStep } from '../../model/definition.ts';
import type { Json } from '../../model/json.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { StoredRun } from '../../ports/store.ts';
import { type Draw, generateValue } from './generate-value.ts';
import type { Lab, Story } from './lab.ts';
import { comparedFields, variants, withField } from './literals.ts';
import type { GivenVote } from './scenario-file.ts';
import type { Surprise } from './trouble.ts';

/** An event that the run was given. */
export interface SentEvent {
  readonly name: string;
  readonly data: Json;
  readonly id: string;
}

/** A vote that somebody cast. */
export interface CastVote {
  readonly approval: string;
  readonly vote: Pick<GivenVote, 'by' | 'roles' | 'decision'> & { readonly form?: Json };
}

/** What somebody outside has to give so that a run goes on. */
export type Gift =
  | { readonly kind: 'event'; readonly event: SentEvent }
  | { readonly kind: 'vote'; readonly cast: CastVote }
  /** It is awaited, and the lab cannot make it. */
  | { readonly kind: 'cannot'; readonly message: string };

/** One that can be made. */
export type Sendable = Exclude<Gift, { kind: 'cannot' }>;

/** The names behind `event.data` in the value by which an event is correlated. */
function correlationPath(lab: Lab, event: string): readonly string[] | null {
  return pathOf(lab.definition.events.find((declared) => declared.name === event)?.by?.source ?? '');
}

/** The names behind `event.data` in an expression that reads nothing else. */
function pathOf(source: string): readonly string[] | null {
  const path = /^event\.data\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)$/.exec(source.trim())?.[1];
  return path?.split('.') ?? null;
}

/** The data under the number that the run takes next, where its sender orders it (V03). */
function inSequence(lab: Lab, stored: StoredRun, event: string, data: Json): Json {
  const declared = lab.definition.events.find(({ name }) => name === event);
  const path = pathOf(declared?.sequence?.source ?? '');
  if (path === null) return data;
  const { sequences = {} } = unpackSnapshot(stored.snapshot, stored.run.digest).control;
  return withField(data, { path, value: Math.max(0, ...Object.values(sequences)) + 1 });
}

/** What takes an event: an `await`, or a handler. */
type Taker = Pick<AwaitStep, 'event' | 'match' | 'where'>;

/** What waits for an event: an `await`, or a state of a machine. */
type Waiting = Taker & Pick<AwaitStep, 'id'>;

/** The value that an awaited event must carry; undefined where none is asked for. */
function matchValue(lab: Lab, stored: StoredRun, step: Taker): Json | undefined {
  if (step.match === null) return undefined;
  const { data } = unpackSnapshot(stored.snapshot, stored.run.digest).snapshot;
  try {
    return lab.compiled.evaluator.render(step.match, { kind: 'flow' }, flowScope(lab.compiled, stored.run, data));
  } catch (error) {
    if (error instanceof ExpressionFault) return undefined;
    throw error;
  }
}

/** Data for an awaited event: by its schema, with the value that correlates it and what `where` asks for. */
function dataFor(lab: Lab, stored: StoredRun, step: Taker, draw: Draw): Json | undefined {
  const schema = lab.definition.events.find(({ name }) => name === step.event)?.schema ?? true;
  const made = generateValue(schema, draw);
  if (made === undefined) return undefined;
  const match = matchValue(lab, stored, step);
  const path = correlationPath(lab, step.event);
  const about = match === undefined || path === null ? made : withField(made, { path, value: match });
  const matched = inSequence(lab, stored, step.event, about);
  const asked = step.where === null ? [] : comparedFields([step.where.source]);
  const likely = asked.length === 0 ? [matched] : [...variants(matched, asked)].reverse();
  return likely.find((data) => compileSchema(schema)(data).length === 0);
}

function eventFor(lab: Lab, pick: number, stored: StoredRun, step: Waiting): Gift {
  const given = lab.scenario.events.find(({ name, atMs }) => name === step.event && atMs === null);
  const { visits } = unpackSnapshot(stored.snapshot, stored.run.digest).snapshot.data;
  const no = Object.values(visits).reduce((sum, visit) => sum + visit, 1);
  const data = given?.data ?? dataFor(lab, stored, step, { no, pick, size: no });
  if (data !== undefined)
    return { kind: 'event', event: { name: step.event, data, id: `${step.event}-${step.id}-${no}` } };
  return {
    kind: 'cannot',
    message: `the lab cannot make data for the event ${step.event}: give it in a scenario, events: [{ name: ${step.event}, data: … }]`,
  };
}

/** Somebody who may vote: by name where the approval names people, else by a role. */
function voterFor(approval: Approval, at: number): Pick<GivenVote, 'by' | 'roles'> {
  const users = approval.from.filter((entry) => entry.startsWith('user:')).map((entry) => entry.slice('user:'.length));
  const roles = approval.from.filter((entry) => entry.startsWith('role:')).map((entry) => entry.slice('role:'.length));
  const allowed = users.filter((user) => !approval.except.includes(user));
  return { by: roles.length > 0 ? `voter-${at}` : (allowed[at] ?? `voter-${at}`), roles };
}

function votesFor(lab: Lab, story: Story, approval: Approval): readonly Gift[] {
  const { votes } = lab.scenario;
  if (votes !== null) {
    return votes
      .filter(({ atMs }) => atMs === null)
      .map((vote) => ({ kind: 'vote', cast: { approval: approval.approvalId, vote } }));
  }
  const decision = story.denied.has(authorOf(approval.step)) ? 'deny' : 'approve';
  const count = decision === 'deny' ? approval.denials : approval.quorum;
  const step = lab.compiled.copies.get(approval.step);
  const form = decision === 'approve' && step?.verb === 'approve' ? step.form : undefined;
  const filled = form === undefined ? undefined : generateValue(form, { no: 1, size: 1, pick: story.pick });
  return Array.from({ length: count }, (_, at) => ({
    kind: 'vote',
    cast: {
      approval: approval.approvalId,
      vote: { ...voterFor(approval, at), decision, ...(filled === undefined ? {} : { form: filled }) },
    },
  }));
}

/** What another run beside it would have its event carry; undefined where that cannot be told. */
function otherMatch(lab: Lab, story: Story, stored: StoredRun, step: Taker): Json | undefined {
  const source = JSON.stringify(step.match);
  const isOfInput = source.includes('input.') && !/\b(steps|vars|run)\./.test(source);
  if (!isOfInput || story.neighbour === null) return undefined;
  return matchValue(lab, { ...stored, run: { ...stored.run, input: story.neighbour } }, step);
}

/** The same event about something else: of the run beside it, or with another value where it is correlated. */
function strayOf(
  lab: Lab,
  story: Story,
  stored: StoredRun,
  { gift, step }: { gift: Gift; step: Taker },
): readonly Gift[] {
  const path = correlationPath(lab, step.event);
  if (gift.kind !== 'event' || path === null) return [];
  const { event } = gift;
  const own = path.reduce<Json | undefined>(
    (value, name) => (value as Readonly<Record<string, Json>> | undefined)?.[name],
    event.data,
  );
  const value = otherMatch(lab, story, stored, step) ?? (typeof own === 'number' ? own + 1 : `${String(own)}-other`);
  const data = withField(event.data, { path, value });
  const schema = lab.definition.events.find(({ name }) => name === step.event)?.schema ?? true;
  if (compileSchema(schema)(data).length > 0) return [];
  return [{ kind: 'event', event: { ...event, data, id: `${event.id}-stray` } }];
}

/** What comes while a step that takes it by `on` is under way; nothing where its data cannot be made. */
export function surprisesFor(
  lab: Lab,
  story: Story,
  stored: StoredRun,
  { handler, draw, comes }: Surprise,
): readonly Gift[] {
  const data = dataFor(lab, stored, handler, draw);
  if (data === undefined) return [];
  const id = `${handler.event}-surprise`;
  const gift: Gift = { kind: 'event', event: { name: handler.event, data, id } };
  if (comes === 'foreign') return strayOf(lab, story, stored, { gift, step: handler });
  const again: Gift = { kind: 'event', event: { ...gift.event, id: `${id}-again` } };
  return comes === 'twice' ? [gift, again] : [gift];
}

/** Whether events of that name come at a scenario's own times only. */
function isScheduled(lab: Lab, event: string): boolean {
  const given = lab.scenario.events.filter(({ name }) => name === event);
  return given.length > 0 && given.every(({ atMs }) => atMs !== null);
}

/** The first event for which each state of a machine waits that does nothing else, with the guard that it must pass. */
function waitingStates({ definition }: Lab, value: Json): readonly Waiting[] {
  const { machine, events } = definition;
  if (machine === undefined) return [];
  return restingStates(machine, value).flatMap(({ id, invoke, edges }): readonly Waiting[] => {
    if (invoke !== null) return [];
    const taken = edges.flatMap(({ trigger, guard }) =>
      trigger.kind === 'event' && events.some(({ name }) => name === trigger.name)
        ? [{ id, event: trigger.name, match: null, where: guard }]
        : [],
    );
    return taken.slice(0, 1);
  });
}

/** What a run waits for and somebody has to give, now. @param isStray the events that come are about something else. */
export function giftsFor(lab: Lab, story: Story, stored: StoredRun, isStray: boolean): readonly Gift[] {
  const { control, snapshot } = unpackSnapshot(stored.snapshot, stored.run.digest);
  const steps = Object.keys(control.activeSinceMs).flatMap((id): readonly Waiting[] => {
    const step = lab.compiled.copies.get(id);
    return step?.verb === 'await' && !story.denied.has(authorOf(id)) ? [step] : [];
  });
  const awaited = [...steps, ...waitingStates(lab, snapshot.value)].flatMap((step): readonly Gift[] => {
    if (isScheduled(lab, step.event)) return [];
    const gift = eventFor(lab, story.pick, stored, step);
    return isStray ? strayOf(lab, story, stored, { gift, step }) : [gift];
  });
  const open = stored.approvals.filter(({ state }) => state === 'open');
  return [...awaited, ...open.flatMap((approval) => votesFor(lab, story, approval))];
}

/** Gives it; whoever hears nothing gives it again. */
export async function give(verbs: Verbs, run: RunIdentity, gift: Sendable): Promise<void> {
  if (gift.kind === 'event') {
    const { name, data, id } = gift.event;
    await verbs.signal(run.runId, { name, data, source: 'crashtest', eventId: id, by: 'crashtest', waitMs: 0 });
    return;
  }
  const { approval, vote } = gift.cast;
  const { by, roles, decision, form } = vote;
  const filled = form === undefined ? {} : { form };
  await verbs.vote(run.runId, {
    approval,
    decision,
    subjectHash: null,
    principal: by,
    roles,
    comment: null,
    ...filled,
  });
}
