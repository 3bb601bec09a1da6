import { describe, expect, it } from 'vitest';
import { createLinks, type LinksConfig } from '../../src/app/links.ts';
import type { RunId } from '../../src/model/ids.ts';
import { awaitLink } from '../../src/model/link.ts';
import type { Links } from '../../src/ports/links.ts';

const RUN = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' as RunId;
const NAME = awaitLink('payment', []);
const URL_OF_SERVER = 'https://pawl.example';
const NEW: LinksConfig = { url: URL_OF_SERVER, secret: 'new' };
const OLD: LinksConfig = { url: URL_OF_SERVER, secret: 'old' };
const ROTATING: LinksConfig = { ...NEW, previous: { secret: 'old', untilMs: 1_000 } };

const secrets = {
  read: (name: string): string | null => ({ new: 'the new secret', old: 'the old secret' })[name] ?? null,
  placeOf: (name: string): string => `PAWL_SECRET_${name.toUpperCase()}`,
};
const linksOf = (config: LinksConfig, tenant = 'default'): Links => createLinks({ config, secrets, tenant });

function tokenOf(links: Links, atMs = 0): string {
  const made = links.address(RUN, NAME, atMs);
  if (made.kind === 'missing') throw new Error(made.reason);
  return made.token;
}

describe('signed addresses', () => {
  it('lead to the wait that they were made for, and need no escaping anywhere', () => {
    const made = linksOf(NEW).address(RUN, NAME, 0);
    if (made.kind === 'missing') throw new Error(made.reason);
    expect(made.url).toBe(`${URL_OF_SERVER}/v1/links/${made.token}`);
    expect(encodeURIComponent(made.token)).toBe(made.token);
    expect(linksOf(NEW).read(made.token)).toEqual({ runId: RUN, name: NAME });
  });

  it('S30 are none once any one of their characters is another', () => {
    const links = linksOf(NEW);
    const token = tokenOf(links);
    for (const [at, char] of [...token].entries()) {
      for (const other of ['0', '1', 'A', 'B', '-', '.'])
        if (other !== char)
          expect(links.read(token.slice(0, at) + other + token.slice(at + 1)), `${at}${other}`).toBeNull();
      expect(links.read(token.slice(0, at))).toBeNull();
    }
    for (const more of [`${token}=`, ` ${token}`, `${token}\n`, '']) expect(links.read(more)).toBeNull();
  });

  it('S30 lead to no other run and no other wait by the same signature', () => {
    const links = linksOf(NEW);
    const [run = '', step = '', digest = '', signature = ''] = tokenOf(links).split('.');
    const other = '1'.repeat(32);
    for (const parts of [
      [other, step, digest],
      [run, 'receipt', digest],
      [run, step, other],
    ])
      expect(links.read([...parts, signature].join('.'))).toBeNull();
    expect(links.read([run, step, digest, signature].join('.'))).not.toBeNull();
  });

  it('S34 of another tenant are none', () => {
    expect(linksOf(NEW, 'another').read(tokenOf(linksOf(NEW)))).toBeNull();
  });

  it('S35 count by both secrets while both are named, and by no other', () => {
    const [old, fresh] = [tokenOf(linksOf(OLD)), tokenOf(linksOf(NEW))];
    for (const token of [old, fresh]) expect(linksOf(ROTATING).read(token)).toEqual({ runId: RUN, name: NAME });
    expect(linksOf(NEW).read(old)).toBeNull();
    expect(linksOf(OLD).read(fresh)).toBeNull();
  });

  it('E06 are the same again for what was first sent before another secret began to sign', () => {
    // E06: "resend with the same bytes while the key is remembered"
    const [old, fresh] = [tokenOf(linksOf(OLD)), tokenOf(linksOf(NEW))];
    expect(tokenOf(linksOf(ROTATING), 999)).toBe(old);
    expect(tokenOf(linksOf(ROTATING), 1_000)).toBe(fresh);
  });

  it('cannot be made or read without their secret, and say which is missing where', () => {
    const links = linksOf({ url: URL_OF_SERVER, secret: 'gone' });
    expect(links.address(RUN, NAME, 0)).toEqual({
      kind: 'missing',
      reason: expect.stringContaining(
        'the secret gone is missing here: links are signed with it, it is read from PAWL_SECRET_GONE',
      ),
    });
    expect(links.read(tokenOf(linksOf(NEW)))).toBeNull();
  });
});
