import { terminalText } from './terminal-text.ts';

/** What stands between the user of an address, also in a JSON pointer, and the last `@` of the word: rather too much than half a password. */
const IN_ADDRESS = /((?:\/\/|~1~1)[^\s:/?#@]*:)(\S+)(?=@)/g;
/** What follows the name: a parameter, or a key of a file. Expressions that name a secret are none. */
const NAMED = /(password["']?\s*[:=]\s*(?!["']?[$=])["']?)([^\s&#"',}]+)/gi;

/** A text in which passwords are stars, one for each character: what stands behind them keeps its column. */
export function hidePasswords(text: string): string {
  const hide = (_: string, lead: string, password: string): string => lead + '*'.repeat(password.length);
  return text.replace(IN_ADDRESS, hide).replace(NAMED, hide);
}

/** What others wrote, as it may stand on a terminal: one harmless line without passwords. */
export function words(text: string): string {
  return terminalText(hidePasswords(text));
}
