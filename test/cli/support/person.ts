import { PassThrough } from 'node:stream';
import type { Terminal } from '../../../src/cli/cli-context.ts';

/** What a person presses. */
export const KEYS = { enter: '\r', yes: 'y', no: 'n', interrupt: '\u0003' } as const;

/** A person at a terminal: each question that comes up is answered with the next keys. */
export interface Person {
  readonly terminal: Terminal;
  /** Everything that was shown so far. */
  shown(): string;
}

/**
 * Answers questions in their order.
 * @param answers the text by which a question is known, and what is pressed when it is shown.
 */
export function personWho(answers: readonly (readonly [question: string, keys: string])[]): Person {
  const input = new PassThrough();
  const output = new PassThrough();
  const left = [...answers];
  let text = '';
  output.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
    const [next] = left;
    if (next === undefined || !text.includes(next[0])) return;
    left.shift();
    // The question listens only after it has been drawn.
    setImmediate(() => input.write(next[1]));
  });
  return { terminal: { input, output }, shown: () => text };
}
