import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { validateCatalogue } from '../../src/definition/catalogue.ts';
import type { Shelf } from '../../src/definition/embed-catalogues.ts';
import type { ProblemCode } from '../../src/definition/problem-codes.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { Problem } from '../../src/model/problem.ts';
import { readTestFile } from '../../src/testing/scenario/test-file.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

function filesOf(folder: string, end: string): readonly string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => `${folder}/${name}`)
    .sort();
}

interface Block {
  /** Page and line where it begins. */
  readonly place: string;
  /** What is written behind `yaml`: the part that a fragment is of. */
  readonly mark: string;
  readonly text: string;
}

/** Every YAML block of the pages. */
const BLOCKS: readonly Block[] = ['README.md', 'CONTRIBUTING.md', ...filesOf('docs', '.md')].flatMap((page) => {
  const text = read(page);
  return [...text.matchAll(/^```ya?ml *(.*)\n([\s\S]*?)^```$/gm)].map((match) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length + 1}`,
    mark: match[1] ?? '',
    text: match[2] ?? '',
  }));
});

/** A whole file says by itself what it is. */
function kindOf({ mark, text }: Block): string {
  if (mark !== '') return mark;
  if (/^catalogue:/m.test(text)) return 'catalogue';
  return /^pawl:/m.test(text) ? 'workflow' : /^scenarios:/m.test(text) ? 'test' : 'unmarked';
}

const HEAD = 'pawl: 1\nworkflow: fragment\nversion: 1\n';
const STEPS = 'steps:\n  - { end: done }\n';
const under = (key: string, text: string): string => `${key}:\n${text.replace(/^(?=.)/gm, '  ')}`;

/** The file that a fragment is a part of: what is not shown of it is missing. */
const WHOLE: Readonly<Record<string, (text: string) => string>> = {
  document: (text) => `${HEAD}${text}${STEPS}`,
  actions: (text) => `${HEAD}${under('actions', text)}${STEPS}`,
  steps: (text) => `${HEAD}${under('steps', text)}`,
};

/** A fragment may name what is declared where it is not shown: steps, events, vars, actions, secrets. */
const NAMES: ReadonlySet<string> = new Set<ProblemCode>([
  'PAWL-202',
  'PAWL-209',
  'PAWL-210',
  'PAWL-211',
  'PAWL-212',
  'PAWL-301',
  'PAWL-306',
  'PAWL-403',
  'PAWL-704',
]);

function errorsOf(problems: readonly Problem[]): readonly string[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ code, message, range }) => `line ${range.line} ${code} ${message}`);
}

/** The catalogues that pages show: a workflow on a page may use them. */
const SHOWN: Shelf = () => filesOf('docs/guides/files', '.catalogue.yaml').map((file) => ({ file, text: read(file) }));

/** What is wrong with a block; null where nobody knows what it is. */
function judge(block: Block): readonly string[] | null {
  const { text } = block;
  const kind = kindOf(block);
  if (kind === 'workflow') return errorsOf(validateWorkflow(text, '', SHOWN).problems);
  if (kind === 'catalogue') return errorsOf(validateCatalogue(text, '').problems);
  if (kind === 'test') {
    const reading = readTestFile(text, '');
    return reading.ok ? [] : errorsOf(reading.problems);
  }
  const whole = WHOLE[kind];
  if (whole === undefined) return null;
  const { problems } = validateWorkflow(whole(text), '');
  return errorsOf(problems.filter(({ code }) => !NAMES.has(code)));
}

/** A scenario of the crash lab means something only beside its workflow: the test of this page plays it. */
const isPlayed = ({ place, mark }: Block): boolean =>
  mark === 'crashtest' && place.startsWith('docs/guides/crashtest.md');

describe('YAML that we show', () => {
  it('is there at all, whole and in fragments', () => {
    expect(new Set(BLOCKS.map(kindOf))).toEqual(
      new Set(['workflow', 'catalogue', 'test', 'document', 'actions', 'steps', 'crashtest']),
    );
  });

  it.each(BLOCKS.filter((block) => !isPlayed(block)))('$place has no error', (block) => {
    expect(judge(block)).toEqual([]);
  });

  it.each([
    ['an unknown key', 'steps', '- { id: a, wiat: 1m }\n'],
    ['an expression that is no CEL', 'steps', '- { id: a, wait: 1m, when: a = b }\n'],
    ['a wrong duration', 'document', 'timeout: 5 minutes\n'],
    ['a missing key', 'actions', 'a.b: { http: { method: POST } }\n'],
    ['another kind of file', '', 'scenarios: []\n'],
  ])('%s would be found', (_, mark, text) => {
    expect(judge({ place: '', mark, text })).not.toEqual([]);
  });

  it('of which nobody says what it is would be found', () => {
    expect(judge({ place: '', mark: '', text: 'steps: []\n' })).toBe(null);
    expect(judge({ place: '', mark: 'stpes', text: '- { end: done }\n' })).toBe(null);
  });

  it.each(filesOf('workflows', '.pawl.yaml'))('%s has neither error nor warning', (file) => {
    expect(validateWorkflow(read(file), file).problems).toEqual([]);
  });

  it('the first workflow of the guide is the one of the README', () => {
    const of = (page: string): string | undefined => BLOCKS.find(({ place }) => place.startsWith(page))?.text;
    expect(of('docs/guides/first-run.md')).toBe(of('README.md'));
  });
});
