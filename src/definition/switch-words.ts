/** Words that other readers of YAML take for true and false. */
const SWITCHES: ReadonlyMap<string, 'true' | 'false'> = new Map([
  ['yes', 'true'],
  ['on', 'true'],
  ['no', 'false'],
  ['off', 'false'],
]);

/** What a word of YAML 1.1 such as `yes` or `Off` means; null for any other word. */
export function switchMeant(word: string): 'true' | 'false' | null {
  return SWITCHES.get(word.toLowerCase()) ?? null;
}
