import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem, SourceRange } from '../model/problem.ts';
import { everyStep } from '../model/step-lists.ts';
import { closestWord } from './closest-word.ts';
import type { WorkflowReading } from './read-definition.ts';
import { childPointer, isInside, lastToken } from './source-map.ts';

const STEP = /^\/(?:steps|finally)\/\d+(?:\/(?:choose\/\d+\/(?:steps|else)|catch\/\d+\/do|scope|steps)\/\d+)*/;
const STATE = /^\/machine(?:\/states\/[^/]+)+/;
const PART = /^(?:\/use\/[^/]+)?\/(?:actions|events|vars)\/[^/]+|^\/[^/]*/;

/** The step, state, action or document key that a pointer lies in. */
function partOf(pointer: string): string {
  return STEP.exec(pointer)?.[0] ?? STATE.exec(pointer)?.[0] ?? PART.exec(pointer)?.[0] ?? '';
}

/** Names whose types are not known for sure when a part of the document is suspect. */
const NAMES_OF: Readonly<Record<string, readonly string[]>> = {
  input: ['input'],
  constants: ['constants'],
  vars: ['vars'],
  secrets: ['secrets'],
  events: ['event', 'output'],
  actions: ['with', 'response', 'effect', 'output'],
};

/** A pattern for expressions that read what is lost or unsure; null when everything is known. */
function unsureNames(reading: WorkflowReading): RegExp | null {
  const parts = [...reading.suspect, ...reading.lossy].map((pointer) => pointer.split('/')[1] ?? '');
  const names = parts.flatMap((part) => NAMES_OF[part] ?? []);
  const steps = reading.lossy.has('/steps') ? ['steps'] : [...reading.lostIds].map((id) => `steps\\.${id}`);
  const words = [...new Set([...names, ...steps])];
  return words.length === 0 ? null : new RegExp(`\\b(?:${words.join('|')})\\b`);
}

/** Drops problems of expressions that follow from mistakes told already: a name that is missing because its place is wrong. */
export function expressionsOfTheirOwn(problems: readonly Problem[], reading: WorkflowReading): readonly Problem[] {
  const unsure = unsureNames(reading);
  return problems.filter((problem) => {
    if (isInside(problem.pointer, reading.suspect)) return false;
    return unsure === null || !unsure.test(reading.map.sourceText(problem.pointer) ?? '');
  });
}

/** Pointers of the steps that call one of the actions. */
function callersOf(parts: ReadonlySet<string>, definition: WorkflowDefinition): readonly string[] {
  const spoilt = new Set(definition.actions.filter(({ pointer }) => parts.has(pointer)).map(({ name }) => name));
  return everyStep(definition)
    .filter((step) => step.verb === 'call' && spoilt.has(step.action))
    .map(({ pointer }) => pointer);
}

/** Drops lint that follows from mistakes told already in the same step, in the action it calls, or in the same document key. */
export function lintOfItsOwn(
  lint: readonly Problem[],
  reading: WorkflowReading,
  definition: WorkflowDefinition,
): readonly Problem[] {
  const parts = new Set([...reading.suspect].map(partOf));
  const spoilt = new Set([...parts, ...callersOf(parts, definition)]);
  const isOwn = (problem: Problem): boolean => {
    const missing = MISSING_KEY.get(problem.code);
    if (missing !== undefined) return !isWrittenWrongly(missing, reading);
    const home = UNKNOWN_NAME.get(problem.code);
    return home === undefined ? !spoilt.has(partOf(problem.pointer)) : isUnknownName(problem, home, reading);
  };
  return lint.filter(isOwn);
}

/** Lint that says of a document key that it is missing. */
const MISSING_KEY: ReadonlyMap<string, string> = new Map([['PAWL-351', 'timeout']]);

/** Whether a document key is there with a wrong value or, most likely, under a wrong name: told already. */
function isWrittenWrongly(key: string, { suspect }: WorkflowReading): boolean {
  return [...suspect].some((place) => DOCUMENT_KEY.test(place) && closestWord(lastToken(place), [key]) === key);
}

const DOCUMENT_KEY = /^\/[^/]+$/;

/** Lint that says of a name that nothing has it, and where such a name is declared. */
const UNKNOWN_NAME: ReadonlyMap<string, string> = new Map([
  ['PAWL-202', '/steps'],
  ['PAWL-209', '/events'],
  ['PAWL-210', '/vars'],
  ['PAWL-212', '/steps'],
  ['PAWL-301', '/actions'],
  ['PAWL-306', '/steps'],
]);

/** Whether a name is missing in the file, too: not only in what could be built of it. */
function isUnknownName({ code, pointer }: Problem, home: string, reading: WorkflowReading): boolean {
  const { map, suspect, lostIds, lacksActions } = reading;
  if (isInside(pointer, suspect)) return false;
  // Of a machine the name of an event is a key.
  const isKey = code === 'PAWL-210' || (code === 'PAWL-209' && pointer.startsWith('/machine/'));
  const name = isKey ? lastToken(pointer) : (map.scalarText(pointer) ?? '');
  if (home === '/steps') return !lostIds.has(name);
  // A catalogue declares actions elsewhere; a misspelled document key may be the one that declares the name.
  if (code === 'PAWL-301' && lacksActions) return false;
  const isHomeless = !map.has(home) && [...suspect].some((place) => DOCUMENT_KEY.test(place));
  return !isHomeless && !suspect.has(home) && !map.has(childPointer(home, name));
}

function overlaps(a: SourceRange, b: SourceRange): boolean {
  const before = (x: SourceRange, y: SourceRange): boolean =>
    x.endLine < y.line || (x.endLine === y.line && x.endColumn <= y.column);
  return !before(a, b) && !before(b, a);
}

/** Of two checks that complain of one place, lint knows better what is meant: the other is left out. */
export function withoutRepeats(problems: readonly Problem[], lint: readonly Problem[]): readonly Problem[] {
  const errors = lint.filter((problem) => problem.severity === 'error');
  return problems.filter(
    (problem) => !errors.some((other) => other.pointer === problem.pointer && overlaps(other.range, problem.range)),
  );
}
