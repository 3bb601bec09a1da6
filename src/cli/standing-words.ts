import type { Backend } from './backend.ts';
import { placeWords } from './run-lines.ts';
import { terminalText } from './terminal-text.ts';

type Standing = Awaited<ReturnType<Backend['previewCompensation']>>['standing'][number];

const WHY: Readonly<Record<Standing['why'], string>> = {
  finally: 'what `finally` has done is not undone',
  waived: 'its undo was waived',
  none: '`compensate: none`',
  undeclared: 'it says no `compensate`',
};

/** What an undo leaves as it is, and why: `! told [a]  tell stays done: ...`; safe for a terminal. */
export function standingWords(effect: Standing): string {
  return `! ${terminalText(placeWords(effect))}  ${effect.action} stays done: ${WHY[effect.why]}`;
}
