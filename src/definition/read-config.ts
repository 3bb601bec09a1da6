import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { explainSchema } from './explain-schema.ts';
import type { ConfigFile } from './generated/config-file.generated.ts';
import { readYamlFile } from './read-yaml-file.ts';
import { sortProblems, toProblem } from './report-problem.ts';
import { isInside } from './source-map.ts';

/** The settings of a file, or what is wrong with it. */
export type ConfigReading =
  | { readonly ok: true; readonly config: ConfigFile }
  | { readonly ok: false; readonly problems: readonly [Problem, ...Problem[]] };

/**
 * Reads a configuration file by its schema, with the same YAML and the same words as a workflow; a file without any
 * setting is one. Never throws.
 * @param file the name that problems carry.
 */
export function readConfig(text: string, file: string): ConfigReading {
  const yaml = readYamlFile(text, file);
  if (yaml.problems.every(({ code }) => code === 'PAWL-021') && yaml.value === undefined)
    return { ok: true, config: {} };
  const misfits = yaml.value === undefined ? [] : explainSchema('config', yaml.value);
  const own = misfits.filter(({ pointer }) => !isInside(pointer, yaml.suspect));
  const errors = yaml.problems.filter(({ severity }) => severity === 'error');
  const [first, ...more] = sortProblems([...errors, ...own.map((finding) => toProblem(yaml.map, finding))]);
  if (first !== undefined) return { ok: false, problems: [first, ...more] };
  return { ok: true, config: yaml.value as ConfigFile };
}

/** What the configuration's schema says against settings that come from elsewhere: the key, and the words. */
export function explainConfig(value: Json): readonly { readonly key: string; readonly words: string }[] {
  return explainSchema('config', value).map(({ pointer, message, help }) => ({
    key: pointer.split('/')[1] ?? '',
    words: `${message}: ${help}`,
  }));
}
