import { describe, expect, it } from 'vitest';
import type { Verbs } from '../../src/app/verbs.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import { verifyStore } from '../../src/engine/verify-store.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import type { SharedEffect } from '../../src/model/shared-effect.ts';
import type { ReviewAnswer } from '../../src/model/statuses.ts';
import type { SendOrder } from '../../src/ports/action-adapter.ts';
import type { Store } from '../../src/ports/store.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { lostAnswer } from '../../src/testing/store-verbs.ts';
import { NEVER, openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';

const FILE = `pawl: 1
workflow: greet
version: 1
timeout: 9d
input: { type: object, properties: { who: { type: string }, text: { type: string }, fails: { type: boolean } } }
actions:
  mail.send:
    http: { method: POST, url: 'http://p/mail', body: { to: =with.who, text: =with.text } }
    idempotency: natural
    output: { type: object, properties: { id: { type: string } } }
    compensate: { call: mail.recall, with: { id: =effect.output.id } }
  mail.recall: { http: { method: POST, url: 'http://p/recall', body: =with }, idempotency: natural, compensate: none }
  check.pass: { http: { method: POST, url: 'http://p/check' }, idempotency: natural, compensate: none }
steps:
  - id: mail
    call: mail.send
    reach: global
    object: =input.who
    intent: greeting
    retry: { attempts: 3, delay: 1m }
    with: { who: =input.who, text: '\${ or(input.text, "hello") }' }
  - id: check
    when: or(input.fails, false)
    call: check.pass
    retry: { attempts: 1 }
`;

const ORDER = { by: 'ops', reason: 'not wanted' };

/** A world in which greetings are sent; what each provider was told is noted, and its answers can be chosen. */
class Post {
  readonly house: SmallHouse = openSmallHouse();
  readonly sent: string[] = [];
  readonly keys: string[] = [];
  answers: Partial<Record<string, () => AttemptReport | Promise<AttemptReport>>> = {};
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

  answer({ contract, effect: { key } }: SendOrder): AttemptReport | Promise<AttemptReport> {
    this.sent.push(contract.name);
    this.keys.push(key);
    return this.answers[contract.name]?.() ?? answered(200, { id: 'm-1' });
  }

  async begin(input: Readonly<Record<string, string | boolean>> = {}, text: string = FILE): Promise<RunId> {
    return (await this.house.begin(this.verbs, text, { who: 'ann', ...input })) as RunId;
  }

  async until(run: RunId, status: string): Promise<void> {
    await this.house.until(() => this.head(run)?.status === status);
  }

  head(run: RunId) {
    return this.house.store.peek().runs.get(run)?.head;
  }

  row(run: RunId, step = 'mail') {
    return [...(this.house.store.peek().runs.get(run)?.effects.values() ?? [])].filter((one) => one.step === step);
  }

  pass(ms: number): Promise<unknown> {
    const { world } = this.house;
    return world.run(() => false, world.nowMs() + ms);
  }

  show(run: RunId): Promise<RunView> {
    return this.house.settled(this.verbs.show(run));
  }

  async say(run: RunId, effect: string, as: ReviewAnswer): Promise<void> {
    const word = { effect, as, evidence: 'seen', output: { id: 'm-7' }, by: 'ops', roles: ['operator'] };
    await this.house.settled(this.verbs.resolve(run, word));
  }

  shares(): readonly SharedEffect[] {
    return this.house.store.dump().shares;
  }

  /** What is named where the rows of shared acts are not what was stored; null = gone. */
  async damaged(change: (row: SharedEffect) => SharedEffect | null): Promise<readonly string[]> {
    const { store, settled } = this.house;
    const read = (row: SharedEffect | null): SharedEffect | null => (row === null ? null : change(row));
    const seen: typeof store = {
      ...store,
      sharedEffect: async (part, key) => read(await store.sharedEffect(part, key)),
      sharedEffects: async (part, after, limit) =>
        (await store.sharedEffects(part, after, limit)).flatMap((row) => read(row) ?? []),
    };
    const { faults } = await settled(verifyStore(seen));
    expect(faults.map(({ check }) => check)).toEqual(faults.map(() => 'share'));
    return faults.map(({ what }) => what);
  }

  async faults(): Promise<readonly unknown[]> {
    return (await this.house.settled(verifyStore(this.house.store))).faults;
  }
}

const LATER = (): AttemptReport => answered(503, { error: 'later' });
const NO = (): AttemptReport => answered(400, { error: 'no' });

/** A step that greets; several of one file are one act. */
const greets = (id: string, more = ''): string =>
  `{ id: ${id}, call: mail.send, reach: global, object: =input.who, intent: greeting, retry: { attempts: 9, delay: 1m }, with: { who: =input.who, text: hi }${more} }`;
const [HEAD = ''] = FILE.split('steps:');

describe('E11 an act that runs share', () => {
  it('E11 only the owner sends, and its CONFIRMED is recorded for all, also for those who come later', async () => {
    // E11: "the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    post.answers['mail.send'] = LATER;
    const owner = await post.begin();
    await post.pass(5_000);
    const other = await post.begin();
    await post.pass(5_000);
    expect(post.row(owner)).toMatchObject([{ state: 'AUTHORIZED', attempt: 1 }]);
    expect(post.row(other)).toMatchObject([{ state: 'PROPOSED', attempt: 0 }]);
    expect(await post.faults()).toEqual([]);
    const { id } = await post.show(owner);
    expect((await post.show(other)).waitingFor).toMatchObject([
      { kind: 'share', step: 'mail', by: [id], progress: 'WAITING', command: `pawl why ${id}` },
    ]);
    expect((await post.house.settled(post.verbs.why(other))).reasons[0]?.text).toBe(
      'mail is shared: waits for the run that carries it out, which is WAITING',
    );
    expect(post.shares()).toMatchObject([{ state: 'open', owner, users: [{ word: 'owner' }, { word: null }] }]);
    post.answers = {};
    await post.until(owner, 'COMPLETED');
    await post.until(other, 'COMPLETED');
    const late = await post.begin();
    await post.until(late, 'COMPLETED');
    expect(post.sent).toEqual(['mail.send', 'mail.send']);
    expect(new Set(post.keys).size).toBe(1);
    for (const run of [other, late]) {
      expect(post.row(run)).toMatchObject([{ state: 'CONFIRMED', attempt: 0, output: { id: 'm-1' } }]);
    }
    expect(await post.faults()).toEqual([]);
    const gone = 'it is missing, and its run has it';
    expect(await post.damaged(() => null)).toEqual([gone, gone, gone]);
    const noUser = 'a run that has it is none of its users';
    const nobody = await post.damaged((row) => ({ ...row, users: [] }));
    expect(nobody).toEqual(expect.arrayContaining(['its owner is none of its users', noUser]));
    expect(await post.damaged((row) => ({ ...row, requestHash: 'x' }))).toEqual(["its request is not its owner's"]);
    const outcome = { ok: true, code: null, class: null, message: '', output: { id: 'forged' }, externalId: null };
    expect(await post.damaged((row) => ({ ...row, outcome }))).toEqual(["its outcome is not its owner's"]);
    const stranger = await post.damaged((row) => ({ ...row, owner: '01890000-0000-7000-8000-000000000000' as RunId }));
    expect(stranger).toEqual(['its owner is none of its users']);
  });

  it('E11 a refusal is recorded for all, and the next user starts generation + 1', async () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    post.answers['mail.send'] = LATER;
    const [owner, other] = [await post.begin(), await post.begin()];
    await post.pass(5_000);
    post.answers['mail.send'] = NO;
    await post.until(owner, 'FAILED');
    await post.until(other, 'FAILED');
    post.answers = {};
    const next = await post.begin();
    await post.until(next, 'COMPLETED');
    expect(post.sent).toHaveLength(3);
    expect(post.keys[2]).not.toBe(post.keys[0]);
    expect(post.row(next).map(({ state, ingredients }) => [state, ingredients.generation])).toEqual([
      ['REFUSED', 0],
      ['CONFIRMED', 1],
    ]);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 an owner that is cancelled hands over to the next user; a user that waits and is cancelled is passed by', async () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    post.answers['mail.send'] = LATER;
    const [owner, second, third] = [await post.begin(), await post.begin(), await post.begin()];
    await post.pass(5_000);
    await post.house.settled(post.verbs.cancel(second, ORDER));
    await post.until(second, 'CANCELLED');
    await post.house.settled(post.verbs.cancel(owner, ORDER));
    await post.until(owner, 'CANCELLED');
    post.answers = {};
    await post.until(third, 'COMPLETED');
    expect(post.sent).toHaveLength(2);
    expect(post.shares()[0]).toMatchObject({ state: 'confirmed', owner: third });
    expect(await post.faults()).toEqual([]);
  });

  it('E02 the same act with another request is a conflict that names the run whose it is, and is never sent', async () => {
    // E02: "Same key + same hash: the recorded outcome. Other hash: `PAWL_EFFECT_CONFLICT`, incident, zero provider calls."
    const post = new Post();
    const owner = await post.begin();
    await post.until(owner, 'COMPLETED');
    const other = await post.begin({ text: 'bye' });
    await post.until(other, 'HELD');
    const { incidents } = await post.show(other);
    const { id } = await post.show(owner);
    expect(incidents).toMatchObject([
      { kind: 'conflict', message: `PAWL_EFFECT_CONFLICT: run ${id} has asked for the same act with another request` },
    ]);
    expect(post.sent).toHaveLength(1);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 while nobody knows what became of it all wait, and what a person says of it is told to all', async () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    post.answers['mail.send'] = () => ({ kind: 'broken', byteWritten: true, reason: 'cut off' });
    const text = FILE.replace('    retry: {', '    onUnknown: review\n    retry: {');
    const [owner, other] = [await post.begin({}, text), await post.begin({}, text)];
    await post.until(owner, 'HELD');
    await post.pass(5_000);
    const needs = await post.house.settled(post.verbs.needs({ workflow: null, statuses: null, q: null, limit: 10 }));
    expect(needs).toMatchObject([
      { kind: 'unknown', message: expect.stringContaining(' (1 run waits for it)') as string },
    ]);
    await post.pass(3_600_000);
    await post.house.settled(post.verbs.terminate(owner, ORDER));
    await post.pass(60_000);
    expect(post.row(other)).toMatchObject([{ state: 'PROPOSED' }]);
    await post.say(owner, 'mail', 'confirmed');
    await post.until(other, 'COMPLETED');
    expect(post.row(other)).toMatchObject([{ state: 'CONFIRMED', output: { id: 'm-7' } }]);
    expect(post.sent).toHaveLength(1);
    expect(await post.faults()).toEqual([]);
  });
});

describe('E11 what becomes of an act whose owner does not do it', () => {
  it('E11 one that is ABSENT is not recorded for the others: the next user becomes its owner and sends it', async () => {
    // E11: "ABSENT, REFUSED, CANCELLED: the next user becomes owner"
    const post = new Post();
    const broken = { kind: 'broken', byteWritten: true, reason: 'cut off' } as const;
    post.answers['mail.send'] = () => broken;
    const text = FILE.replace('attempts: 3, delay: 1m', 'attempts: 1').replace(
      '    retry: {',
      '    onUnknown: review\n    retry: {',
    );
    const [owner, other] = [await post.begin({}, text), await post.begin({}, text)];
    await post.until(owner, 'HELD');
    await post.pass(150_000);
    post.answers = {};
    expect(post.row(other)).toMatchObject([{ state: 'PROPOSED' }]);
    await post.say(owner, 'mail', 'absent');
    await post.until(owner, 'FAILED');
    await post.until(other, 'COMPLETED');
    expect(post.row(owner)).toMatchObject([{ state: 'ABSENT', attempt: 1 }]);
    expect(post.row(other)).toMatchObject([{ state: 'CONFIRMED', attempt: 1, ingredients: { generation: 0 } }]);
    expect([post.sent.length, new Set(post.keys).size]).toEqual([2, 1]);
    expect(post.shares()).toMatchObject([{ state: 'confirmed', owner: other }]);
    expect(await post.faults()).toEqual([]);
  });

  it.each(['in flight', 'not sent yet'])(
    'E11 one whose worker dies while it is %s is its owner’s still: whoever takes the run over does it, and all hear',
    async (when) => {
      // E11: "only the owner sends; its settlement is told to all users"
      const post = new Post();
      post.answers['mail.send'] = when === 'in flight' ? () => NEVER : LATER;
      const owner = await post.begin();
      await post.house.until(() => post.sent.length === 1);
      const other = await post.begin();
      await post.pass(2_000);
      expect(post.row(other)).toMatchObject([{ state: 'PROPOSED' }]);
      post.process.kill();
      post.answers = {};
      await post.pass(30_000);
      expect(post.row(other)).toMatchObject([{ state: 'PROPOSED' }]);
      post.house.process({ works: true, outside: { send: (order) => post.answer(order) } });
      await post.until(owner, 'COMPLETED');
      await post.until(other, 'COMPLETED');
      expect(post.row(owner)).toMatchObject([{ state: 'CONFIRMED' }]);
      expect(post.row(other)).toMatchObject([{ state: 'CONFIRMED', attempt: 0 }]);
      expect([post.sent.length, new Set(post.keys).size]).toEqual([2, 1]);
      expect(post.shares()).toMatchObject([{ owner }]);
      expect(await post.faults()).toEqual([]);
    },
  );

  it('E11 a scope around the step bounds how long it waits: the run withdraws, and is passed by', async () => {
    // E11: "ABSENT, REFUSED, CANCELLED: the next user becomes owner"
    const post = new Post();
    post.answers['mail.send'] = LATER;
    const owner = await post.begin({ text: 'hi' });
    await post.pass(5_000);
    const bounded = `${HEAD.replace('greet', 'patient')}steps:\n  - { id: group, timeout: 20s, scope: [${greets('mail')}] }\n`;
    const other = await post.begin({}, bounded);
    await post.until(other, 'FAILED');
    expect((await post.show(other)).failure).toMatchObject({ code: 'timeout', step: 'group' });
    expect(post.row(other)).toMatchObject([{ state: 'CANCELLED', attempt: 0 }]);
    expect(post.head(owner)?.status).toBe('WAITING');
    expect(post.shares()).toMatchObject([{ owner, users: [{ word: 'owner' }, { word: 'left' }] }]);
    expect(await post.faults()).toEqual([]);
  });
});

describe('E11 the undo of an act that runs share', () => {
  it('E11 only its last user undoes it, and the next user starts generation + 1', async () => {
    // E11: "Compensation only while it is the only user; a compensated or refused shared row is closed, the next user starts generation + 1."
    const post = new Post();
    post.answers['check.pass'] = NO;
    const alone = await post.begin({ fails: true });
    await post.until(alone, 'COMPENSATED');
    expect(post.sent).toEqual(['mail.send', 'check.pass', 'mail.recall']);
    const next = await post.begin();
    await post.until(next, 'COMPLETED');
    expect(post.sent.slice(3)).toEqual(['mail.send']);
    expect(
      post
        .shares()
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['closed', 'confirmed']);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 R16 an act that others rely on is not undone: a person waives it, and the last user may', async () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    const other = await post.begin();
    await post.until(other, 'COMPLETED');
    post.answers['check.pass'] = NO;
    const run = await post.begin({ fails: true });
    await post.until(run, 'HELD');
    expect((await post.show(run)).incidents).toMatchObject([{ kind: 'compensation', step: 'mail' }]);
    expect(post.row(run).map(({ state, code }) => [state, code])).toEqual([
      ['CONFIRMED', null],
      ['REFUSED', 'shared-effect'],
    ]);
    expect(await post.faults()).toEqual([]);
    await post.say(run, 'mail', 'waived');
    await post.until(run, 'COMPENSATED_WITH_ERRORS');
    await post.pass(5_000);
    const { planHash } = await post.house.settled(post.verbs.previewCompensation(other));
    await post.house.settled(post.verbs.compensate(other, ORDER, planHash));
    await post.until(other, 'COMPENSATED');
    expect(post.sent.filter((name) => name === 'mail.recall')).toHaveLength(1);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 who asks while it is being undone waits, and begins the next generation', async () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const post = new Post();
    post.answers['check.pass'] = NO;
    post.answers['mail.recall'] = LATER;
    const first = await post.begin({ fails: true });
    await post.pass(30_000);
    const second = await post.begin();
    await post.pass(10_000);
    expect(post.row(second)).toMatchObject([{ state: 'PROPOSED' }]);
    expect(post.shares()).toMatchObject([{ state: 'undoing', owner: first }]);
    expect(await post.faults()).toEqual([]);
    delete post.answers['mail.recall'];
    await post.until(first, 'COMPENSATED');
    await post.until(second, 'COMPLETED');
    expect(post.sent.filter((name) => name === 'mail.send')).toHaveLength(2);
    expect(await post.faults()).toEqual([]);
  });
});

describe('E11 an act that steps of one run share', () => {
  it('E11 a later step finds what the run has done, and it is done once', async () => {
    // E11: "only the owner sends; its settlement is told to all users"
    const post = new Post();
    const run = await post.begin({}, `${HEAD}steps:\n  - ${greets('mail')}\n  - ${greets('again')}\n`);
    await post.until(run, 'COMPLETED');
    const { steps } = await post.show(run);
    expect(steps.map(({ output }) => output)).toEqual([{ id: 'm-1' }, { id: 'm-1' }]);
    expect(post.sent).toEqual(['mail.send']);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 of two steps at once the second fails by name, and what the first had not begun is withdrawn', async () => {
    // E11: "only the owner sends"
    const post = new Post();
    const both = `  - { id: both, parallel: { one: [${greets('mail')}], two: [${greets('again')}] } }`;
    const run = await post.begin({}, `${HEAD}steps:\n${both}\n`);
    await post.until(run, 'FAILED');
    await post.pass(5_000);
    expect((await post.show(run)).failure).toMatchObject({ code: 'shared-effect', step: 'again' });
    expect(post.sent).toEqual([]);
    expect(post.shares()).toMatchObject([{ state: 'open', owner: null, requestHash: null }]);
    expect(await post.faults()).toEqual([]);
  });

  it('E11 what others have done since the run withdrew is not done again, and is the failure shared-effect', async () => {
    // E11: "ABSENT, REFUSED, CANCELLED: the next user becomes owner"
    const post = new Post();
    post.answers['mail.send'] = LATER;
    const skips = `${HEAD.replace('greet', 'skipping')}events: { skip: { schema: { type: object } } }\nsteps:\n  - ${greets('mail', ', on: [{ event: skip, next: again }]')}\n  - ${greets('again')}\n`;
    const run = await post.begin({}, skips);
    const other = await post.begin({ text: 'hi' });
    await post.pass(5_000);
    await post.house.settled(
      post.verbs.signal(run, { name: 'skip', data: {}, source: 's', eventId: null, by: 'ops', waitMs: 0 }),
    );
    await post.pass(15_000);
    expect(post.row(run, 'again')).toMatchObject([{ state: 'PROPOSED', ingredients: { generation: 1 } }]);
    post.answers = {};
    await post.until(other, 'COMPLETED');
    await post.until(run, 'FAILED');
    const { failure } = await post.show(run);
    const { id } = await post.show(other);
    expect(failure).toMatchObject({
      code: 'shared-effect',
      message: `run ${id} has done it since this run withdrew from it`,
    });
    expect(new Set(post.keys).size).toBe(1);
    expect(await post.faults()).toEqual([]);
  });
});

describe('E11 what lies between two runs', () => {
  const VERBS = ['putSharedEffect', 'deliver', 'settleOutbox'] as const;
  const CASES = VERBS.flatMap((verb) => [[verb, 'before'] as const, [verb, 'after'] as const]);

  /** Calls of a verb break, before they are done or with their answer: more and more seldom, so that no two retries go alike. */
  function breaking(verb: (typeof VERBS)[number], at: 'before' | 'after'): (store: Store) => Store {
    let calls = 0;
    let next = 1;
    let gap = 1;
    return (store) => ({
      ...store,
      [verb]: async (...asked: readonly unknown[]): Promise<unknown> => {
        calls += 1;
        const isBroken = calls === next;
        if (isBroken) {
          gap += 1;
          next += gap;
        }
        if (isBroken && at === 'before') throw lostAnswer(verb);
        const answer: unknown = await (store[verb] as (...args: readonly unknown[]) => Promise<unknown>)(...asked);
        if (isBroken) throw lostAnswer(verb);
        return answer;
      },
    });
  }

  it.each(CASES)('E11 V02 loses and doubles nothing where %s breaks %s it is done', async (verb, at) => {
    // E11: "only the owner sends; its settlement is told to all users"
    const post = new Post(breaking(verb, at));
    post.answers['mail.send'] = LATER;
    const runs = [await post.begin(), await post.begin(), await post.begin()] as const;
    await post.pass(40_000);
    const [first, second, third] = runs;
    await post.house.settled(post.verbs.cancel(first, ORDER));
    post.answers = { 'check.pass': NO };
    await post.until(second, 'COMPLETED');
    await post.until(third, 'COMPLETED');
    const fourth = await post.begin({ fails: true });
    await post.until(fourth, 'HELD');
    await post.say(fourth, 'mail', 'waived');
    await post.until(fourth, 'COMPENSATED_WITH_ERRORS');
    expect(post.sent.filter((name) => name === 'mail.send')).toHaveLength(2);
    expect(new Set(post.keys.filter((_, index) => post.sent[index] === 'mail.send')).size).toBe(1);
    expect(await post.faults()).toEqual([]);
  });
});
