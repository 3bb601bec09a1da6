import { childPointer } from '../../definition/source-map.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { CompiledMachine } from '../../machine/compile.ts';
import type { WorkflowDefinition } from '../../model/definition.ts';
import { effectsText } from './effects-text.ts';
import { followEffects } from './follow-effects.ts';
import type { Told } from './perform.ts';
import type { Seen } from './seen.ts';
import { isStatus, statusWord } from './status-words.ts';
import type { Expectation, OutsideEvent, Span, TestScenario } from './test-scenario.ts';
import { isCalled, type NamedHappening, namesOf, type WorkflowNames } from './workflow-names.ts';

/** An expectation that was not met. */
export interface Miss {
  /** Of the expectation in the test file. */
  readonly pointer: string;
  /** What it is about: `effects`, `status`. */
  readonly what: string;
  readonly expected: string;
  readonly got: string;
  /** Where they part. */
  readonly hint: string;
}

/** How much later than said something may be: workers look for what is due once a second; milliseconds. */
const LATE_MS = 2_000;

/** What is judged, and by which names. */
export interface Judged {
  readonly scenario: TestScenario;
  readonly seen: Seen;
  readonly compiled: CompiledMachine;
  /** The versions that it, or one of them, runs; none unless given. */
  readonly children?: readonly WorkflowDefinition[];
}

/** A happening in the words that the author uses for it, else by its action. */
function calledBy(names: WorkflowNames, used: readonly string[], one: NamedHappening): string {
  return used.find((name) => isCalled(names, one, name)) ?? one.action;
}

/** What passes between the plan and its storing, milliseconds. */
const STORING_MS = 50;

function isWithin(ms: number, span: Span | undefined): boolean {
  return span !== undefined && ms >= span[0] - STORING_MS && ms <= span[1];
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/** A duration as people write it: `1d2h`, `7s25ms`. */
function durationText(ms: number): string {
  const parts: string[] = [];
  let left = Math.floor(ms);
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    if (count > 0) parts.push(`${count}${unit}`);
    left -= count * size;
  }
  return parts.join('') || '0s';
}

function jsonText(value: Json | undefined): string {
  return value === undefined ? 'nothing' : canonicalJson(value);
}

function isCollection(value: Json | undefined): value is JsonObject | readonly Json[] {
  return typeof value === 'object' && value !== null;
}

/** The first place at which a value does not hold what it should; null where it does. */
function lacks(expected: Json, got: Json | undefined, path = 'it'): string | null {
  if (got === undefined) return `${path} is missing`;
  if (!isCollection(expected) || !isCollection(got) || Array.isArray(expected) !== Array.isArray(got))
    return canonicalJson(expected) === canonicalJson(got) ? null : `${path} differs`;
  if (Array.isArray(expected) && expected.length !== Object.keys(got).length) return `${path} has another length`;
  const members = new Map(Object.entries(got));
  for (const [key, value] of Object.entries(expected)) {
    const lack = lacks(value, members.get(key), path === 'it' ? key : `${path}.${key}`);
    if (lack !== null) return lack;
  }
  return null;
}

/** Judges one part of an expectation after the other. */
class Judge {
  readonly misses: Miss[] = [];
  readonly #seen: Seen;
  readonly #expect: Expectation;
  readonly #events: readonly OutsideEvent[];
  readonly #names: WorkflowNames;
  readonly #namedSteps: ReadonlySet<string>;

  constructor({ scenario, seen, compiled, children }: Judged) {
    this.#seen = seen;
    this.#expect = scenario.expect;
    this.#events = scenario.events;
    this.#names = namesOf(compiled.machine.definition, children);
    this.#namedSteps = new Set(this.#names.steps);
  }

  judge(): readonly Miss[] {
    this.effects();
    this.end();
    this.output();
    this.steps();
    this.#incidents();
    this.#open();
    this.sent();
    this.published();
    this.#calls();
    this.#waits();
    this.#times();
    this.answers((told, answer) => told.words.includes(answer));
    return this.misses;
  }

  /** What really happened outside. */
  effects(): void {
    const { effects } = this.#expect;
    if (effects === null) return;
    const { happened } = this.#seen;
    const isNamed = (one: NamedHappening, name: string): boolean => isCalled(this.#names, one, name);
    const parted = followEffects(effects.pattern, happened, isNamed);
    if (parted === null) return;
    const called = happened.map((one) => calledBy(this.#names, effects.names, one));
    const came = called[parted.index];
    const next =
      parted.expected.length === 0 ? 'nothing more' : parted.expected.map((name) => `\`${name}\``).join(' or ');
    const before = parted.index === 0 ? 'first' : `after \`${called[parted.index - 1]}\``;
    const hint = `${before} came ${came === undefined ? 'nothing' : `\`${came}\``}, expected ${next}`;
    this.#miss('effects', { expected: effects.text, got: effectsText(called), hint });
  }

  /** How it ended: status, name of the end, code of the failure. */
  end(): void {
    const { statuses, outcome, failure } = this.#expect;
    if (!statuses.some((word) => isStatus(word, this.#seen))) {
      const { incidents, failure: code } = this.#seen;
      const why = code === null ? incidents.join(', ') : code;
      const hint = why === '' ? 'it has neither failed nor does it need a person' : `because of ${why}`;
      this.#miss('status', { expected: statuses.join(' or '), got: statusWord(this.#seen), hint });
    }
    this.#word('outcome', outcome, this.#seen.outcome);
    if (failure === null || typeof failure === 'string') this.#word('failure', failure, this.#seen.failure);
    else this.#holds('failure', failure, this.#seen.whole);
    this.#finally();
  }

  /** A `finally` that failed changes nothing of the end, so it is told even where nobody asked. */
  #finally(): void {
    const { finallyFailed: expected } = this.#expect;
    const got = this.#seen.finallyFailed;
    if (expected === got) return;
    const hint =
      got === null ? 'its finally has done all that it was to do' : 'its end is the same; `pawl show` tells why';
    this.#miss('finallyFailed', { expected: expected ?? 'nothing', got: got ?? 'nothing', hint });
  }

  output(): void {
    const { output, wholeOutput } = this.#expect;
    const got = this.#seen.output;
    if (output !== undefined) this.#holds('output', output, got);
    if (wholeOutput === undefined || canonicalJson(wholeOutput) === canonicalJson(got)) return;
    const hint = lacks(wholeOutput, got) ?? 'it holds more';
    this.#miss('wholeOutput', { expected: jsonText(wholeOutput), got: jsonText(got), hint });
  }

  #holds(what: 'output' | 'failure', expected: Json, got: Json): void {
    const lack = lacks(expected, got);
    if (lack !== null) this.#miss(what, { expected: jsonText(expected), got: jsonText(got), hint: lack });
  }

  private steps(): void {
    const visited = [...new Set(this.#seen.entered.filter((id) => this.#namedSteps.has(id)))];
    const { steps } = this.#expect;
    if (steps === null || canonicalJson(steps) === canonicalJson(visited)) return;
    const index = steps.findIndex((step, at) => step !== visited[at]);
    const at = index === -1 ? steps.length : index;
    const hint = `as number ${at + 1} came ${visited[at] ?? 'none'}, expected ${steps[at] ?? 'none'}`;
    this.#miss('steps', { expected: steps.join(', '), got: visited.join(', '), hint });
  }

  /** A list in any order. */
  #list(what: string, expected: readonly string[] | null, got: readonly string[]): void {
    if (expected === null || canonicalJson([...expected].sort()) === canonicalJson([...got].sort())) return;
    const missing = expected.filter((one) => !got.includes(one));
    const hint = missing.length > 0 ? `${missing.join(', ')} is missing` : 'there is more';
    this.#miss(what, { expected: expected.join(', ') || '-', got: got.join(', ') || '-', hint });
  }

  /** Incidents by their names, or with what is said of them where the scenario says that, too. */
  #incidents(): void {
    const { incidents: expected } = this.#expect;
    const got = this.#seen.incidents.map((name, index) => {
      const whole = `${name}: ${this.#seen.messages[index]}`;
      return expected?.includes(whole) === true ? whole : name;
    });
    this.#list('incidents', expected, got);
  }

  /** What the calls carried that did something. */
  sent(): void {
    for (const [action, values] of this.#expect.sent) {
      const got = this.#seen.happened.filter((one) => one.action === action).map((one) => one.with);
      const lack = lacks(values, got);
      if (lack !== null)
        this.#miss('sent', { key: action, expected: jsonText(values), got: jsonText(got), hint: lack });
    }
  }

  /** What it told others. */
  published(): void {
    for (const [event, messages] of this.#expect.published) {
      const got = this.#seen.published.filter(({ type }) => type === event);
      const lack = lacks(messages, got);
      if (lack === null) continue;
      this.#miss('published', { key: event, expected: jsonText(messages), got: jsonText(got), hint: lack });
    }
  }

  #open(): void {
    const { open } = this.#expect;
    if (open !== null)
      this.#list(
        'open',
        open,
        this.#seen.open.map((one) => calledBy(this.#names, open, one)),
      );
  }

  #calls(): void {
    for (const [action, count] of this.#expect.calls) {
      const got = this.#seen.calls.get(action) ?? 0;
      if (got === count) continue;
      this.#miss('calls', { key: action, expected: String(count), got: String(got), hint: 'calls that left' });
    }
  }

  #waits(): void {
    for (const [action, spans] of this.#expect.waits) {
      const got = this.#seen.waits.filter((wait) => wait.action === action).map(({ ms }) => ms);
      const isMet = got.length === spans.length && got.every((ms, index) => isWithin(ms, spans[index]));
      if (isMet) continue;
      const expected = spans.map((span) => [...new Set(span)].map(durationText).join(' to ')).join(', ');
      const words = got.map(durationText).join(', ') || 'none';
      this.#miss('waits', { key: action, expected, got: words, hint: 'how long its next call was to wait' });
    }
  }

  #times(): void {
    for (const [name, ms] of this.#expect.at) {
      const first = this.#seen.happened.find((one) => isCalled(this.#names, one, name))?.atMs ?? null;
      const got = name === 'end' ? this.#seen.endMs : first;
      if (got !== null && got >= ms && got <= ms + LATE_MS) continue;
      const hint = got === null ? 'it did not come' : got < ms ? 'it was too early' : 'it was too late';
      this.#miss('at', { key: name, expected: durationText(ms), got: got === null ? '-' : durationText(got), hint });
    }
  }

  /** What those were told who sent something. @param isSaid whether that is what the scenario says. */
  answers(isSaid: (told: Told, answer: string) => boolean): void {
    for (const [no, { pointer, answer }] of this.#events.entries()) {
      const told = this.#seen.told[no] ?? null;
      if (told !== null && (answer === null ? told.isTaken : isSaid(told, answer))) continue;
      const got = told === null ? 'nothing was heard' : told.words.join(', ');
      const place = answer === null ? pointer : childPointer(pointer, 'answer');
      const hint = answer === null ? 'say `answer:` if it is not to be taken' : 'what whoever sent it was told';
      this.misses.push({ pointer: place, what: 'answer', expected: answer ?? 'to be taken', got, hint });
    }
  }

  #word(what: 'outcome' | 'failure', expected: string | null, got: string | null): void {
    if (expected !== null && expected !== got)
      this.#miss(what, { expected, got: got ?? 'none', hint: `the ${what} is another` });
  }

  #miss(what: string, { key, ...told }: { key?: string } & Pick<Miss, 'expected' | 'got' | 'hint'>): void {
    const own = childPointer(this.#expect.pointer, what);
    this.misses.push({ pointer: key === undefined ? own : childPointer(own, key), what, ...told });
  }
}

/** Holds a play against everything that its scenario expects. */
export function judgeScenario(judged: Judged): readonly Miss[] {
  return new Judge(judged).judge();
}

/** Holds a play with a crash against what no crash may change: the effects and what they carried, the end, the output, what was published, and what was answered. */
export function judgeCrash(judged: Judged): readonly Miss[] {
  const judge = new Judge(judged);
  judge.effects();
  judge.end();
  judge.output();
  judge.sent();
  judge.published();
  // Without the crash it may not have been known yet, or known at once.
  judge.answers((told, answer) => told.words.includes(answer) || (answer === 'pending' && told.isTaken));
  return judge.misses;
}
