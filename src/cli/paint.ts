import pc from 'picocolors';

/** Colours by meaning; the word is always there too, so that nothing is told by colour alone. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly now: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** Paint for a stream: none when it is not a terminal, when NO_COLOR is set, or when asked for. */
export function paintFor(colour: boolean): Paint {
  const c = pc.createColors(colour);
  return { good: c.green, bad: c.red, warn: c.yellow, now: c.cyan, quiet: c.dim, strong: c.bold };
}
