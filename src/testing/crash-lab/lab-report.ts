import { BOUNDARIES, type BoundaryName } from './boundaries.ts';
import type { Warning } from './find-warnings.ts';
import type { Fault, FaultKind } from './judge-play.ts';
import { MENDS } from './mends.ts';
import type { Played } from './play.ts';
import type { Trouble } from './trouble.ts';

/** What stands in the book under one boundary, the worst of all that was tried there. */
export interface Cell {
  /** `ok`, `review` (a person is asked by name), or what went wrong. */
  readonly verdict: 'ok' | 'review' | FaultKind;
  /** How often it happened. */
  readonly times: number;
}

/** A line of the table. */
export interface Row {
  /** `charge`, `undo reserve`, `charge (declined)`. */
  readonly effect: string;
  readonly action: string;
  readonly story: string;
  readonly cells: Readonly<Partial<Record<BoundaryName, Cell>>>;
}

/** Something that must never be, and how the lab came to it. */
export interface Finding {
  readonly kind: FaultKind;
  readonly effect: string;
  readonly action: string;
  readonly story: string;
  readonly boundary: BoundaryName;
  readonly message: string;
  /** What was done to it. */
  readonly way: string;
  /** How to mend it. */
  readonly mend: string;
  /** In how many plays of that boundary it was seen. */
  readonly plays: number;
}

/** A word of a provider that the workflow depends on: without it, what is found. */
export interface Reliance {
  readonly effect: string;
  readonly action: string;
  /** `the provider remembers Idempotency-Key for 24h`. */
  readonly promise: string;
  /** What happens otherwise, where. */
  readonly otherwise: string;
  /** How not to depend on it; absent where only the provider can tell. */
  readonly mend?: string;
}

/** What the lab has to say about a workflow. */
export interface LabReport {
  readonly workflow: string;
  readonly version: number;
  readonly ok: boolean;
  readonly plays: number;
  readonly stories: readonly { readonly name: string; readonly status: string; readonly failure: string | null }[];
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
  readonly relies: readonly Reliance[];
  /** What the author has said and may not have meant. */
  readonly warnings: readonly Warning[];
  /** What could not be played without a word of the user. */
  readonly problems: readonly string[];
  /** Steps that no story comes to. */
  readonly unreached: readonly string[];
}

const WORST: readonly Cell['verdict'][] = ['ok', 'review', 'silent', 'loss', 'stray', 'double', 'bug'];

function worse(left: Cell | undefined, right: Cell): Cell {
  if (left === undefined) return right;
  const order = WORST.indexOf(left.verdict) - WORST.indexOf(right.verdict);
  return order > 0 || (order === 0 && left.times >= right.times) ? left : right;
}

/** The label of the first visit: `pay` of `pay#2`. */
export function firstVisit(label: string): string {
  return label.replace(/#\d+$/, '');
}

/** Something that is crashed: an effect in a story. */
export interface Target {
  readonly label: string;
  readonly effect: string;
  readonly action: string;
  readonly story: string;
  readonly calm: Played;
}

/** Gathers what plays have shown into a table. */
export class Tally {
  plays = 0;
  readonly #rows = new Map<Target, Partial<Record<BoundaryName, Cell>>>();
  readonly #findings = new Map<string, Finding>();

  constructor(targets: readonly Target[]) {
    for (const target of targets) this.#rows.set(target, {});
  }

  /** What one play of a target has shown. */
  add(target: Target, trouble: Trouble, played: Played, faults: readonly Fault[]): void {
    this.plays += 1;
    this.#mark(target, trouble, played, faults);
    for (const fault of faults) this.#find(target, trouble, fault);
  }

  /** What one play of a whole run has shown of one of its effects. */
  mark(target: Target, trouble: Trouble, played: Played, faults: readonly Fault[]): void {
    this.#mark(target, trouble, played, faults);
    for (const fault of faults) this.#find(target, trouble, fault);
  }

  rows(): readonly Row[] {
    return [...this.#rows].map(([{ effect, action, story }, cells]) => ({ effect, action, story, cells }));
  }

  /** In the order of the table. */
  findings(): readonly Finding[] {
    const order = BOUNDARIES.map(({ name }) => name as BoundaryName);
    const effects = [...this.#rows.keys()].map(({ effect }) => effect);
    const placeOf = ({ effect, boundary }: Finding): number =>
      effects.indexOf(effect) * order.length + order.indexOf(boundary);
    return [...this.#findings.values()].sort((left, right) => placeOf(left) - placeOf(right));
  }

  #mark(target: Target, { boundary }: Trouble, played: Played, faults: readonly Fault[]): void {
    const cells = this.#rows.get(target) ?? {};
    const kinds = faults.filter(({ label }) => label === null || label === target.label).map(({ kind }) => kind);
    const isHeld = played.status === 'HELD' && target.calm.status !== 'HELD';
    const verdict = WORST.findLast((word) => kinds.some((kind) => kind === word)) ?? (isHeld ? 'review' : 'ok');
    const times = played.happened.get(target.label) ?? 0;
    cells[boundary] = worse(cells[boundary], { verdict, times });
    this.#rows.set(target, cells);
  }

  #find(target: Target, { boundary, words, mend }: Trouble, fault: Fault): void {
    const label = fault.label ?? target.label;
    const rows = [...this.#rows.keys()];
    const exact = label === target.label ? target : rows.find((row) => row.effect === label);
    const effect = exact?.effect ?? label;
    // Another visit of a step is no row of its own where it comes only in trouble.
    const meant = exact ?? rows.find((row) => row.effect === firstVisit(label));
    const id = JSON.stringify([effect, boundary, fault.kind]);
    const known = this.#findings.get(id);
    if (known !== undefined) {
      this.#findings.set(id, { ...known, plays: known.plays + 1 });
      return;
    }
    this.#findings.set(id, {
      kind: fault.kind,
      effect,
      action: meant?.action ?? '',
      story: target.story,
      boundary,
      message: fault.message,
      way: words,
      mend: fault.mend ?? mend ?? MENDS[fault.kind],
      plays: 1,
    });
  }
}
