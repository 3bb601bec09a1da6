import { invariant } from '../model/errors.ts';
import type { ParallelStep } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { ownValue, withoutKey } from '../model/own-value.ts';
import type { Branches, BranchEnd, Failure, RunData } from '../model/run.ts';
import { authorOf } from './lane-steps.ts';
import { bodyListId } from './outline.ts';
import type { Program } from './program.ts';

type Known = Pick<Program, 'step' | 'branchOf'>;

/** The list of a branch. */
export function branchListId(step: string, branch: string): string {
  return bodyListId(step, `b_${branch}`);
}

/** The parallel step of that id. @throws PAWL_INVARIANT for a step of another verb. */
export function parallelAt(program: Pick<Program, 'step'>, id: string): ParallelStep {
  const step = program.step(id);
  invariant(step.verb === 'parallel', 'not a parallel step', { step: id });
  return step;
}

/** How the branches of a step stand. @throws PAWL_INVARIANT for a step that was not entered. */
export function branchesOf(data: RunData, step: string): Branches {
  const found = ownValue(data.branches ?? {}, step);
  invariant(found !== undefined, 'branches that never began', { step });
  return found;
}

/** The data with the branches of a step as they stand now. */
export function withBranches(data: RunData, step: string, branches: Branches): RunData {
  return { ...data, branches: { ...data.branches, [step]: branches } };
}

/** All branches begin: nothing is left of an entry before. @param need how many must succeed. */
export function beginBranches(data: RunData, { id, branches }: ParallelStep, need: number): RunData {
  const lists = branches.map(({ name }) => branchListId(id, name));
  const begun: RunData = {
    ...data,
    visits: lists.reduce(withoutKey, data.visits),
    ran: lists.reduce(withoutKey, data.ran ?? {}),
    failingIn: lists.reduce(withoutKey, data.failingIn ?? {}),
  };
  return withBranches(begun, id, { need, ends: [], failure: null, stopping: false, way: null });
}

/** Notes that a branch is at its end, and with which failure. */
export function endBranch(data: RunData, step: string, end: BranchEnd, failure: Failure | null): RunData {
  const before = branchesOf(data, step);
  const after = { ...before, ends: [...before.ends, end], failure: before.failure ?? failure };
  return {
    ...withBranches(data, step, after),
    failingIn: withoutFailureIn(data, branchListId(step, end.branch)),
  };
}

/** The failure that is being routed in a branch, by its list; null = none. */
export function failureIn({ failingIn = {} }: RunData, list: string): Failure | null {
  return ownValue(failingIn, list) ?? null;
}

function withoutFailureIn({ failingIn = {} }: RunData, list: string): Readonly<Record<string, Failure>> {
  return withoutKey(failingIn, list);
}

/** The failure that is being routed where a step stands; `step` null = outside of all branches. */
export function failingAt(program: Known, data: RunData, step: string | null): Failure | null {
  const list = step === null ? null : program.branchOf(step);
  return list === null ? data.failing : failureIn(data, list);
}

/** The data with that failure, or none, being routed where a step stands. */
export function withFailing(program: Known, data: RunData, step: string | null, failing: Failure | null): RunData {
  const list = step === null ? null : program.branchOf(step);
  if (list === null) return { ...data, failing };
  const others = withoutFailureIn(data, list);
  return { ...data, failingIn: failing === null ? others : { ...others, [list]: failing } };
}

function countOf(branches: Branches, status: BranchEnd['status']): number {
  return branches.ends.filter((end) => end.status === status).length;
}

/** Whether as many have succeeded as must, or too many have failed; null = nobody can say yet. */
export function decisionOf(step: ParallelStep, branches: Branches): 'met' | 'lost' | null {
  if (countOf(branches, 'succeeded') >= branches.need) return 'met';
  return countOf(branches, 'failed') > step.branches.length - branches.need ? 'lost' : null;
}

/** Whether a branch that succeeds now does so when it is decided already: at the same moment, before it could be told. */
export function comesLate(step: ParallelStep, branches: Branches): boolean {
  return step.siblings !== 'finish' && decisionOf(step, branches) !== null;
}

/** Whether nothing is under way in any branch. */
export function areOver(step: ParallelStep, branches: Branches): boolean {
  return branches.ends.length === step.branches.length;
}

/** The branches that were not among the first that had to succeed. */
export function losersOf(step: ParallelStep, { ends, need }: Branches): readonly string[] {
  const winners = ends.filter(({ status }) => status === 'succeeded').slice(0, need);
  return step.branches.map(({ name }) => name).filter((name) => !winners.some(({ branch }) => branch === name));
}

/** The output of a parallel step: each branch in the author's order; one that never began is `stopped`. */
export function outputOfBranches({ branches }: ParallelStep, { ends }: Branches): Json {
  return Object.fromEntries(
    branches.map(({ name }) => {
      const { status, code, output } = ends.find(({ branch }) => branch === name) ?? STOPPED;
      return [name, { status, code, output }] as const;
    }),
  );
}

const STOPPED = { status: 'stopped', code: null, output: null } as const;

/** Why a join failed: of `all` the first failure as it is, else that it cannot be met, naming each code. */
export function joinFailure(step: ParallelStep, branches: Branches): Failure {
  const { need, ends, failure } = branches;
  if (step.join.kind === 'all' && failure !== null) return failure;
  const failed = ends.filter((end) => end.status === 'failed');
  const codes = failed.map(({ branch, code }) => `${branch}: ${String(code)}`).join(', ');
  const why = codes === '' ? '' : ` (${codes})`;
  return {
    code: 'impossible',
    class: 'impossible',
    message: `step ${authorOf(step.id)} needs ${need} of ${step.branches.length} branches and can have them no more${why}`,
    step: step.id,
    data: Object.fromEntries(failed.map(({ branch, code }) => [branch, code] as const)),
    cause: failure,
  };
}
