import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../src/api/routes.ts';
import { API_ROLES, RIGHTS_OF } from '../../src/model/api-key.ts';
import { createClient } from '../../src/client/index.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { injectFetch } from '../client/support/inject-fetch.ts';
import { connect, payOut, stop } from './support/client-guide.ts';
import { blocksOf, curlsOf, followCurl } from './support/curl-guide.ts';

const page = readFileSync(new URL('../../docs/guides/api.md', import.meta.url), 'utf8');

const COMMANDS = curlsOf(page);
const [YAML = ''] = blocksOf(page, 'yaml');

let house: ApiHouse;
/** What stands for `$NAME`. */
const values: Record<string, string> = { URL: '' };
beforeAll(async () => {
  house = await openApiHouse();
  values['ANA'] = await house.key(['operator', 'author'], { principal: 'ana' });
  values['KAI'] = await house.key(['approver'], { principal: 'kai' });
});
afterAll(() => house.close());

describe('docs/guides/api.md', () => {
  it('every command does what the page says, one after the other', async () => {
    expect(COMMANDS.length).toBeGreaterThan(14);
    const files = { 'payout.pawl.yaml': YAML };
    for (const line of COMMANDS) await followCurl({ house, values, files, address: '', readers: [] }, line);
  });

  it('its program does what it says, as it stands there', async () => {
    const program = readFileSync(new URL('support/client-guide.ts', import.meta.url), 'utf8');
    expect(blocksOf(page, 'ts')).toEqual([program.replace("'../../../src/client/index.ts'", "'pawl/client'")]);
    const key = values['ANA'] ?? '';
    const pawl = createClient({ url: 'http://inside', key, fetch: injectFetch(house.server) });
    const run = await payOut(pawl, 'P-3', 12);
    expect(await payOut(pawl, 'P-3', 12)).toBe(run);
    expect(await stop(pawl, run, 'wrong amount')).toBe(true);
    expect((await pawl.showRun({ params: { run } })).data.status).toBe('TERMINATED');
    await expect(stop(pawl, run, 'again')).rejects.toMatchObject({ code: 'PAWL_EVENT_REFUSED' });
    expect(Object.keys(connect('https://pawl.example', key))).toContain('startRun');
  });

  it('has a row for each route, with its right', () => {
    const rows = page.split('\n').filter((line) => /^\| `(?:GET|POST|DELETE) /.test(line));
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
