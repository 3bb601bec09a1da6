import { closestWord } from '../../definition/closest-word.ts';
import { childPointer } from '../../definition/source-map.ts';
import { caught } from '../../model/caught.ts';
import { RefusedError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { EPOCH_MS } from '../crash-lab/stage.ts';
import { parseScript, type ScriptWord } from '../provider/script.ts';
import { type EffectPattern, readEffects } from './effects-text.ts';
import { splitStatuses, STATUS_WORDS, type StatusWord } from './status-words.ts';
import type { ExpectationYaml, OperationYaml, ScenarioYaml, ScriptYaml, Texts, WordYaml } from './test-file.ts';
import type { Expectation, OperationScript, OutsideEvent, Span, TestScenario } from './test-scenario.ts';
import { buildEvent } from './build-event.ts';
import { checkName, durationAt, type ScenarioContext, TESTER } from './scenario-context.ts';
import { isEffectName } from './workflow-names.ts';

const OK: ScriptWord = { kind: 'ok' };

function isScript(value: OperationYaml): value is ScriptYaml {
  return typeof value !== 'object' || Array.isArray(value);
}

function givenAnswer(
  context: ScenarioContext,
  pointer: string,
  { status = 200, retryAfter, body }: Extract<WordYaml, object>,
): ScriptWord {
  const answer = { kind: 'answer', status, body } as const;
  if (retryAfter === undefined) return answer;
  const afterMs = durationAt(context, childPointer(pointer, 'retryAfter'), retryAfter);
  return { ...answer, retryAfterSeconds: Math.ceil(afterMs / 1_000) };
}

function wordsOf(context: ScenarioContext, pointer: string, script: ScriptYaml): readonly ScriptWord[] {
  const items: readonly WordYaml[] = typeof script === 'object' ? script : [script];
  return items.flatMap((item, index): readonly ScriptWord[] => {
    if (typeof item === 'object') return [givenAnswer(context, childPointer(pointer, index), item)];
    try {
      return parseScript('this', String(item)).words;
    } catch (error) {
      const [message = '', help = 'write for example `503 x3 then ok`'] = caught(error, RefusedError)
        .message.replace(/^script of this: /, '')
        .split('; ');
      const place = typeof script === 'object' ? childPointer(pointer, index) : pointer;
      context.report({ code: 'PAWL-601', pointer: place, message, help });
      return [];
    }
  });
}

function operationOf(context: ScenarioContext, pointer: string, value: OperationYaml): OperationScript {
  if (isScript(value))
    return {
      words: wordsOf(context, pointer, value),
      answer: undefined,
      isKeyIgnored: false,
      isBlind: false,
      takesMs: 0,
    };
  const { script, answer, key, lookup, takes } = value;
  return {
    words: script === undefined ? [OK] : wordsOf(context, childPointer(pointer, 'script'), script),
    answer,
    isKeyIgnored: key === 'ignored',
    isBlind: lookup === 'no',
    takesMs: takes === undefined ? 0 : durationAt(context, childPointer(pointer, 'takes'), takes),
  };
}

function providerOf(context: ScenarioContext, pointer: string, provider: ScenarioYaml['provider'] = {}) {
  return new Map(
    Object.entries(provider).map(([action, value]) => {
      const own = childPointer(pointer, action);
      checkName(context, own, action, { known: context.names.actions, what: 'action', at: 'key' });
      return [action, operationOf(context, own, value)];
    }),
  );
}

/** Texts with their places: of one text its own, of a list those of its items. */
function placed(pointer: string, texts: Texts): readonly (readonly [pointer: string, text: string])[] {
  if (typeof texts === 'string') return [[pointer, texts]];
  return texts.map((text, index) => [childPointer(pointer, index), text]);
}

function effectsOf(context: ScenarioContext, pointer: string, texts: Texts): NonNullable<Expectation['effects']> {
  const parts: EffectPattern[] = [];
  const names: string[] = [];
  for (const [place, text] of placed(pointer, texts)) {
    const reading = readEffects(text);
    if (!reading.ok) {
      const help = 'write for example `a, {b ; c}, d x3`, or `-` for nothing';
      context.report({ code: 'PAWL-601', pointer: place, at: reading.at, message: reading.message, help });
      continue;
    }
    parts.push(reading.pattern);
    for (const { name, at } of reading.names) {
      names.push(name);
      if (isEffectName(context.names, name)) continue;
      const known = [...context.names.actions, ...context.names.steps];
      checkName(context, place, name, { known, what: 'action or step', at });
    }
  }
  const text = placed(pointer, texts).map(([, part]) => part);
  return { text: text.length === 0 ? '-' : text.join(', '), pattern: { kind: 'row', parts }, names };
}

function statusesOf(context: ScenarioContext, pointer: string, text: string): readonly StatusWord[] {
  return splitStatuses(text).flatMap((written): readonly StatusWord[] => {
    const word = STATUS_WORDS.find((known) => known === written);
    if (word !== undefined) return [word];
    const near = closestWord(written.toUpperCase(), STATUS_WORDS);
    const help = near === null ? `one of ${STATUS_WORDS.join(', ')}` : `did you mean \`${near}\`?`;
    context.report({ code: 'PAWL-104', pointer, message: `\`${written}\` is no status`, help });
    return [];
  });
}

function openOf(context: ScenarioContext, pointer: string, texts: Texts | undefined): readonly string[] | null {
  return texts === undefined ? null : effectsOf(context, pointer, texts).names;
}

function timesOf(context: ScenarioContext, pointer: string, times: ExpectationYaml['at'] = {}) {
  const known = ['end', ...context.names.actions, ...context.names.steps];
  return new Map(
    Object.entries(times).map(([name, text]) => {
      const own = childPointer(pointer, name);
      if (name !== 'end' && !isEffectName(context.names, name))
        checkName(context, own, name, { known, what: 'action or step', at: 'key' });
      return [name, durationAt(context, own, text)];
    }),
  );
}

/** `60s`, or `60s to 65s`. */
function waitsOf(context: ScenarioContext, pointer: string, waits: ExpectationYaml['waits']) {
  return new Map(
    [...byAction(context, pointer, waits)].map(([action, texts]) => {
      const own = childPointer(pointer, action);
      const spans = texts.map((text, index): Span => {
        const [from = 0, to = from] = text
          .split(/\s+to\s+/)
          .map((part) => durationAt(context, childPointer(own, index), part));
        return [from, to];
      });
      return [action, spans];
    }),
  );
}

/** What is said by action. */
function byAction<T>(
  context: ScenarioContext,
  pointer: string,
  said: Readonly<Record<string, T>> = {},
): ReadonlyMap<string, T> {
  for (const name of Object.keys(said))
    checkName(context, childPointer(pointer, name), name, { known: context.names.actions, what: 'action', at: 'key' });
  return new Map(Object.entries(said));
}

/** What is said by event. */
function publishedOf(context: ScenarioContext, pointer: string, said: ExpectationYaml['published'] = {}) {
  const known = context.names.published;
  for (const name of Object.keys(said))
    checkName(context, childPointer(pointer, name), name, { known, what: 'event that it publishes', at: 'key' });
  return new Map(Object.entries(said));
}

function expectationOf(context: ScenarioContext, pointer: string, expect: ExpectationYaml): Expectation {
  const at = (key: string): string => childPointer(pointer, key);
  const { effects, status, outcome = null, failure = null, steps = null, incidents = null } = expect;
  for (const [index, step] of (steps ?? []).entries())
    checkName(context, childPointer(at('steps'), index), step, { known: context.names.steps, what: 'step' });
  return {
    pointer,
    effects: effects === undefined ? null : effectsOf(context, at('effects'), effects),
    statuses: statusesOf(context, at('status'), status),
    outcome,
    failure,
    finallyFailed: expect.finallyFailed ?? null,
    output: expect.output,
    wholeOutput: expect.wholeOutput,
    steps,
    incidents,
    open: openOf(context, at('open'), expect.open),
    sent: byAction(context, at('sent'), expect.sent),
    published: publishedOf(context, at('published'), expect.published),
    calls: byAction(context, at('calls'), expect.calls),
    waits: waitsOf(context, at('waits'), expect.waits),
    at: timesOf(context, at('at'), expect.at),
  };
}

/**
 * What comes from outside in the order of its times, and what is said for one moment in the order of the file: each a millisecond
 * after the one before it, because a run takes what it has received in the same one by their ids (V01).
 */
function inTurn(events: readonly OutsideEvent[]): readonly OutsideEvent[] {
  let lastMs = Number.NEGATIVE_INFINITY;
  return events
    .toSorted((a, b) => a.atMs - b.atMs)
    .map((event) => {
      lastMs = Math.max(event.atMs, lastMs + 1);
      return { ...event, atMs: lastMs };
    });
}

/** Builds a scenario; what it names and the workflow does not have is told. */
export function buildScenario(context: ScenarioContext, pointer: string, yaml: ScenarioYaml): TestScenario {
  const { name, input = {} as Json, by = TESTER, events = [], startsAt, until } = yaml;
  const at = (key: string): string => childPointer(pointer, key);
  const built = events.map((event, index) => buildEvent(context, childPointer(at('events'), index), { event, input }));
  return {
    name,
    pointer,
    input,
    by,
    startsAtMs: startsAt === undefined ? EPOCH_MS : Date.parse(startsAt),
    provider: providerOf(context, at('provider'), yaml.provider),
    events: inTurn(built),
    untilMs: until === undefined ? null : durationAt(context, at('until'), until),
    expect: expectationOf(context, at('expect'), yaml.expect),
    crashed: (yaml.crashed ?? []).map((expect, index) =>
      expectationOf(context, childPointer(at('crashed'), index), expect),
    ),
  };
}

/** Builds all scenarios of a file. */
export function buildScenarios(context: ScenarioContext, scenarios: readonly ScenarioYaml[]): readonly TestScenario[] {
  const names = new Set<string>();
  return scenarios.map((yaml, index) => {
    const pointer = `/scenarios/${index}`;
    if (names.has(yaml.name)) {
      const message = `there is a scenario \`${yaml.name}\` already`;
      context.report({ code: 'PAWL-603', pointer: `${pointer}/name`, message, help: 'give it another name' });
    }
    names.add(yaml.name);
    return buildScenario(context, pointer, yaml);
  });
}
