import { REFUSED } from './fault-codes.ts';
import type { Span, SyntaxNode } from './syntax-tree.ts';

/** Why a program could not be computed, as the engine's port says it. */
export interface RawFault {
  readonly code: string;
  readonly message: string;
}

/** What an author reads, and the stretch of the source it is about. */
export interface FaultWords {
  readonly summary: string;
  readonly span: Span;
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['index_out_of_bounds', 'the list has no element at this position'],
  ['no_matching_overload', 'the function does not take values of these types'],
  ['division_by_zero', 'division by zero'],
  ['modulo_by_zero', 'division by zero'],
  ['numeric_overflow', 'a whole number beyond 64 bits'],
  ['invalid_condition_type', 'a condition must be true or false'],
  ['invalid_logical_operand', 'a condition must be true or false'],
]);

/**
 * Says in our own words why something could not be computed. The engine's texts are not passed on: some hold values.
 * @param node the part of the source that failed
 */
export function describeFault(fault: RawFault, node: SyntaxNode): FaultWords {
  const span = { start: node.start, end: node.end };
  switch (fault.code) {
    case REFUSED:
      return { summary: fault.message, span };
    case 'no_such_key':
      return missing(node, span);
    case 'no_such_overload':
      return { summary: overload(fault.message), span };
    case 'unknown_variable':
      return {
        summary: node.kind === 'name' ? `\`${node.name}\` cannot be read here` : 'a name that cannot be read here',
        span,
      };
    default:
      return { summary: WORDS.get(fault.code) ?? 'this could not be computed', span };
  }
}

/** A step's output, a key, an element. The name comes from the source, so it is no data. */
function missing(node: SyntaxNode, span: Span): FaultWords {
  if (node.kind !== 'field') return { summary: 'there is no such key', span };
  return {
    summary: `\`${node.name}\` is missing; write or(…, default) or ask has(…) first`,
    span: { start: node.end - node.name.length, end: node.end },
  };
}

const KINDS = /^no such overload: (.{1,200})$/;

/** The engine names only types and the operator here. */
function overload(message: string): string {
  const types = (KINDS.exec(message)?.[1] ?? '')
    .replace(/dyn<([^<>]*)>/g, '$1')
    .replace(/google\.protobuf\.(\w+)/g, (_, name: string) => name.toLowerCase());
  if (/^double [-+*/%] int$|^int [-+*/%] double$/.test(types)) {
    return `\`${types}\`: int and double do not mix; write 2.0 instead of 2, or double(…) around a value; for money decimal(…)`;
  }
  return types === '' ? 'not defined for values of these types' : `\`${types}\` is not defined`;
}
