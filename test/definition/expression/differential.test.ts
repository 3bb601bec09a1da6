import { fc } from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { checkExpression, typesOf } from '../../../src/definition/check-expression.ts';
import { createEvaluator } from '../../../src/definition/evaluator.ts';
import { ExpressionFault } from '../../../src/definition/expression/expression-fault.ts';
import type { Json } from '../../../src/model/json.ts';
import { askOracle } from './oracle.ts';
import { expressions } from './random-expressions.ts';
import { definitionOf, expressionOf, FULL_INPUT, sampleTypes, scopeOf } from './sample-definition.ts';

const definition = definitionOf();
const evaluator = createEvaluator(definition);
const types = typesOf(definition);
const scope = scopeOf(FULL_INPUT);

function ours(source: string): { readonly value: Json } | { readonly fault: ExpressionFault } {
  try {
    return { value: evaluator.evaluate(expressionOf(source), { kind: 'flow' }, scope) };
  } catch (error) {
    if (error instanceof ExpressionFault) return { fault: error };
    throw error;
  }
}

describe('random expressions', () => {
  it('have one value, or are refused, in both engines', () => {
    fc.assert(
      fc.property(expressions, (source) => {
        const mine = ours(source);
        const answer = askOracle(source, scope, sampleTypes());
        const theirs = answer.ok ? { value: answer.value } : 'fault';
        expect({ source, result: 'fault' in mine ? 'fault' : mine }).toEqual({ source, result: theirs });
      }),
      { numRuns: 150 },
    );
  });

  it('that are right by construction pass the check, and what passes never fails for its types', () => {
    fc.assert(
      fc.property(expressions, (source) => {
        const errors = checkExpression(expressionOf(source), { kind: 'flow' }, types, 'any').filter(
          // A computed double that int() cuts is right by its types.
          (problem) => problem.severity === 'error' && problem.kind !== 'cut',
        );
        expect({ source, errors }).toEqual({ source, errors: [] });
        const mine = ours(source);
        if ('fault' in mine)
          expect(mine.fault.summary).toMatch(
            /no element|division by zero|64 bits|beyond 2\^53|finite number|characters/,
          );
      }),
      { numRuns: 150 },
    );
  });
});
