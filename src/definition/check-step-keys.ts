import { reservedNames } from './expression/names.ts';
import { STEP_KEYS } from './generated/step-keys.generated.ts';
import type { Finding } from './report-problem.ts';
import { childPointer } from './source-map.ts';
import { child, entriesOf, isObject, itemsOf, textOf, type YamlNode } from './yaml-node.ts';

/** Verbs whose steps may do without an id. */
const UNNAMED = ['set', 'choose', 'fail', 'end'];

function foreignKeys(step: YamlNode, verb: string): Finding[] {
  return entriesOf(step).flatMap(([key]) => {
    const verbs = STEP_KEYS[key]?.verbs ?? null;
    if (verbs === null || verbs.includes(verb)) return [];
    const owners = verbs.map((owner) => `\`${owner}\``).join(' or ');
    return [
      {
        code: 'PAWL-115' as const,
        pointer: childPointer(step.pointer, key),
        at: 'key' as const,
        message: `\`${key}\` belongs to ${owners}, and this step is a \`${verb}\``,
        help: 'take it out, or move it to the step it is meant for',
      },
    ];
  });
}

function idFindings(step: YamlNode, verb: string): Finding[] {
  const id = child(step, 'id');
  if (id === null && !UNNAMED.includes(verb)) {
    const message = `a step with \`${verb}\` needs an \`id\``;
    return [
      {
        code: 'PAWL-102',
        pointer: step.pointer,
        at: 'key',
        message,
        help: 'add `id:` with a name that is unique in the file',
      },
    ];
  }
  const name = textOf(id);
  // What is no identifier at all is told as that.
  if (id === null || name === null || !reservedNames.has(name) || !/^[a-z]/.test(name)) return [];
  const message = `\`${name}\` is a word of the expression language, so \`steps.${name}\` could not be read`;
  return [{ code: 'PAWL-113', pointer: id.pointer, message, help: `choose another id, for example ${name}Step` }];
}

/** A repeat says what it does again, and how it comes to its end: by one of two words. */
function repeatFindings(step: YamlNode, verb: string): Finding[] {
  if (verb !== 'repeat') return [];
  const lacks = (message: string, help: string): Finding => ({
    code: 'PAWL-102',
    pointer: step.pointer,
    at: 'key',
    message,
    help,
  });
  const until = child(step, 'until');
  const found: Finding[] = [];
  if (child(step, 'steps') === null) found.push(lacks('a step with `repeat` needs `steps`', 'add `steps:`'));
  if (until === null && child(step, 'while') === null)
    found.push(lacks('a step with `repeat` needs `while` or `until`', 'add `while:` or `until:`'));
  if (until !== null && child(step, 'while') !== null)
    found.push({
      code: 'PAWL-111',
      pointer: until.pointer,
      at: 'key',
      message: '`while` and `until` exclude each other',
      help: 'keep one of the two: `while` is asked before each turn, `until` after each',
    });
  return found;
}

/** A map says what it does with each item, and what tells one item from all others. */
function mapFindings(step: YamlNode, verb: string): Finding[] {
  if (verb !== 'map') return [];
  const lacks = (key: string, help: string): Finding[] =>
    child(step, key) === null
      ? [{ code: 'PAWL-102', pointer: step.pointer, at: 'key', message: `a step with \`map\` needs \`${key}\``, help }]
      : [];
  return [
    ...lacks('steps', 'add `steps:`'),
    ...lacks(
      'key',
      'add `key:` with a text that each item has alone, for example `key: item.id`: it is part of the effect keys',
    ),
  ];
}

/** A join says how many; what it cannot say yet is told. */
function parallelFindings(step: YamlNode, verb: string): Finding[] {
  if (verb !== 'parallel' && verb !== 'map') return [];
  const join = child(step, 'join');
  const found: Finding[] = [];
  if (join !== null && isObject(join.value) && Object.keys(join.value).length === 0) {
    const message = 'a join that is a map needs `count`';
    found.push({ code: 'PAWL-102', pointer: join.pointer, message, help: 'write `{ count: 2 }`, `all` or `any`' });
  }
  return found;
}

function elseFindings(branches: readonly YamlNode[]): Finding[] {
  return branches.slice(0, -1).flatMap((branch) => {
    if (child(branch, 'else') === null) return [];
    const pointer = childPointer(branch.pointer, 'else');
    return [
      {
        code: 'PAWL-120' as const,
        pointer,
        at: 'key' as const,
        message: '`else` is taken whenever it is reached: the branches after it never are',
        help: 'move it to the end of the list',
      },
    ];
  });
}

function checkStep(step: YamlNode): Finding[] {
  if (!isObject(step.value)) return [];
  const verbs = Object.keys(step.value).filter((key) => STEP_KEYS[key]?.isVerb === true);
  const [verb] = verbs;
  const branches = itemsOf(child(step, 'choose'));
  const inner = [
    ...branches.flatMap((branch) => [child(branch, 'steps'), child(branch, 'else')]),
    ...entriesOf(child(step, 'parallel')).map(([, list]) => list),
    child(step, 'scope'),
    child(step, 'steps'),
    ...itemsOf(child(step, 'catch')).map((clause) => child(clause, 'do')),
  ];
  const own =
    verb === undefined || verbs.length > 1
      ? []
      : [
          ...foreignKeys(step, verb),
          ...idFindings(step, verb),
          ...repeatFindings(step, verb),
          ...mapFindings(step, verb),
          ...parallelFindings(step, verb),
        ];
  return [...own, ...elseFindings(branches), ...inner.flatMap((list) => checkStepKeys(list))];
}

/** What a step may say depends on its verb: options of other verbs, missing and reserved ids, branches after `else`. */
export function checkStepKeys(list: YamlNode | null): readonly Finding[] {
  return itemsOf(list).flatMap((step) => checkStep(step));
}
