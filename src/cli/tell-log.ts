import type { Logger } from '../ports/logger.ts';
import { terminalText } from './terminal-text.ts';

/** Faults that a person at a terminal can understand, by the log's event. */
const WORDS: Readonly<Record<string, string>> = {
  'seat.lost': 'this process was silent for longer than its lease (is the machine busy?): its runs are taken up again',
  'run.set-aside': 'a run cannot be decided by this process and is set aside: pawl ls --needs human',
  'run.broken': 'a run could not be decided and is parked: pawl ls --needs human',
  'run.dropped': 'a run was given back after a fault; it is taken up again',
  'effect.late-answer-lost': 'a late answer could not be recorded',
  'action.fault': 'an action could not be carried out for a fault of its adapter',
};
/** The only facts that are told: identities, never texts from outside. */
const FACTS = ['runId', 'step', 'action', 'code', 'part'] as const;

/** A logger for one command: faults become one line for people, the rest is not told; `pawl worker` logs everything. */
export function createTeller(say: (line: string) => void): Logger {
  const silent = (): void => undefined;
  return {
    info: silent,
    warn: silent,
    error: (facts, event) => {
      const known = FACTS.flatMap((name) => {
        const value = facts[name];
        return typeof value === 'string' || typeof value === 'number' ? [`${name} ${value}`] : [];
      });
      say(terminalText(`! ${WORDS[event] ?? event}${known.length === 0 ? '' : ` (${known.join(', ')})`}`));
    },
  };
}
