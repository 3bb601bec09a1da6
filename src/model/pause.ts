import { fitsGlob } from './api-key.ts';

/** What a person may stop at once, whatever runs it is part of. */
export const PAUSE_KINDS = ['workflow', 'action', 'host'] as const;

/** The code of a sending that did not leave because a person has paused what it is part of. */
export const SEND_PAUSED = 'send-paused';

/** Everything of one workflow, of one action, or to one host. */
export type PauseKind = (typeof PAUSE_KINDS)[number];

/** What is paused: all whose name fits, with `*` for any characters. */
export interface PauseSubject {
  readonly kind: PauseKind;
  readonly name: string;
}

/** That nothing of something is sent: who said so, why and since when; there while it lasts. */
export interface Pause extends PauseSubject {
  readonly pauseId: string;
  readonly tenant: string;
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** What of a sending says whether a pause is about it. */
export interface SendingAct {
  readonly tenant: string;
  readonly workflow: string;
  readonly action: string;
  /** Null for what goes to no host: a function, a statement, a queue of remote workers. */
  readonly host: string | null;
}

/** The first pause that keeps a sending back; null = none does. */
export function pauseOf(pauses: readonly Pause[], act: SendingAct): Pause | null {
  const keeps = ({ tenant, kind, name }: Pause): boolean => {
    const asked = act[kind];
    return tenant === act.tenant && asked !== null && fitsGlob(name, asked);
  };
  return pauses.find(keeps) ?? null;
}

/** What is paused, as people say it. */
export function subjectWords({ kind, name }: PauseSubject): string {
  return kind === 'action' ? name : `${kind} ${name}`;
}

/** Who has paused what, since when and why. */
export function pauseWords(pause: Pause): string {
  const { by, atMs, reason } = pause;
  return `${subjectWords(pause)} is paused by ${by} since ${new Date(atMs).toISOString()}: ${reason}`;
}

/** What is to be typed to end a pause. */
export function resumeCommand({ kind, name }: PauseSubject): string {
  return `pawl resume --${kind} ${name.includes('*') ? `'${name}'` : name}`;
}
