import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigFileError, loadConfig } from '../../src/app/config.ts';
import { resolvePrincipal } from '../../src/app/principal.ts';
import { RefusedError } from '../../src/model/errors.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (text: string): void => writeFileSync(join(folder, 'pawl.config.yaml'), text);

function refusal(load: () => unknown): RefusedError {
  try {
    load();
  } catch (error) {
    if (error instanceof RefusedError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('configuration', () => {
  it('has a default for everything, with the numbers derived from a lease of 30 s', () => {
    const config = loadConfig({ folder, env: {} });
    expect(config).toEqual({
      databaseUrl: null,
      dataDir: join(folder, '.pawl'),
      catalogues: [],
      functions: [],
      principals: {},
      numbers: {
        leaseMs: 30_000,
        heartbeatMs: 5_000,
        sendMarginMs: 2_000,
        sendWithinMs: 5_000,
        statementTimeoutMs: 5_000,
        lockTimeoutMs: 1_000,
        heldRunsMax: 500,
      },
    });
  });

  it('reads the file of its folder, with paths from there', () => {
    write('data: ./state\nfunctions: [./effects.mjs]\nprincipals: { ana: [operator, approver] }\nleaseMs: 1500\n');
    const config = loadConfig({ folder, env: {} });
    expect(config.dataDir).toBe(join(folder, 'state'));
    expect(config.functions).toEqual([join(folder, 'effects.mjs')]);
    expect(config.principals).toEqual({ ana: ['operator', 'approver'] });
    expect(config.numbers).toMatchObject({ leaseMs: 1_500, heartbeatMs: 250, sendMarginMs: 100, sendWithinMs: 250 });
  });

  it('reads where links lead and what signs them, and until when another secret signed', () => {
    write("links: { url: 'https://x.example/pawl', secret: linkKey }\n");
    expect(loadConfig({ folder, env: {} }).links).toEqual({ url: 'https://x.example/pawl', secret: 'linkKey' });
    const previous = "previous: { secret: oldKey, until: '2026-12-01T12:00:00Z' }";
    write(`links: { url: 'https://x.example', secret: linkKey, ${previous} }\n`);
    expect(loadConfig({ folder, env: {} }).links?.previous).toEqual({
      secret: 'oldKey',
      untilMs: Date.UTC(2026, 11, 1, 12),
    });
    for (const wrong of ['https://x.example/', 'ftp://x.example', 'https://x.example?a=b', 'x.example']) {
      write(`links: { url: '${wrong}', secret: linkKey }\n`);
      expect(refusal(() => loadConfig({ folder, env: {} })).message).toContain('an address without a slash at its end');
    }
  });

  it('lets the environment win over the file, and flags over both', () => {
    write('leaseMs: 1500\nheldRunsMax: 10\ndatabase: postgres://file/db\n');
    const env = { PAWL_HELD_RUNS_MAX: '20', DATABASE_URL: 'postgres://env/db', PAWL_LEASE_MS: '3000' };
    expect(loadConfig({ folder, env })).toMatchObject({
      databaseUrl: 'postgres://env/db',
      numbers: { heldRunsMax: 20, leaseMs: 3_000 },
    });
    expect(loadConfig({ folder, env, flags: { heldRunsMax: 30, database: 'postgres://flag/db' } })).toMatchObject({
      databaseUrl: 'postgres://flag/db',
      numbers: { heldRunsMax: 30, leaseMs: 3_000 },
    });
  });

  it('E13 carries out no statement unless the file names their role', () => {
    // E13: "Off by default"
    expect(loadConfig({ folder, env: {} }).sql).toBeUndefined();
    writeFileSync(join(folder, 'pawl.config.yaml'), 'sql: { role: shop_statements }\n');
    expect(loadConfig({ folder, env: {} }).sql).toEqual({ role: 'shop_statements' });
  });

  it('takes paths of flags from the folder of the process, not from that of a file elsewhere', () => {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'other.yaml'), 'functions: [a.mjs]\ndata: there\n');
    const config = loadConfig({ folder, file: 'etc/other.yaml', env: {}, flags: { data: 'here' } });
    expect(config.functions).toEqual([join(folder, 'etc', 'a.mjs')]);
    expect(config.dataDir).toBe(join(folder, 'here'));
  });

  it('refuses an unknown key, a number that is a word and a file that is not there, each naming its source', () => {
    write('leese: 3\n');
    expect(refusal(() => loadConfig({ folder, env: {} })).message).toMatch(/pawl\.config\.yaml:1:1 .*leese/);
    rmSync(join(folder, 'pawl.config.yaml'));
    const env = { PAWL_LEASE_MS: 'soon' };
    expect(refusal(() => loadConfig({ folder, env })).message).toBe(
      'the environment (PAWL_LEASE_MS): `leaseMs` must be a whole number (found text): write it in digits, for example 2',
    );
    expect(refusal(() => loadConfig({ folder, env: { DATABASE_URL: 'mysql://x' } })).message).toMatch(
      /^the environment \(PAWL_DATABASE or DATABASE_URL\): `database` must be an address such as postgres:/,
    );
    expect(refusal(() => loadConfig({ folder, env: { PAWL_LEASE_MS: '-3' } })).message).toBe(
      'the environment (PAWL_LEASE_MS): `leaseMs` must be at least 300 (found -3): write 300 or more',
    );
    expect(refusal(() => loadConfig({ folder, env: {}, flags: { leaseMs: 1 } })).message).toBe(
      'the flags: `leaseMs` must be at least 300 (found 1): write 300 or more',
    );
    expect(refusal(() => loadConfig({ folder, file: 'gone.yaml', env: {} })).message).toMatch(
      /gone\.yaml cannot be read/,
    );
  });

  it.each([
    [
      'a misspelled key',
      'data: x\nleeseMs: 3\n',
      '2:1 the configuration has no key `leeseMs`: did you mean `leaseMs`?',
    ],
    [
      'a key like none',
      'data: x\n# 日本\nzzzzzz: 3\n',
      '3:1 the configuration has no key `zzzzzz`: the keys here are database, functions, catalogues, principals, publish, links, sql, leaseMs, heartbeatMs, sendMarginMs, sendWithinMs, statementTimeoutMs, lockTimeoutMs, heldRunsMax',
    ],
    [
      'a number in words',
      'leaseMs: long\n',
      '1:10 `leaseMs` must be a whole number (found text): write it in digits, for example 2',
    ],
    ['a text for a list', 'data: x\r\nprincipals: { ana: operator }\r\n', '2:20 `ana` must be a list (found text)'],
    [
      'a key twice',
      'leaseMs: 1500\nleaseMs: 3000\n',
      '2:1 the key `leaseMs` is there twice; the first is at line 1, column 1: keep one',
    ],
    ['a tab', 'principals:\n\tana: [operator]\n', '2:1 a tab in the indentation: indent with blanks'],
    ['a list', '- a\n', '1:1 the file must be a map (found a list)'],
  ])('tells of the file its line and column, what is wrong and the mend: %s', (_what, text, message) => {
    write(text);
    const error = refusal(() => loadConfig({ folder, env: {} }));
    expect(error).toBeInstanceOf(ConfigFileError);
    expect(error.message).toContain(`${join(folder, 'pawl.config.yaml')}:${message}`);
    expect(error).toMatchObject({ text, problems: [{ severity: 'error', file: join(folder, 'pawl.config.yaml') }] });
  });

  it.each(['', '# nothing yet\n', '\ufeff\r\n'])('takes a file without settings: %j', (text) => {
    write(text);
    expect(loadConfig({ folder, env: {} }).numbers.leaseMs).toBe(30_000);
  });

  it('refuses one key twice instead of taking the last', () => {
    write('leaseMs: 1500\nleaseMs: 3000\n');
    expect(refusal(() => loadConfig({ folder, env: {} })).code).toBe('PAWL_CONFIG_INVALID');
  });

  it('E05 refuses numbers under which a late heartbeat leaves no time to send', () => {
    // E05: "An action's timeout may be longer than the lease: the heartbeat carries it."
    write('leaseMs: 1000\nsendMarginMs: 300\nheartbeatMs: 200\n');
    expect(refusal(() => loadConfig({ folder, env: {} })).message).toMatch(/must be less than half of leaseMs/);
    write('leaseMs: 1000\nsendMarginMs: 300\nheartbeatMs: 199\n');
    expect(loadConfig({ folder, env: {} }).numbers.sendMarginMs).toBe(300);
  });
});

describe('principal', () => {
  const config = { principals: { ana: ['operator'] } };

  it('is --by, else PAWL_AS, else the OS user, with the roles that principals gives the name', () => {
    expect(resolvePrincipal(config, { PAWL_AS: 'kai' }, 'ana')).toEqual({
      name: 'ana',
      roles: ['operator'],
      authentication: 'local',
    });
    expect(resolvePrincipal(config, { PAWL_AS: 'ana' }, null).roles).toEqual(['operator']);
    expect(resolvePrincipal(config, {}, null).name).not.toBe('');
  });

  it('gives no roles to a name that principals does not list, nor to names that every object has', () => {
    expect(resolvePrincipal(config, {}, 'bob').roles).toEqual([]);
    expect(resolvePrincipal(config, {}, 'constructor').roles).toEqual([]);
  });

  it('refuses what is no name', () => {
    for (const name of ['a b', 'role:operator', '', 'x'.repeat(129)]) {
      expect(refusal(() => resolvePrincipal(config, {}, name)).code).toBe('PAWL_CONFIG_INVALID');
    }
  });
});
