import { fillDefaults } from '../definition/fill-defaults.ts';
import { compileSchema } from '../definition/schema-validator.ts';
import type { ActionContract } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { findUnstorable } from '../model/storable.ts';

/**
 * The `with` of a call as its request has it: what was rendered, with the defaults that the action's input schema writes.
 * @throws PAWL_EXPRESSION_FAULT when it cannot be stored (P11) or does not fit the schema; the message holds no value.
 */
export function acceptWith(contract: Pick<ActionContract, 'name' | 'input'>, rendered: Json): Json {
  const value = fillDefaults(contract.input, rendered);
  const unstorable = findUnstorable(value);
  if (unstorable !== null) {
    throw refusal(`\`with\` of ${contract.name} cannot be stored: "${unstorable.pointer}" is ${unstorable.reason}`);
  }
  const misfit = compileSchema(contract.input)(value)[0];
  if (misfit === undefined) return value;
  throw refusal(`\`with\` does not fit the input of ${contract.name}: ${misfit.message}`);
}

function refusal(message: string): RefusedError {
  return new RefusedError('PAWL_EXPRESSION_FAULT', message);
}
