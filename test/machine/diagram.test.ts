import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { describeRun } from '../../src/machine/describe-run.ts';
import { describeMachine } from '../../src/machine/diagram.ts';
import { lower } from '../../src/machine/lower.ts';
import { toMermaid } from '../../src/machine/mermaid.ts';
import type { Template, WorkflowDefinition } from '../../src/model/definition.ts';
import type { Picture } from '../../src/model/picture.ts';
import { definitionFrom, tapes } from './support/arbitrary.ts';
import {
  action,
  approve,
  awaiting,
  branch,
  call,
  cel,
  choose,
  clause,
  end,
  expr,
  fail,
  handler,
  literal,
  parallel,
  repeat,
  scope,
  set,
  undo,
  wait,
  workflow,
} from './support/definitions.ts';
import { Driver } from './support/driver.ts';

function draw(definition: WorkflowDefinition): Picture {
  return describeMachine(lower(definition));
}

/** Arrows in short: `a -> b (kind: label)`. */
function arrows(picture: Picture): readonly string[] {
  return picture.edges.map(
    ({ from, to, kind, label, condition }) =>
      `${from} -> ${to} (${kind}${label === null ? '' : `: ${label}`})${condition === null ? '' : ` only if ${condition}`}`,
  );
}

describe('describeMachine', () => {
  it('draws one box a step from start to completed, and no helper state', () => {
    const picture = draw(workflow([call('a'), set('b', [['n', literal(1)]]), call('c')]));
    expect(picture.title).toBe('sample 1');
    expect(picture.nodes.map((node) => `${node.kind} ${node.title}`)).toEqual([
      'start start',
      'call a',
      'set b',
      'call c',
      'end completed',
    ]);
    expect(arrows(picture)).toEqual(['$start -> a (next)', 'a -> b (next)', 'b -> c (next)', 'c -> $completed (next)']);
  });

  it('marks the pivot, people, waits, what an approval authorizes, and what only a person can settle', () => {
    const actions = [
      action('act'),
      action('deaf', { idempotency: { kind: 'none' } }),
      action('read', { effect: 'read', idempotency: null }),
    ];
    const steps = [call('a', { pivot: true, authorizedBy: 'p' }), approve('p'), wait('w'), awaiting('e', 'changed')];
    const more = [call('d', { action: 'deaf' }), call('r', { action: 'read' }), call('v', { onUnknown: 'review' })];
    const marks = Object.fromEntries(
      draw(workflow([...steps, ...more], { actions })).nodes.map((node) => [node.id, node.marks]),
    );
    expect(marks).toMatchObject({
      a: ['pivot', 'authorized'],
      p: ['human'],
      w: ['wait'],
      e: ['wait'],
      d: ['unknown'],
      r: [],
      v: ['unknown'],
    });
  });

  it('says in a second line what a step is about', () => {
    const steps = [
      call('a'),
      wait('w', { wait: { kind: 'until', instant: expr('input.day') } }),
      approve('p', { title: { kind: 'text', parts: ['Pay ', cel('input.n'), '?'] } }),
      set('s', [['n', literal(1)]], { named: false }),
      end('e', 'as', { as: 'refused' }),
    ];
    const nodes = draw(workflow(steps)).nodes;
    expect(nodes.map((node) => [node.title, node.detail])).toEqual([
      ['start', null],
      ['a', 'act'],
      ['w', 'until input.day'],
      ['p', 'Pay {input.n}?'],
      ['set', 'n'],
      ['e', 'refused'],
    ]);
  });

  it('puts the branches of a choose into a box, whose catch and handlers start at the box', () => {
    const x = choose(
      'x',
      [branch('input.n > 1', [call('a')]), branch('input.n < 0', null, 'z'), branch(null, [call('b')])],
      {
        on: [handler('changed', { leads: 'cancel' })],
        catch: [clause(['denied'], { do: [call('c')] }), clause(['any'], { leads: 'raise' })],
      },
    );
    const picture = draw(workflow([x, call('z')]));
    const parents = Object.fromEntries(picture.nodes.map((node) => [node.id, node.parent]));
    expect(parents).toMatchObject({
      x$group: null,
      x: 'x$group',
      a: 'x$group',
      b: 'x$group',
      x$catch0: null,
      c: 'x$catch0',
      z: null,
    });
    expect(arrows(picture)).toEqual([
      '$start -> x (next)',
      'x -> a (branch: input.n > 1)',
      'x -> z (branch: input.n < 0)',
      'x -> b (branch: else)',
      'x$group -> c (catch: denied)',
      'x$group -> $failed (catch: any)',
      'a -> z (next)',
      'x$group -> $cancelled (handler: changed)',
      'b -> z (next)',
      'c -> z (next)',
      'z -> $completed (next)',
    ]);
  });

  it('puts a scope into a box, with its undo and its time', () => {
    const inner = [call('a', { catch: [clause(['lost'], { undo: true })] }), undo('u', ['a'])];
    const s = scope('s', inner, { timeoutMs: 1_000, catch: [clause(['timeout'], { undo: true, do: [call('m')] })] });
    const picture = draw(workflow([s, call('z')]));
    expect(picture.nodes.map(({ id, kind, parent, title, detail }) => [id, kind, parent, title, detail])).toEqual([
      ['$start', 'start', null, 'start', null],
      ['s$group', 'group', null, 's', null],
      ['s', 'scope', 's$group', 's', null],
      ['a', 'call', 's$group', 'a', 'act'],
      ['u', 'undo', 's$group', 'u', 'a'],
      ['s$catch0', 'group', null, 's fails: timeout, undone', null],
      ['m', 'call', 's$catch0', 'm', 'act'],
      ['z', 'call', null, 'z', 'act'],
      ['$completed', 'end', null, 'completed', null],
    ]);
    expect(arrows(picture)).toEqual([
      '$start -> s (next)',
      's -> a (branch)',
      's$group -> m (catch: timeout, undone)',
      'a -> u (next)',
      'a -> u (catch: lost, undone)',
      'u -> z (next)',
      'm -> z (next)',
      'z -> $completed (next)',
    ]);
  });

  it('draws the turns of a repeat as a way back with its bound', () => {
    const again = repeat('r', [call('a'), call('b')], { until: cel('input.n > 1') });
    const picture = draw(workflow([again, call('z')]));
    expect(picture.nodes.find(({ id }) => id === 'r')).toMatchObject({ kind: 'repeat', detail: 'until input.n > 1' });
    expect(arrows(picture)).toEqual([
      '$start -> r (next)',
      'r -> a (branch)',
      'a -> b (next)',
      'b -> z (next)',
      'b -> a (jump: at most 3×)',
      'z -> $completed (next)',
    ]);
  });

  it('draws a way back as a jump with its bound, at the end of a catch too', () => {
    const again = call('a', { maxJumps: 3, catch: [clause(['any'], { do: [wait('w')], next: 'a' })] });
    const picture = draw(workflow([again, call('b', { next: 'a', maxJumps: 2 }), call('c')]));
    expect(arrows(picture)).toContain('w -> a (jump: at most 3×)');
    expect(arrows(picture)).toContain('b -> a (jump: at most 2×)');
  });

  it('says on every arrow to a step when it runs at all, whatever its second line is', () => {
    const inner = call('a', { when: cel('input.deep') });
    const steps = [
      approve('p', { when: cel('input.first'), title: literal('a title of more than forty characters in all') }),
      choose('x', [branch('input.n > 1', [inner]), branch(null, null, 'z')], { when: cel('input.any') }),
      call('y', { catch: [clause(['any'], { next: 'z' })] }),
      call('z', { when: cel('input.last') }),
    ];
    const picture = draw(workflow(steps));
    expect(arrows(picture)).toEqual([
      '$start -> p (next) only if input.first',
      'p -> x (next) only if input.any',
      'x -> a (branch: input.n > 1) only if input.deep',
      'x -> z (branch: else) only if input.last',
      'a -> y (next)',
      'y -> z (next) only if input.last',
      'y -> z (catch: any) only if input.last',
      'z -> $completed (next)',
    ]);
    expect(toMermaid(picture)).toContain('-->|"input.n #62; 1<br>only if input.deep"|');
    expect(toMermaid(picture)).toContain('-->|"only if input.first"|');
  });

  it('draws a skip only where a done step goes somewhere else', () => {
    const picture = draw(
      workflow([call('a', { when: cel('input.x'), next: 'c' }), call('b', { when: cel('input.x') }), call('c')]),
    );
    expect(arrows(picture)).toEqual([
      '$start -> a (next) only if input.x',
      'a -> c (next)',
      'a -> b (next: skipped) only if input.x',
      'b -> c (next)',
      'c -> $completed (next)',
    ]);
  });

  it('draws a compensation beside its step with a compensation arrow, the step’s own before the action’s', () => {
    const undo = {
      kind: 'call',
      action: 'undo',
      with: null,
      object: null,
      retry: null,
      timeoutMs: null,
      onFailure: null,
      pointer: '/c',
    } as const;
    const actions = [action('act', { compensate: undo }), action('undo')];
    const picture = draw(workflow([call('a'), call('b', { compensate: { kind: 'none' } })], { actions }));
    expect(picture.nodes.filter((node) => node.kind === 'compensation').map((node) => [node.id, node.title])).toEqual([
      ['a$undo', 'undo'],
    ]);
    expect(arrows(picture)).toContain('a -> a$undo (compensation)');
    const one = literal(1);
    const voting = {
      title: literal('Undo'),
      from: [literal('role:x')],
      quorum: one,
      denials: one,
      except: [],
      expires: null,
    };
    const asked = [action('act', { compensate: { ...undo, approve: voting } }), action('undo')];
    const marksOf = (drawn: typeof picture) => drawn.nodes.find(({ id }) => id === 'a$undo')?.marks;
    expect([marksOf(picture), marksOf(draw(workflow([call('a')], { actions: asked })))]).toEqual([[], ['human']]);
  });

  it('draws `then: fail` of a handler and an end by `fail` without an arrow of its own', () => {
    const picture = draw(
      workflow([wait('w', { on: [handler('changed', { leads: 'fail' })] }), fail('f', literal('lost'))]),
    );
    expect(arrows(picture)).toEqual(['$start -> w (next)', 'w -> f (next)', 'w -> $failed (handler: changed)']);
  });

  it('draws no arrow for what a handler could fail at, only for what it says', () => {
    const changed = handler('changed', { set: [['n', literal(1)]], next: 'c' });
    expect(arrows(draw(workflow([wait('w', { on: [changed] }), call('b'), call('c')])))).toEqual([
      '$start -> w (next)',
      'w -> b (next)',
      'w -> c (handler: changed)',
      'b -> c (next)',
      'c -> $completed (next)',
    ]);
    const failing = handler('changed', { set: [['n', literal(1)]], leads: 'fail' });
    expect(arrows(draw(workflow([wait('w', { on: [failing] })])))).toContain('w -> $failed (handler: changed)');
  });

  it('leads a raised failure to the clauses around it, and draws those of a choose that cannot fail itself', () => {
    const raising = call('a', { catch: [clause(['lost'], { do: [call('m')], leads: 'raise' })] });
    const outer = choose('x', [branch(null, [raising])], { catch: [clause(['any'], { do: [call('n')] })] });
    expect(arrows(draw(workflow([outer, call('z')])))).toEqual(
      expect.arrayContaining(['m -> n (next)', 'x$group -> n (catch: any)', 'n -> z (next)']),
    );
    expect(arrows(draw(workflow([raising])))).toContain('m -> $failed (next)');
  });

  it('says templates in a few words: texts and numbers as they are, a list or map as dots', () => {
    const details = (title: Template) =>
      draw(workflow([approve('a', { title })])).nodes.find(({ id }) => id === 'a')?.detail;
    expect(details(literal('ok?'))).toBe('ok?');
    expect(details(literal(404))).toBe('404');
    expect(details(expr('input.a'))).toBe('input.a');
    expect(details({ kind: 'text', parts: ['for ', cel('input.a')] })).toBe('for {input.a}');
    expect(details({ kind: 'list', items: [] })).toBe('…');
    expect(details({ kind: 'map', entries: [] })).toBe('…');
  });

  it('never names a box that is not there, and draws each arrow once, for random definitions', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const picture = draw(definitionFrom(tape));
        const ids = picture.nodes.map((node) => node.id);
        const known = new Set(ids);
        expect(known.size).toBe(ids.length);
        const ends = picture.edges.flatMap((edge) => [edge.from, edge.to]);
        expect(ends.filter((id) => !known.has(id))).toEqual([]);
        expect(picture.nodes.filter((node) => node.parent !== null && !known.has(node.parent))).toEqual([]);
        const texts = picture.edges.map((edge) => JSON.stringify([edge.from, edge.to, edge.kind, edge.label]));
        expect(new Set(texts).size).toBe(texts.length);
      }),
      { numRuns: 150 },
    );
  });
});

describe('branches', () => {
  const definition = workflow([
    parallel(
      'p',
      { x: [call('a'), call('b')], y: [wait('w')] },
      { join: { kind: 'any' }, on: [handler('changed', { next: 'd' })] },
    ),
    call('c'),
    call('d'),
  ]);

  it('stand in boxes of their own, side by side, and lead to what follows all of them', () => {
    const picture = draw(definition);
    expect(picture.nodes.map(({ id, kind, parent }) => `${id} ${kind} ${String(parent)}`)).toEqual(
      expect.arrayContaining([
        'p$group parallel null',
        'p fork p$group',
        'p$b_x group p$group',
        'a call p$b_x',
        'p$b_y group p$group',
        'w wait p$b_y',
      ]),
    );
    expect(picture.nodes.find(({ id }) => id === 'p')?.detail).toBe('any must succeed');
    const drawn = picture.edges.map(({ from, to, kind }) => `${from} ${to} ${kind}`);
    expect(drawn).toEqual(
      expect.arrayContaining(['p a branch', 'p w branch', 'a b next', 'b c next', 'w c next', 'p$group d handler']),
    );
    expect(toMermaid(picture)).toContain('subgraph');
  });

  it('are each followed for itself: the run stands in several places at once', () => {
    const run = new Driver(definition);
    const entered = [...run.last.entered];
    const live = (): readonly string[] =>
      describeRun(run.compiled.machine, { entered, undone: [], held: [] })
        .nodes.filter((node) => node.live === 'now')
        .map(({ id }) => id);
    expect(live()).toEqual(['a', 'w']);
    entered.push(...run.ok('a').last.entered);
    expect(live()).toEqual(['b', 'w']);
    const { edges } = describeRun(run.compiled.machine, { entered, undone: [], held: [] });
    expect(edges.filter(({ taken }) => taken).map(({ from, to }) => `${from} ${to}`)).toEqual([
      '$start p',
      'p a',
      'p w',
      'a b',
    ]);
    entered.push(...run.ok('w').last.entered);
    expect(live()).toEqual(['b']);
  });
});

describe('describeRun', () => {
  it('paints the way of a run: taken, failed, undone, now', () => {
    const steps = [call('a'), call('b', { catch: [clause(['any'], { do: [call('m')] })] }), call('c')];
    const undo = {
      kind: 'call',
      action: 'undo',
      with: null,
      object: null,
      retry: null,
      timeoutMs: null,
      onFailure: null,
      pointer: '/c',
    } as const;
    const run = new Driver(workflow(steps, { actions: [action('act', { compensate: undo }), action('undo')] }));
    const entered = [...run.last.entered, ...run.ok('a').last.entered, ...run.fails('b', 'x').last.entered];
    const picture = describeRun(run.compiled.machine, { entered, undone: ['a'], held: [] });
    const live = Object.fromEntries(picture.nodes.map((node) => [node.id, node.live]));
    expect(live).toMatchObject({ $start: 'taken', a: 'undone', a$undo: 'undone', b: 'failed', m: 'now', c: null });
    expect(picture.edges.filter((edge) => edge.taken).map((edge) => `${edge.from} ${edge.to}`)).toEqual([
      '$start a',
      'a b',
      'b m',
      'a a$undo',
    ]);
  });

  it('paints a step that only a person can move as held, and one that waits for the undo as failed', () => {
    const run = new Driver(workflow([call('a'), call('b')]));
    const entered = [...run.last.entered, ...run.fails('a', 'x', true).last.entered];
    const live = (held: readonly string[]) =>
      describeRun(run.compiled.machine, { entered, undone: [], held }).nodes.map((node) => node.live);
    expect(live(['a'])).toEqual(['taken', 'held', null, null]);
    expect(live([])).toEqual(['taken', 'failed', null, null]);
  });

  it('paints no box as the present place of a run that has ended', () => {
    const run = new Driver(workflow([call('a'), call('b')]));
    const entered = [...run.last.entered, ...run.ok('a').last.entered, ...run.ok('b').last.entered];
    const picture = describeRun(run.compiled.machine, { entered, undone: [], held: [] });
    expect(picture.nodes.map((node) => node.live)).toEqual(['taken', 'taken', 'taken', 'taken']);
  });
});

describe('toMermaid', () => {
  it('writes boxes, groups and dashed arrows under names of its own, with every text escaped', () => {
    const x = choose('end', [branch('input.a == "q"', [call('subgraph')])], {
      catch: [clause(['any'], { leads: 'end' })],
    });
    const text = toMermaid(draw(workflow([x, wait('w')])));
    expect(text.split('\n')).toEqual([
      '---',
      'title: "sample 1"',
      '---',
      'flowchart TD',
      '  n0(["start"])',
      '  subgraph n1["end"]',
      '    n2{"end"}',
      '    n3["subgraph<br>act"]',
      '  end',
      '  n4[/"w<br>1h<br>[wait]"/]',
      '  n5(["completed"])',
      '  n0 --> n2',
      '  n2 -->|"input.a == #34;q#34;"| n3',
      '  n1 -.->|"any"| n5',
      '  n3 --> n4',
      '  n4 --> n5',
      '',
    ]);
  });

  it('gives each kind of step a shape of its own', () => {
    const steps = [
      call('c'),
      set('s', []),
      choose('x', [branch(null, null)]),
      wait('w'),
      awaiting('e', 'changed'),
      approve('p'),
      fail('f', literal('lost')),
    ];
    const undo = {
      kind: 'call',
      action: 'undo',
      with: null,
      object: null,
      retry: null,
      timeoutMs: null,
      onFailure: null,
      pointer: '/c',
    } as const;
    const text = toMermaid(draw(workflow(steps, { actions: [action('act', { compensate: undo }), action('undo')] })));
    expect(text.match(/(?<=^ +n\d+)[^ ]+?(?=")/gm)).toEqual(['([', '[', '[[', '[', '{', '[/', '[/', '[/', '[']);
  });

  it('paints the way of a run: classes for what is taken, present, held, failed or undone, and the arrows it took', () => {
    const steps = [call('a'), call('b', { catch: [clause(['any'], { do: [call('m')] })] }), call('c')];
    const run = new Driver(workflow(steps));
    const first = run.last.entered;
    const before = [...first, ...run.ok('a').last.entered];
    const after = [...before, ...run.fails('b', 'x').last.entered];
    const paint = (entered: readonly string[], more: { readonly undone?: string[]; readonly held?: string[] } = {}) =>
      toMermaid(describeRun(run.compiled.machine, { entered, undone: [], held: [], ...more }))
        .split('\n')
        .filter((line) => /class|linkStyle|<br>/.test(line))
        .map((line) => line.trim().replace(/ stroke:.*/, ''));
    expect(toMermaid(draw(workflow(steps)))).not.toMatch(/class|linkStyle/);
    expect(paint(before)).toEqual([
      'n1["a<br>act"]',
      'n2["b<br>act<br>now"]',
      'n4["m<br>act"]',
      'n5["c<br>act"]',
      'classDef taken',
      'class n0,n1 taken',
      'classDef now',
      'class n2 now',
      'linkStyle 0,1',
    ]);
    expect(paint(before, { held: ['b'] }).slice(4)).toEqual([
      'classDef taken',
      'class n0,n1 taken',
      'classDef held',
      'class n2 held',
      'linkStyle 0,1',
    ]);
    expect(paint(after, { undone: ['a'] })).toEqual(
      expect.arrayContaining(['class n4 now', 'class n2 failed', 'class n1 undone']),
    );
  });

  it('an event that is accepted at any time is a box of its own, drawn once, with its way to an end', () => {
    const on = [
      handler('changed', { set: [['n', literal(1)]] }),
      handler('changed', { leads: 'end' }),
      handler('changed', { leads: 'cancel' }),
      handler('changed', { leads: 'fail' }),
    ];
    const picture = draw(workflow([call('a'), wait('w')], { on }));
    const boxes = picture.nodes.filter(({ title }) => title === 'at any time');
    expect(boxes.map(({ id, detail }) => [id, detail])).toEqual([
      ['$on0', 'changed: sets n'],
      ['$on1', 'changed'],
      ['$on2', 'changed'],
      ['$on3', 'changed'],
    ]);
    const handlers = picture.edges.filter(({ kind }) => kind === 'handler');
    expect(handlers.map(({ from, to }) => [from, to])).toEqual([
      ['$on1', '$completed'],
      ['$on2', '$cancelled'],
      ['$on3', '$failed'],
    ]);
    expect(toMermaid(picture)).toContain('at any time');
  });
});
