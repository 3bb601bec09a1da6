import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { PlanSpans } from '../model/run.ts';
import { isDone, isOpen } from './effect-lifecycle.ts';

/** A plan's place in the ledger: whose undos it names, and how many of them, from its first on, are done. */
interface PlanPlace {
  readonly forward: ReadonlySet<EffectKey>;
  done: number;
}

/** The rows, and what is asked of them in every decision. */
interface Book {
  readonly rows: Map<EffectKey, Effect>;
  /** Rows that are open, but for undos that wait for their turn: few, however long the ledger. */
  readonly live: Map<EffectKey, Effect>;
  readonly pivots: Map<EffectKey, Effect>;
  /** Forward key -> the compensation that counts: its highest generation. */
  readonly undos: Map<EffectKey, Effect>;
  plans: WeakMap<readonly EffectKey[], PlanPlace>;
  spans: WeakMap<PlanSpans, readonly EffectKey[]>;
}

/** What a row was before it was written, and which undo counted then; undefined = none. */
interface Change {
  readonly key: EffectKey;
  readonly row: Effect | undefined;
  readonly forwardKey: EffectKey | null;
  readonly undo: Effect | undefined;
}

/** Who has the book, or what has become of the ledger and how that is taken back. */
type Holding = { readonly book: Book } | { readonly newer: Ledger; readonly back: Change };

/**
 * The effects of a run, as immutable as all of its state. A decision writes one or two rows of ten thousand: a ledger is not
 * copied for that, it hands its book on to the one that comes from it, and turns back what was written when it is read again.
 */
export class Ledger implements ReadonlyMap<EffectKey, Effect> {
  private holding: Holding;

  private constructor(book: Book) {
    this.holding = { book };
  }

  /** The ledger of these rows; the very same if they are one. */
  static of(rows: ReadonlyMap<EffectKey, Effect>): Ledger {
    if (rows instanceof Ledger) return rows;
    const book: Book = {
      rows: new Map(),
      live: new Map(),
      pivots: new Map(),
      undos: new Map(),
      plans: new WeakMap(),
      spans: new WeakMap(),
    };
    for (const row of rows.values()) write(book, changeTo(row, newerUndo(book, row)));
    return new Ledger(book);
  }

  /** The ledger with one row, new or changed. */
  with(row: Effect): Ledger {
    const { book } = this;
    const newer = new Ledger(book);
    this.holding = { newer, back: write(book, changeTo(row, newerUndo(book, row))) };
    return newer;
  }

  /** Rows that may still change by themselves, but for undos that wait for their turn. */
  live(): Iterable<Effect> {
    return this.book.live.values();
  }

  /** Forward rows that are points of no return. */
  pivots(): Iterable<Effect> {
    return this.book.pivots.values();
  }

  /** The compensation of a forward effect that counts; undefined where there is none. */
  undoOf(forwardKey: EffectKey): Effect | undefined {
    return this.book.undos.get(forwardKey);
  }

  /** Whether a plan names the undo of this forward effect. @param keys the plan's own array: it is read once. */
  isPlanned(keys: readonly EffectKey[], forwardKey: EffectKey): boolean {
    return this.placeOf(keys).forward.has(forwardKey);
  }

  /** The keys of the compensations that a plan names, in its order; the same array each time. */
  keysOf(spans: PlanSpans): readonly EffectKey[] {
    const { book } = this;
    const known = book.spans.get(spans);
    if (known !== undefined) return known;
    const numbered = this.numbered();
    const undos = spans.flatMap((span) => {
      if (typeof span === 'string') return [span];
      const [first, last] = span;
      const spanned = numbered.filter(({ no }) => no <= first && no >= last);
      return spanned.flatMap(({ key }) => book.undos.get(key)?.key ?? []);
    });
    book.spans.set(spans, undos);
    return undos;
  }

  /** A plan by the receipts of what it undoes; its rows are written. @param keys in the order of the plan, the last receipt first. */
  spansOf(keys: readonly EffectKey[]): PlanSpans {
    const planned = new Set(this.planned(keys).map(({ compensates }) => compensates));
    const spans: [number, number][] = [];
    let isOpen = false;
    // What was undone before stands between the spans, and is in none.
    for (const { key, no } of this.numbered()) {
      const last = spans.at(-1);
      if (!planned.has(key)) isOpen = false;
      else if (isOpen && last !== undefined) last[1] = no;
      else {
        spans.push([no, no]);
        isOpen = true;
      }
    }
    return spans;
  }

  /** The current row of each key of a plan, in the plan's order. @throws PAWL_INVARIANT for a key of no compensation. */
  planned(keys: readonly EffectKey[]): readonly Effect[] {
    return keys.map((key) => this.current(key));
  }

  /** The same from the first row of which something is left to undo: what is done stays so, and is looked at once. */
  *remaining(keys: readonly EffectKey[]): Iterable<Effect> {
    const place = this.placeOf(keys);
    for (const key of from(keys, place.done)) {
      const row = this.current(key);
      if (isDone(row) && key === keys[place.done]) place.done += 1;
      else yield row;
    }
  }

  get size(): number {
    return this.book.rows.size;
  }
  get(key: EffectKey): Effect | undefined {
    return this.book.rows.get(key);
  }
  has(key: EffectKey): boolean {
    return this.book.rows.has(key);
  }
  keys(): MapIterator<EffectKey> {
    return this.book.rows.keys();
  }
  values(): MapIterator<Effect> {
    return this.book.rows.values();
  }
  entries(): MapIterator<[EffectKey, Effect]> {
    return this.book.rows.entries();
  }
  forEach(call: (row: Effect, key: EffectKey, rows: ReadonlyMap<EffectKey, Effect>) => void): void {
    for (const [key, row] of this.entries()) call(row, key, this);
  }
  [Symbol.iterator](): MapIterator<[EffectKey, Effect]> {
    return this.entries();
  }

  private get book(): Book {
    return Ledger.open(this);
  }

  /** The book as a ledger has it: those between it and the newest are taken back. */
  private static open(ledger: Ledger): Book {
    const older: { readonly ledger: Ledger; readonly back: Change }[] = [];
    let at = ledger;
    while ('newer' in at.holding) {
      older.push({ ledger: at, back: at.holding.back });
      at = at.holding.newer;
    }
    const { book } = at.holding;
    if (older.length === 0) return book;
    for (const one of older.reverse()) {
      at.holding = { newer: one.ledger, back: write(book, one.back) };
      one.ledger.holding = { book };
      at = one.ledger;
    }
    book.plans = new WeakMap();
    book.spans = new WeakMap();
    return book;
  }

  /** The forward effects that have a compensation, the last receipt first. */
  private numbered(): readonly { readonly key: EffectKey; readonly no: number }[] {
    const { rows, undos } = this.book;
    const found = [...undos.keys()].map((key) => ({ key, no: rows.get(key)?.receiptNo ?? 0 }));
    return found.sort((left, right) => right.no - left.no);
  }

  private current(key: EffectKey): Effect {
    const forwardKey = this.get(key)?.compensates ?? null;
    const current = forwardKey === null ? undefined : this.undoOf(forwardKey);
    invariant(current !== undefined, 'a plan names a row that is no compensation', { key });
    return current;
  }

  private placeOf(keys: readonly EffectKey[]): PlanPlace {
    const { plans } = this.book;
    const known = plans.get(keys);
    if (known !== undefined) return known;
    const forward = this.planned(keys).flatMap(({ compensates }) => compensates ?? []);
    const place: PlanPlace = { forward: new Set(forward), done: 0 };
    plans.set(keys, place);
    return place;
  }
}

function* from<Value>(values: readonly Value[], first: number): Iterable<Value> {
  for (let at = first; at < values.length; at += 1) yield values[at] as Value;
}

function isLive({ state, compensates }: Effect): boolean {
  return isOpen(state) && (state !== 'PROPOSED' || compensates === null);
}

/** The compensation that counts once a row is written. */
function newerUndo({ undos }: Book, row: Effect): Effect | undefined {
  const known = row.compensates === null ? undefined : undos.get(row.compensates);
  return known !== undefined && known.ingredients.generation > row.ingredients.generation ? known : row;
}

function changeTo(row: Effect, undo: Effect | undefined): Change {
  return { key: row.key, row, forwardKey: row.compensates, undo };
}

/** Makes a change. @returns the one that takes it back. */
function write(book: Book, { key, row, forwardKey, undo }: Change): Change {
  const back: Change = {
    key,
    row: book.rows.get(key),
    forwardKey,
    undo: forwardKey === null ? undefined : book.undos.get(forwardKey),
  };
  put(book.rows, key, row);
  put(book.live, key, row !== undefined && isLive(row) ? row : undefined);
  if (forwardKey !== null) put(book.undos, forwardKey, undo);
  else put(book.pivots, key, row?.pivot === true ? row : undefined);
  return back;
}

function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
