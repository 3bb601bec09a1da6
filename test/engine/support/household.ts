import type { Verbs } from '../../../src/app/verbs.ts';
import type { RunView } from '../../../src/engine/run-view.ts';
import type { RunId } from '../../../src/model/ids.ts';
import type { AttemptReport } from '../../../src/model/outcome.ts';
import type { SendOrder } from '../../../src/ports/action-adapter.ts';
import type { Store } from '../../../src/ports/store.ts';
import { answered } from '../../../src/testing/simulator/answered.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './small-house.ts';

const ACTIONS = `
actions:
  do.a: { http: { method: POST, url: 'http://p/a' }, idempotency: natural, compensate: { call: undo.a } }
  do.b: { http: { method: POST, url: 'http://p/b' }, idempotency: natural, compensate: { call: undo.b } }
  do.late: { http: { method: POST, url: 'http://p/late' }, idempotency: natural, compensate: none }
  undo.a: { http: { method: POST, url: 'http://p/undo-a' }, idempotency: natural, compensate: none }
  undo.b: { http: { method: POST, url: 'http://p/undo-b' }, idempotency: natural, compensate: none }
`;

/** A workflow of these steps; `head` are lines of the document. */
export function file(workflow: string, steps: readonly string[], head: readonly string[] = []): string {
  return [
    'pawl: 1',
    `workflow: ${workflow}`,
    'version: 1',
    'timeout: 9d',
    ...head,
    ACTIONS,
    'steps:',
    ...steps,
    '',
  ].join('\n');
}

/** Steps and files that most tests of children are made of. */
export const A = '  - { id: a, call: do.a }';
export const B = '  - { id: b, call: do.b }';
export const REST = '  - { id: rest, wait: 1m }';
export const ITEM = ['input: { type: object, properties: { item: { type: string } } }', 'output: { got: =input.item }'];
export const PART = file('part', [A], ITEM);
export const SLOW = file('part', [A, REST, B], ITEM);
export const LATE = '  - { id: late, call: do.late }';
export const child = (more = ''): string => `  - { id: part, child: part@1, with: { item: x }${more} }`;
export const WHOLE = file('whole', [child(), LATE]);

/** A world with a worker; acts are noted in their order, and those that are named are refused. */
export class Household {
  readonly house: SmallHouse = openSmallHouse();
  readonly done: string[] = [];
  readonly refused = new Set<string>();
  readonly process: SmallProcess;

  constructor(storeOf: (store: Store) => Store = (store) => store) {
    this.process = this.house.process({
      works: true,
      store: storeOf(this.house.store),
      outside: { send: (order) => this.answer(order) },
    });
  }

  get verbs(): Verbs {
    return this.process.verbs;
  }

  answer({ contract }: SendOrder): AttemptReport {
    if (this.refused.has(contract.name)) return answered(400, { error: 'no' });
    this.done.push(contract.name);
    return answered(200, { id: contract.name });
  }

  async publish(text: string): Promise<void> {
    await this.house.settled(this.verbs.publish({ text, file: 'test.pawl.yaml', by: 'author' }));
  }

  /** Publishes both and starts the parent. */
  async begin(part: string, whole: string): Promise<string> {
    await this.publish(part);
    return this.house.begin(this.verbs, whole);
  }

  statusOf(workflow: string): string | undefined {
    return this.all(workflow)[0]?.head.status;
  }

  all(workflow: string) {
    return [...this.house.store.peek().runs.values()].filter(({ run }) => run.workflow === workflow);
  }

  async until(workflow: string, status: string): Promise<void> {
    await this.house.until(() => this.statusOf(workflow) === status);
  }

  pass(ms: number): Promise<unknown> {
    const { world } = this.house;
    return world.run(() => false, world.nowMs() + ms);
  }

  show(run: string): Promise<RunView> {
    return this.house.settled(this.verbs.show(run));
  }

  async say(run: string, effect: string, as: 'retry' | 'waived' | 'undone'): Promise<void> {
    const word = { effect, as, evidence: 'agreed', output: undefined, by: 'ops', roles: ['operator'] };
    await this.house.settled(this.verbs.resolve(run, word));
  }

  /** The id of the only run of a workflow. */
  only(workflow: string): RunId {
    const [found, ...others] = this.all(workflow);
    if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} runs of ${workflow}`);
    return found.run.runId;
  }
}
