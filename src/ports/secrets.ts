/** Secrets by name, read at each sending and never kept. */
export interface Secrets {
  /** @returns the value, or null when this process has none under that name. */
  read(name: string): string | null;
  /** Where it is looked for, in words that help whoever has to give it. */
  placeOf(name: string): string;
}
