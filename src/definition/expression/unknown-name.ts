import type { ProblemDraft } from './expression-problem.ts';
import type { RootTypes } from './root-types.ts';
import { switchMeant } from '../switch-words.ts';
import { optionsOf } from './value-type.ts';

/** Roots that exist at other places, and where. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['response', '`outcome` and `reconcile`'],
  ['failure', '`catch`, `outcome`, `reconcile` and `compensate`'],
  ['with', 'the templates and tables of an action'],
  ['effect', '`outcome`, `reconcile` and `compensate`'],
  ['event', '`on`, `await` and `events`'],
  ['secrets', '`auth` and `headers` of actions'],
  ['vars', 'the flow: a `compensate` reads what cannot change'],
  ['steps', 'the flow: a `compensate` reads what cannot change, for example `effect.output`'],
  ['links', 'the `with` of a call'],
]);

/** What is said of a name that begins no path here: where it can be read, what it is a part of, or what begins a path. */
export function unknownName(name: string, items: readonly string[], roots: RootTypes): ProblemDraft {
  const elsewhere = ELSEWHERE.get(name);
  const candidates = [...items, ...roots.keys()];
  const known = `what can be read here begins with ${candidates.join(', ')}`;
  if (elsewhere !== undefined) {
    const message = `\`${name}\` can be read in ${elsewhere} only`;
    return { kind: 'unknown-name', message, name, help: known, candidates: [] };
  }
  const message = `unknown name \`${name}\``;
  const owner = ownerOf(name, roots);
  if (owner !== null) return { kind: 'unknown-name', message, name, help: `write ${owner}.${name}`, candidates: [] };
  const value = valueMeant(name);
  if (value !== null)
    return { kind: 'unknown-name', message, name, help: `write ${value}, without quotes`, candidates: [] };
  return { kind: 'unknown-name', message, name, help: known, candidates };
}

/** The value that a word of YAML 1.1 or of another language stands for; null where it is a name like any other. */
function valueMeant(name: string): string | null {
  if (/^(?:true|false)$/i.test(name)) return name.toLowerCase();
  return /^(?:none|nil|null|undefined)$/i.test(name) ? 'null' : switchMeant(name);
}

/** The first root that has a key of the name: `steps` for a step, `input` for one of its properties. */
function ownerOf(name: string, roots: RootTypes): string | null {
  for (const [root, type] of roots) {
    if (optionsOf(type).some((option) => option.kind === 'object' && option.fields.has(name))) return root;
  }
  return null;
}
