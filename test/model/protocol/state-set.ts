import { invariant } from '../../../src/model/errors.ts';

/** A list of 32-bit numbers that grows in one typed array. */
export class NumberList {
  #data = new Uint32Array(1 << 12);
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  /** Adds one at the end. */
  push(value: number): void {
    if (this.#length === this.#data.length) this.#data = grown(this.#data);
    this.#data[this.#length] = value;
    this.#length += 1;
  }

  /** The number at an index below `length`. */
  at(index: number): number {
    return Number(this.#data[index]);
  }
}

/** Grown to twice its length; V8 keeps typed arrays of more than four thousand million members apart, none comes near. */
function grown(data: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const next = new Uint32Array(data.length * 2);
  next.set(data);
  return next;
}

/** A set of states of a fixed number of words, each with its number in order of arrival; open addressing, half full at most. */
export class StateSet {
  readonly #width: number;
  #states: Uint32Array<ArrayBuffer>;
  #slots = new Uint32Array(1 << 13);
  #size = 0;

  constructor(width: number) {
    this.#width = width;
    this.#states = new Uint32Array(width << 12);
  }

  /** How many states there are. */
  get size(): number {
    return this.#size;
  }

  /** The words of all states, one after the other; good until the next `add`. */
  get states(): Uint32Array {
    return this.#states;
  }

  /** The number of a state; it is added when it is new, which the grown `size` tells. */
  add(words: Uint32Array): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashOf(words, 0, this.#width) & mask;
    for (let kept = Number(slots[slot]); kept !== 0; kept = Number(slots[slot])) {
      if (this.#same(kept - 1, words)) return kept - 1;
      slot = (slot + 1) & mask;
    }
    const number = this.#size;
    const at = number * this.#width;
    if (at === this.#states.length) this.#states = grown(this.#states);
    for (let word = 0; word < this.#width; word += 1) this.#states[at + word] = Number(words[word]);
    this.#size = number + 1;
    slots[slot] = this.#size;
    if (this.#size * 2 > slots.length) this.#rehash();
    return number;
  }

  #same(number: number, words: Uint32Array): boolean {
    const at = number * this.#width;
    for (let word = 0; word < this.#width; word += 1) if (this.#states[at + word] !== words[word]) return false;
    return true;
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    invariant(slots.length > this.#size, 'the table of states has room', { size: this.#size });
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let slot = hashOf(this.#states, number * this.#width, this.#width) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

/** Multiply and fold, word by word; the multipliers are those of murmur3. */
function hashOf(words: Uint32Array, at: number, width: number): number {
  let hash = 0;
  for (let word = 0; word < width; word += 1) {
    hash = Math.imul(hash ^ Number(words[at + word]), 0x85ebca6b);
    hash ^= hash >>> 15;
  }
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 13)) >>> 0;
}
