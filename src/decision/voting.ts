import type { Approval } from '../model/approval.ts';
import type { Template, Voting } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { durationOf } from '../model/time-values.ts';

/** Who decides and how, as it stands in an approval. */
export interface Voters extends Pick<Approval, 'title' | 'from' | 'quorum' | 'denials' | 'except'> {
  /** How long the decision may take, milliseconds; null = for ever. */
  readonly expiresMs: number | null;
}

/** Why nobody can be asked. */
export interface VotingFault {
  readonly fault: string;
}

/**
 * Computes who decides.
 * @throws PAWL_EXPRESSION_FAULT where an expression of it cannot be computed.
 */
export function votersOf(voting: Voting, render: (template: Template) => Json): Voters | VotingFault {
  const quorum = render(voting.quorum);
  const denials = render(voting.denials);
  const expires = voting.expires === null ? null : durationOf(render(voting.expires));
  if (!isCount(quorum) || !isCount(denials)) return { fault: 'quorum and denials are whole numbers of one or more' };
  if (expires !== null && 'why' in expires) return { fault: `expires: ${expires.why}` };
  return {
    title: textOf(render(voting.title)),
    from: namesOf(voting.from.map(render)),
    quorum,
    denials,
    except: namesOf(voting.except.map(render)),
    expiresMs: expires === null ? null : expires.ms,
  };
}

function isCount(value: Json): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

/** A title as people read it. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Names, from templates that may give one name or a list of them. */
export function namesOf(values: readonly Json[]): readonly string[] {
  return values.flat().filter((value) => typeof value === 'string');
}
