import { functionSignatures, METHOD_NAMES } from './function-table.ts';
import { pathOf, type SyntaxNode } from './syntax-tree.ts';

/** What other languages call it, in small letters and without `_`; `…` is the value that it is asked of. */
const BROUGHT: ReadonlyMap<string, string> = new Map(
  [
    ['size(…)', 'len length count sizeof strlen'],
    ['size(…) == 0', 'isempty empty'],
    ['string(…)', 'str tostring'],
    ['int(…)', 'integer toint parseint'],
    ['double(…)', 'float tofloat parsefloat tonumber'],
    ['bool(…)', 'boolean tobool parsebool'],
    ['….lowerAscii()', 'lower tolower tolowercase lowercase'],
    ['….upperAscii()', 'upper toupper touppercase uppercase'],
    ['….trim()', 'strip'],
  ].flatMap(([meant = '', names = '']) => names.split(' ').map((name) => [name, meant] as const)),
);

/** What is written here for a name that another language has; null where it has none such. */
export function broughtName(name: string, of: SyntaxNode | undefined): string | null {
  const meant = BROUGHT.get(name.toLowerCase().replace(/_/g, ''));
  return meant === undefined ? null : `write ${meant.replace('…', wordsOf(of))}`;
}

/** The same for a call: also a function that is a method here, or the other way round. */
export function broughtCall(name: string, of: SyntaxNode | undefined): string | null {
  const brought = broughtName(name, of);
  if (brought !== null) return brought;
  if (functionSignatures(name).length > 0) return `write ${name}(${wordsOf(of)})`;
  return METHOD_NAMES.includes(name) ? `write ${wordsOf(of)}.${name}(…)` : null;
}

/** A path as it is written; `…` for anything else. */
function wordsOf(node: SyntaxNode | undefined): string {
  return (node === undefined ? null : pathOf(node))?.join('.') ?? '…';
}
