import type { Json, JsonObject } from '../model/json.ts';
import {
  validateCatalogueFile,
  validateConfigFile,
  validateReceiptFile,
  validateScenarioFile,
  validateWorkflowFile,
} from './generated/file-validators.generated.ts';

/** One complaint of a generated validator, with the schema that complains and the value it complains of. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON pointer of the value. */
  readonly pointer: string;
  readonly params: JsonObject;
  /** The keyword's own value in the schema. */
  readonly rule: Json;
  /** The schema that holds the keyword, with the notes beside it. */
  readonly schema: JsonObject;
  readonly schemaPath: string;
  readonly data: Json;
  /** Set when it is about a map's key rather than its value. */
  readonly propertyName: string | null;
}

interface AjvError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly params: JsonObject;
  readonly schema: Json;
  readonly parentSchema: JsonObject;
  readonly data: Json;
  readonly propertyName?: string;
}

type Validator = ((value: Json) => boolean) & { errors?: readonly AjvError[] | null };

const VALIDATORS: Readonly<Record<'workflow' | 'catalogue' | 'config' | 'receipt' | 'scenario', Validator>> = {
  workflow: validateWorkflowFile,
  catalogue: validateCatalogueFile,
  config: validateConfigFile,
  receipt: validateReceiptFile,
  scenario: validateScenarioFile,
};

/** All complaints of a file's schema about a value; empty where it fits. The value is never changed. */
export function checkFile(kind: keyof typeof VALIDATORS, value: Json): readonly SchemaError[] {
  const validate = VALIDATORS[kind];
  validate(value);
  return (validate.errors ?? []).map((error) => ({
    keyword: error.keyword,
    pointer: error.instancePath,
    params: error.params,
    rule: error.schema,
    schema: error.parentSchema,
    schemaPath: error.schemaPath,
    data: error.data,
    propertyName: error.propertyName ?? null,
  }));
}
