import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/app/config.ts';
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

  it('takes paths of flags from the folder of the process, not from that of a file elsewhere', () => {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc', 'other.yaml'), 'functions: [a.mjs]\ndata: there\n');
    const config = loadConfig({ folder, file: 'etc/other.yaml', env: {}, flags: { data: 'here' } });
    expect(config.functions).toEqual([join(folder, 'etc', 'a.mjs')]);
    expect(config.dataDir).toBe(join(folder, 'here'));
  });

  it('refuses an unknown key, a number that is a word and a file that is not there, each naming its source', () => {
    write('leese: 3\n');
    expect(refusal(() => loadConfig({ folder, env: {} })).message).toMatch(/pawl\.config\.yaml.*leese/);
    rmSync(join(folder, 'pawl.config.yaml'));
    expect(refusal(() => loadConfig({ folder, env: { PAWL_LEASE_MS: 'soon' } })).message).toMatch(/PAWL_\*.*leaseMs/);
    expect(refusal(() => loadConfig({ folder, file: 'gone.yaml', env: {} })).message).toMatch(
      /gone\.yaml cannot be read/,
    );
  });

  it('refuses one key twice instead of taking the last', () => {
    write('leaseMs: 1500\nleaseMs: 3000\n');
    expect(refusal(() => loadConfig({ folder, env: {} })).code).toBe('PAWL_CONFIG_INVALID');
  });

  it('E05 refuses numbers under which a late heartbeat leaves no time to send', () => {
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
