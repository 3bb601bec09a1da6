import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/api/routes.ts';
import { API_ROLES, RIGHTS_OF } from '../../src/model/api-key.ts';
import { type ApiHouse, openApiHouse, type Told } from '../api/support/api-house.ts';

const page = readFileSync(new URL('../../docs/guides/api.md', import.meta.url), 'utf8');

/** Blocks of a language. */
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

/** The words of a command as a shell sees them, for what this page uses: quotes that touch make one word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
    ),
  );
}

const COMMANDS = blocks('sh').flatMap((block) => block.trim().split('\n'));
const [YAML = ''] = blocks('yaml');

let house: ApiHouse;
/** What stands for `$NAME`. */
const values: Record<string, string> = { URL: '' };
beforeAll(async () => {
  house = await openApiHouse();
  values['ANA'] = await house.key(['operator', 'author'], { principal: 'ana' });
  values['KAI'] = await house.key(['approver'], { principal: 'kai' });
});
afterAll(() => house.close());

/** Does what a line of curl would do. */
async function curl(line: string): Promise<{ readonly told: Told; readonly status: number }> {
  const [command = '', status = ''] = line.split(' # ');
  const fill = (word: string): string =>
    word.replaceAll(/\$([A-Z]+)/g, (_, name: string) => values[name] ?? `no ${name}`);
  const [program, ...words] = wordsOf(command).map(fill);
  expect(program).toBe('curl');
  const headers: Record<string, string> = {};
  let [method, url, text]: [string, string, string | undefined] = ['GET', '', undefined];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-X') method = next;
    else if (word === '-H') headers[next.slice(0, next.indexOf(':')).toLowerCase()] = next.slice(next.indexOf(':') + 2);
    else if (word === '--data') text = next;
    else if (word === '--data-binary') text = next === '@payout.pawl.yaml' ? YAML : next;
    else {
      url = word;
      continue;
    }
    at += 1;
  }
  const told = await house.call(method, url, { as: null, headers, ...(text === undefined ? {} : { text }) });
  return { told, status: Number(status) };
}

/** What a reader takes from an answer for the next command. */
function keep(told: Told): void {
  if (told.headers['etag'] !== undefined) values['ETAG'] = String(told.headers['etag']);
  const body = told.json<{ planHash?: string; approvals?: readonly { subjectHash: string }[] }>();
  if (body.planHash !== undefined) values['PLAN'] = body.planHash;
  const hash = body.approvals?.[0]?.subjectHash;
  if (hash !== undefined) values['HASH'] = hash;
}

describe('docs/guides/api.md', () => {
  it('every command does what the page says, one after the other', async () => {
    expect(COMMANDS.length).toBeGreaterThan(14);
    for (const line of COMMANDS) {
      const { told, status } = await curl(line);
      expect([line, told.status, told.text]).toEqual([line, status, told.text]);
      keep(told);
    }
  });

  it('has a row for each route, with its right', () => {
    const rows = page.split('\n').filter((line) => /^\| `(?:GET|POST) /.test(line));
    const written = rows.flatMap((row) => {
      const [, paths = '', right = '', more = ''] = row.split('|').map((cell) => cell.trim());
      const [method = ''] = paths.replaceAll('`', '').split(' ');
      const below = [...more.matchAll(/`(\/\w+)/g)].map(([, end = '']) => `${paths.match(/`\w+ ([^`]+)`/)?.[1]}${end}`);
      const named = [...paths.matchAll(/(\/[^`,]+)`/g)].map(([, path]) => path);
      return [...named, ...below].map((path) => `${method} ${path} ${right.replaceAll('`', '')}`.trim());
    });
    const known = ROUTES.map(({ method, path, right }) => `${method} ${path} ${right ?? ''}`.trim());
    expect([...written].sort()).toEqual([...known].sort());
  });

  it('docs/reference/security.md names only tests that are there, and each carries the id', () => {
    const security = readFileSync(new URL('../../docs/reference/security.md', import.meta.url), 'utf8');
    const rows = security.split('\n').filter((line) => /^\| S\d/.test(line));
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows) {
      const [id = '', , , shown = ''] = row.slice(2).split(' | ');
      for (const [, path = '', also] of shown.matchAll(/`(test\/[^`]+)`(?: \((\w+)\))?/g)) {
        const place = new URL(`../../${path}`, import.meta.url);
        expect(existsSync(place), `${id} ${path}`).toBe(true);
        if (/^test\/(?:api|app|cli|model)\//.test(path))
          expect(readFileSync(place, 'utf8'), `${id} ${path}`).toContain(also ?? id);
      }
    }
  });

  it('has a row for each role, with its rights', () => {
    const rights = new Map(
      page
        .split('\n')
        .filter((line) => /^\| `\w+` \|/.test(line))
        .map((line) => {
          const [, role = '', cell = ''] = line.split('|');
          return [role.replaceAll('`', '').trim(), [...cell.matchAll(/`([a-z]+:[a-z]+)`/g)].map(([, right]) => right)];
        }),
    );
    expect([...rights.keys()]).toEqual([...API_ROLES]);
    expect(rights.get('viewer')).toEqual(RIGHTS_OF.viewer);
    const beyond = (role: 'operator' | 'approver' | 'author'): readonly string[] =>
      RIGHTS_OF[role].filter((right) => !RIGHTS_OF.viewer.includes(right));
    for (const role of ['operator', 'approver', 'author'] as const) expect(rights.get(role)).toEqual(beyond(role));
  });
});
