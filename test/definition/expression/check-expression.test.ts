import { describe, expect, it } from 'vitest';
import { checkExpression, typesOf, type Want } from '../../../src/definition/check-expression.ts';
import { dependenciesOf, describeDependencies, expressionsOf } from '../../../src/definition/dependencies.ts';
import type { Site } from '../../../src/definition/evaluator.ts';
import { reservedNames } from '../../../src/definition/expression/names.ts';
import { parseTemplate } from '../../../src/definition/parse-template.ts';
import { actionOf, callStep, definitionOf, expressionOf } from './sample-definition.ts';

const HOLE = '$'.concat('{');
const FLOW: Site = { kind: 'flow' };
const types = typesOf(definitionOf());

function check(source: string, site: Site = FLOW, want: Want = 'any'): readonly string[] {
  return checkExpression(expressionOf(source), site, types, want)
    .filter((problem) => problem.severity === 'error')
    .map((problem) => `${problem.kind} «${source.slice(problem.start, problem.end)}»`);
}

function helpOf(source: string): string {
  return (
    checkExpression(expressionOf(source), FLOW, types, 'any').find((problem) => problem.severity === 'error')?.help ??
    ''
  );
}

describe('names', () => {
  it('that nothing has are told alone: which type they lack depends on which name is meant', () => {
    const kinds = (source: string): readonly string[] =>
      checkExpression(expressionOf(source), FLOW, types, 'any').map(({ kind }) => kind);
    expect(kinds('size("abc") + inptu.x')).toEqual(['unknown-name']);
    expect(kinds('size("abc") + (1 + inptu.x)')).toEqual(['unknown-name']);
  });

  it('are known by the schemas; an unknown one is told at its place, with the names that exist there', () => {
    const rows = [
      ['input.amuont', 'amuont', 'amount'],
      ['input.lines[0].skU', 'skU', 'sku'],
      ['input.lines.map(line, line.quantity)', 'quantity', 'qty'],
      ['steps.pya.output', 'pya', 'pay'],
      ['steps.pay.output.idd', 'idd', 'id'],
      ['steps.pay.outptu', 'outptu', 'output'],
      ['constants.limti', 'limti', 'limit'],
      ['vars.cuont', 'cuont', 'count'],
      ['run.started', 'started', 'startedAt'],
      ['inptu.amount', 'inptu', 'input'],
      ['input["amuont"]', '"amuont"', 'amount'],
    ] as const;
    for (const [source, place, candidate] of rows) {
      const [problem] = checkExpression(expressionOf(source), FLOW, types, 'any');
      expect({
        source,
        kind: problem?.kind,
        place: source.slice(problem?.start, problem?.end),
      }).toEqual({ source, kind: 'unknown-name', place });
      expect(problem?.candidates).toContain(candidate);
    }
  });

  it('of functions and methods are a closed list', () => {
    expect(check('now()')).toEqual(['unknown-function «now()»']);
    expect(check('random() > 0.5')).toEqual(['unknown-function «random()»']);
    expect(check('input.name.toUpperCase()')).toEqual(['unknown-function «input.name.toUpperCase()»']);
    expect(check('own_eq(1, 1)')).toEqual(['unknown-function «own_eq(1, 1)»']);
    expect(check('input.name.own_matches("a")')).toEqual(['unknown-function «input.name.own_matches("a")»']);
    expect(check('cel.bind(x, 1, x + 1)').length).toBeGreaterThan(0);
    expect(check('google.protobuf.Timestamp')).toEqual(['unknown-name «google»']);
    expect(check('bytes("a")')).toEqual(['unknown-function «bytes("a")»']);
  });

  it('of roots are those of the place', () => {
    const at = (site: Site) =>
      [
        'response.status == 200',
        'failure.code',
        'with.amount',
        'effect.key',
        'event.data.total',
        'secrets.pspToken',
        'steps.pay.output.id',
        'run.startedBy',
        'input.amount',
      ].filter((source) => check(source, site).length === 0);
    const flow = ['steps.pay.output.id', 'run.startedBy', 'input.amount'];
    expect(at(FLOW)).toEqual(flow);
    expect(at({ kind: 'catch', step: 'pay' })).toEqual(['failure.code', ...flow]);
    expect(at({ kind: 'event', event: 'paid' })).toEqual(['event.data.total', ...flow]);
    expect(at({ kind: 'request', action: 'psp.pay' })).toEqual(['with.amount', 'effect.key', ...flow]);
    expect(at({ kind: 'headers', action: 'psp.pay' })).toEqual([
      'with.amount',
      'effect.key',
      'secrets.pspToken',
      ...flow,
    ]);
    expect(at({ kind: 'outcome', action: 'psp.pay' })).toEqual([
      'response.status == 200',
      'failure.code',
      'with.amount',
      'effect.key',
      ...flow,
    ]);
    expect(at({ kind: 'reconcile', action: 'psp.pay' })).toEqual([
      'response.status == 200',
      'failure.code',
      'with.amount',
      'effect.key',
      ...flow,
    ]);
    expect(at({ kind: 'compensate', action: 'psp.pay' })).toEqual(['failure.code', 'effect.key', 'input.amount']);
  });

  it('of a handler inside a catch hold that failure too', () => {
    const inner = callStep('tell', 'psp.pay');
    const pay = callStep('pay', 'psp.pay');
    const clause = {
      on: ['any'],
      when: null,
      do: [inner],
      then: 'continue',
      next: null,
      pointer: '/steps/0/catch/0',
    } as const;
    const inCatch = typesOf(definitionOf({ steps: [{ ...pay, catch: [clause] }] }));
    const problems = (step: string) =>
      checkExpression(expressionOf('failure.code + event.id'), { kind: 'event', event: 'paid', step }, inCatch, 'any')
        .length;
    expect([problems('tell'), problems('pay')]).toEqual([0, 1]);
  });

  it('say where a root can be read when it cannot here', () => {
    const [problem] = checkExpression(expressionOf('secrets.pspToken'), FLOW, types, 'any');
    expect(problem?.message).toBe('`secrets` can be read in `auth` and `headers` of actions only');
  });

  it('of an answer’s body may be any: the declared output types the known ones, a query’s body is not declared', () => {
    expect(check('response.body.error.code == "x"', { kind: 'outcome', action: 'psp.pay' })).toEqual([]);
    expect(check('response.body.id == 5', { kind: 'outcome', action: 'psp.pay' })).toEqual([
      'type «response.body.id == 5»',
    ]);
    expect(check('response.body.id == 5', { kind: 'reconcile', action: 'psp.pay' })).toEqual([]);
    expect(check('effect.output.idd', { kind: 'compensate', action: 'psp.pay' })).toEqual(['unknown-name «idd»']);
  });

  it('of a function’s answer have no status', () => {
    const definition = definitionOf({
      actions: [actionOf('ship', { transport: { kind: 'function', name: 'ship@1' } })],
    });
    const problems = checkExpression(
      expressionOf('response.status == 200'),
      { kind: 'outcome', action: 'ship' },
      typesOf(definition),
      'bool',
    );
    expect(problems.map((problem) => problem.kind)).toEqual(['unknown-name']);
  });

  it('that ids may not be hold the words of CEL, the types, the roots, end and any', () => {
    for (const name of [
      'in',
      'true',
      'as',
      'for',
      'int',
      'string',
      'list',
      'input',
      'steps',
      'failure',
      'end',
      'any',
      'null',
    ])
      expect(reservedNames.has(name)).toBe(true);
    expect(reservedNames.has('pay')).toBe(false);
    expect(check('input.lines.map(input, input.qty)')).toContain('unknown-name «input.lines.map(input, input.qty)»');
  });
});

describe('types', () => {
  it('of operands are refused where the operation has none', () => {
    for (const source of [
      'input.name + 1',
      'input.flag * 2',
      'input.name - "a"',
      'run.startedAt + 1',
      '-input.name',
      'input.price % 2.0',
      'input.lines + 1',
      'decimal("1") / decimal("2")',
      'decimal("1") + 1.5',
    ]) {
      expect(check(source)).toEqual([`type «${source}»`]);
    }
  });

  it('the commonest first error has its mend', () => {
    expect(helpOf('input.price * 2')).toMatch(/^write 2\.0: int and double do not mix/);
    expect(helpOf('2 * input.price')).toMatch(/^write 2\.0: int and double do not mix/);
    expect(helpOf('input.price == 100')).toBe('write 100.0: int and double do not mix');
    expect(helpOf('input.price * input.amount')).toMatch(/^int and double do not mix: write double\(input\.amount\)/);
    expect(helpOf('5 % input.price')).toBe('only ints have a remainder: write int(input.price)');
    expect(helpOf('input.name + 1')).toContain('string(…)');
    expect(helpOf('input.at - run.startedAt')).toContain('timestamp(…)');
  });

  it('that differ are not compared', () => {
    for (const source of [
      'input.amount == "5"',
      'input.name != 5',
      'input.price == 5',
      'input.flag == "true"',
      'input.lines == "x"',
      'run.startedAt < "2026"',
      'input.name < 5',
      'input.flag < 1',
      '"a" in input.numbers',
      '5 in input.name',
      '5 in input.extra',
      'input.name == null',
      'input.numbers == ["a"]',
    ]) {
      expect({ source, found: check(source) }).toEqual({ source, found: [`type «${source}»`] });
    }
    for (const source of [
      'input.coupon == null',
      'input.coupon == "x"',
      'input.price > 5',
      'input.amount < 2.5',
      'input.anything == 5',
      'dyn(input.name) == 5',
      'input.numbers == []',
      'decimal("1") == decimal("1.0")',
      'type(input.name) == string',
    ]) {
      expect({ source, found: check(source) }).toEqual({ source, found: [] });
    }
  });

  it('of arguments are those of the function', () => {
    expect(check('size(input.amount)')).toEqual(['type «size(input.amount)»']);
    expect(check('input.amount.contains("a")')).toEqual(['type «input.amount.contains("a")»']);
    expect(check('input.name.contains(5)')).toEqual(['type «input.name.contains(5)»']);
    expect(check('dur(5)')).toEqual(['type «dur(5)»']);
    expect(check('addDays(input.at, 1, "UTC")')).toEqual(['type «addDays(input.at, 1, "UTC")»']);
    expect(check('input.lines.join(",")')).toEqual(['type «input.lines.join(",")»']);
    expect(helpOf('string(input.price, 2)')).toContain('string(decimal, int)');
  });

  it('of a condition are bool, inside and as a whole', () => {
    expect(check('input.amount', FLOW, 'bool')).toEqual(['guard «input.amount»']);
    expect(check('input.name', FLOW, 'bool')).toEqual(['guard «input.name»']);
    expect(check('input.amount && input.flag', FLOW, 'bool')).toEqual(['guard «input.amount»']);
    expect(check('!input.name', FLOW, 'bool')).toEqual(['guard «input.name»']);
    expect(check('input.amount ? 1 : 2')).toEqual(['guard «input.amount»']);
    expect(check('input.numbers.exists(n, n)')).toEqual(['guard «n»']);
    expect(check('input.anything', FLOW, 'bool')).toEqual([]);
    expect(check('input.amount', FLOW, 'string')).toEqual(['result «input.amount»']);
    expect(check('input.name', FLOW, 'list')).toEqual(['result «input.name»']);
  });

  it('of both results of a choice are one, or null', () => {
    expect(check('input.flag ? 1 : "a"')).toEqual(['type «input.flag ? 1 : "a"»']);
    expect(check('input.flag ? 1 : 2.0')).toEqual(['type «input.flag ? 1 : 2.0»']);
    expect(check('input.flag ? 5 : null')).toEqual([]);
    expect(check('input.flag ? input.amount : steps.pay.output.count')).toEqual([]);
  });

  it('left out of the language are told so', () => {
    expect(check('b"x" == b"x"')[0]).toBe('type «b"x"»');
    expect(check('1u + 2u')[0]).toBe('type «1u»');
    expect(check('{a: 1}')).toEqual(['type «a»']);
    expect(check('{"a": 1, "a": 2}')).toEqual(['type «"a"»']);
    expect(check('{1: "a"}')).toEqual(['type «1»']);
    expect(check('has(input)')).toEqual(['type «has(input)»']);
    expect(check('or(5, 6)')).toEqual(['type «or(5, 6)»']);
    expect(check('or(input, 6)')).toEqual(['type «or(input, 6)»']);
  });
});

describe('literals', () => {
  it('that are whole stand in a help as they were written', () => {
    expect(helpOf('int(double((5 % 3)))')).toBe(
      'write int(decimal(5 % 3)), exact, and a fault where it is no whole number; or int(string(decimal(5 % 3), 0)), which rounds',
    );
  });

  it('that a function cannot read are told at publish', () => {
    for (const [source, place] of [
      ['dur("1y")', '"1y"'],
      ['dur("-5s") > dur("1s")', '"-5s"'],
      ['timestamp("2026-02-30T00:00:00Z")', '"2026-02-30T00:00:00Z"'],
      ['decimal("1,5")', '"1,5"'],
      ['addDays(run.startedAt, 1, "Mars/Base")', '"Mars/Base"'],
      ['run.startedAt.getHours("Mars/Base")', '"Mars/Base"'],
      ['run.startedAt + duration("x")', '"x"'],
      ['duration("2d") > dur("1s")', '"2d"'],
      ['duration("s") > dur("1s")', '"s"'],
      ['int("one")', '"one"'],
      ['double("1,5")', '"1,5"'],
      ['bool("yes")', '"yes"'],
    ] as const) {
      expect(check(source)).toEqual([`literal «${place}»`]);
    }
    expect(check('dur("7d") > dur("1h30m")')).toEqual([]);
    expect(check('duration("-1h30m") < duration("1.5s")')).toEqual([]);
    expect(check('int("-5") < 5 && double(".5") < 1.0 && bool("true")')).toEqual([]);
    expect(check('addMonths(run.startedAt, 1, "Europe/Berlin") > run.startedAt')).toEqual([]);
  });

  it('are the only patterns, and patterns are RE2', () => {
    expect(check('input.name.matches(input.status)')).toEqual(['pattern «input.status»']);
    expect(check('input.name.matches("a" + "b")')).toEqual(['pattern «"a" + "b"»']);
    expect(check('input.name.matches("(a)\\\\1")')).toEqual(['pattern «"(a)\\\\1"»']);
    expect(check('input.name.matches("a(?=b)")')).toEqual(['pattern «"a(?=b)"»']);
    expect(check('matches(input.name, "[a-z")')).toEqual(['pattern «"[a-z"»']);
    expect(check('input.name.matches("^(a+)+$")')).toEqual([]);
  });
});

describe('a value of another type than is wanted', () => {
  it.each([
    ['input.amount', 'string', 'write string(…) around it'],
    ['run.startedAt', 'string', 'write string(…) around it'],
    ['input.lines', 'string', 'name a text in it, for example input.orderId'],
    ['input.name', 'int', 'write int(…) around it'],
    ['input.flag', 'int', 'name a whole number, for example input.count'],
    ['input.flag', 'timestamp', 'name a time, for example run.startedAt, or a text such as "2030-01-31T12:00:00Z"'],
    ['input.amount', 'duration', 'give it a unit: dur(string(…) + "s") for seconds'],
    ['run.startedAt', 'duration', 'for a time write wait: { until: … }'],
    ['input.flag', 'duration', 'name a duration, for example dur("1h30m"), or a text such as "1h30m"'],
    ['input.name', 'list', 'name a list, or write one: [ … ]'],
    ['input.name', 'bool', 'compare it with something'],
  ] as const)('%s where %s is wanted: %s', (source, want, help) => {
    expect(checkExpression(expressionOf(source), FLOW, types, want).map((problem) => problem.help)).toEqual([help]);
  });
});

describe('a time where one is wanted', () => {
  it.each([
    ['input.name', 'timestamp'],
    ['input.name', 'duration'],
    ['run.startedAt', 'timestamp'],
    ['dur("1h")', 'duration'],
    ['run.startedAt - run.startedAt', 'duration'],
  ] as const)('%s can be a %s: a text is read when it is there', (source, want) => {
    expect(checkExpression(expressionOf(source), FLOW, types, want)).toEqual([]);
  });
});

describe('bounds at publish', () => {
  it('are 4 kB of source, counted in bytes', () => {
    expect(check(`"${'x'.repeat(4094)}"`)).toEqual([]);
    expect(check(`"${'x'.repeat(4095)}"`)[0]).toMatch(/^bounds/);
    expect(check(`"${'é'.repeat(2048)}"`)[0]).toMatch(/^bounds/);
  });

  it('are 2 000 parts', () => {
    expect(check(`[${Array(1999).fill('1').join(',')}]`)).toEqual([]);
    expect(check(`[${Array(2000).fill('1').join(',')}]`)[0]).toMatch(/^bounds/);
  });

  it('are a nesting of 50, where a chain of one operator is one level', () => {
    const nest = (depth: number): string => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(check(nest(49))).toEqual([]);
    expect(check(nest(50))[0]).toMatch(/^bounds/);
    expect(check(`${'('.repeat(500)}1${')'.repeat(500)}`)[0]).toMatch(/^bounds/);
    expect(check(Array(300).fill('input.flag').join('&&'))).toEqual([]);
    expect(check(`${'!'.repeat(4000)}true`)[0]).toMatch(/^bounds/);
  });

  it('are what the engine takes once `or` is written out', () => {
    const long = (names: number) => `or(input.anything${'.a'.repeat(names)}, 1)`;
    const four = (names: number) => check(`[${Array(4).fill(long(names)).join(', ')}]`);
    expect(four(50)).toEqual([]);
    expect(four(200)[0]).toMatch(/^bounds/);
  });

  it('are two nested comprehensions, side by side as many as fit', () => {
    expect(check('[1].map(a, [2].map(b, a + b))')).toEqual([]);
    expect(check('[1].map(a, [2].map(b, [3].map(c, c)))')[0]).toMatch(/^bounds/);
    expect(check('[1].map(a, a).map(b, b).filter(c, c > 0).all(d, d > 0)')).toEqual([]);
  });
});

describe('syntax', () => {
  it('has the place, and the mend for the usual slips', () => {
    const rows = [
      ['input.amount = 5', 13, 'equality is written =='],
      ['input.flag and true', 11, '`and` is written &&'],
      ['input.flag or true', 11, '`or` between conditions is written ||'],
      ['not input.flag', 4, '`not` is written !'],
      ['input.flag & true', 11, 'write && and ||'],
      ['input.amount 5', 13, 'see what is missing before it: operators stand between two values, texts in quotes'],
      ['99999999999999999999 > 1', 0, 'write decimal("99999999999999999999"), which takes any digits'],
    ] as const;
    for (const [source, start, help] of rows) {
      const [problem] = checkExpression(expressionOf(source), FLOW, types, 'bool');
      expect({ source, kind: problem?.kind, start: problem?.start, help: problem?.help }).toEqual({
        source,
        kind: 'syntax',
        start,
        help,
      });
    }
    expect(checkExpression(expressionOf('input.amount >'), FLOW, types, 'any')[0]?.message).toBe(
      'the expression ends too early',
    );
    expect(checkExpression(expressionOf('"abc'), FLOW, types, 'any')[0]?.message).toBe(
      'a text without its closing quote',
    );
    expect(checkExpression(expressionOf(''), FLOW, types, 'any')[0]?.kind).toBe('syntax');
    expect(checkExpression(expressionOf('input.lines.map(1, 2)'), FLOW, types, 'any')[0]?.help).toContain('line');
  });
});

describe('dependencies', () => {
  it('are the paths that are read, as far as they are literal, without item names', () => {
    expect(
      dependenciesOf(expressionOf('steps.x.output.total > input.lines.map(line, line.qty * input.amount)[0]')),
    ).toEqual([
      ['steps', 'x', 'output', 'total'],
      ['input', 'lines'],
      ['input', 'amount'],
    ]);
    expect(dependenciesOf(expressionOf('input["a-b"].c'))).toEqual([['input', 'a-b', 'c']]);
    expect(dependenciesOf(expressionOf('input.lines[input.amount].sku'))).toEqual([
      ['input', 'lines'],
      ['input', 'amount'],
    ]);
    expect(dependenciesOf(expressionOf('1 +'))).toEqual([]);
  });

  it('say which are guarded by has or or', () => {
    const found = describeDependencies(
      expressionOf('or(steps.x.output.a, steps.y.output) + (has(steps.z.output) ? 1 : 2)'),
    );
    expect(found.map(({ path, guarded }) => `${path.join('.')} ${guarded}`)).toEqual([
      'steps.x.output.a true',
      'steps.y.output false',
      'steps.z.output true',
    ]);
  });

  it('of a template are found in all its expressions', () => {
    const parsed = parseTemplate({ a: '=input.x', b: [`${HOLE} input.y } and ${HOLE} input.z }`, 5] }, '/with');
    expect(parsed.ok && expressionsOf(parsed.template).map((expression) => expression.source)).toEqual([
      'input.x',
      'input.y',
      'input.z',
    ]);
  });
});
