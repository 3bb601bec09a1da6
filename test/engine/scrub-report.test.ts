import { describe, expect, it } from 'vitest';
import { scrubReport } from '../../src/engine/scrub-report.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';

const SECRET = 'tok&en"4711/ä';
const ANSWER: AttemptReport = {
  kind: 'answered',
  status: 200,
  headers: { 'x-echo': `Bearer ${SECRET}` },
  body: { auth: SECRET, list: [`a ${SECRET}`, 7, null, true], [SECRET]: 1 },
  bodyBytes: Buffer.from(JSON.stringify({ auth: SECRET })),
  unreadable: null,
};

describe('P12 what a provider tells back', () => {
  it('P12 is freed of the secret in headers, body, keys and bytes', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const clean = scrubReport(ANSWER, [SECRET]);
    expect(clean).toMatchObject({
      headers: { 'x-echo': 'Bearer [secret]' },
      body: { auth: '[secret]', list: ['a [secret]', 7, null, true], '[secret]': 1 },
    });
    expect(clean.kind === 'answered' && Buffer.from(clean.bodyBytes).toString()).toBe('{"auth":"[secret]"}');
  });

  it.each([
    ['a URL', encodeURIComponent(SECRET)],
    ['a form', new URLSearchParams([['', SECRET]]).toString().slice(1)],
    ['JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['base 64', Buffer.from(SECRET).toString('base64')],
    ['base 64 inside of more', Buffer.from(`u:${SECRET}`).toString('base64')],
    ['base 64 of URLs', Buffer.from(`user:${SECRET}`).toString('base64url')],
  ])('P12 is freed of it as in %s', (_, form) => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const clean = scrubReport({ kind: 'broken', byteWritten: true, reason: `<${form}>` }, [SECRET]);
    expect(clean.kind === 'broken' && clean.reason).toContain('[secret]');
  });

  it('P12 is freed of it in what cannot be read, what a function declares, and what was not sent', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const unreadable = scrubReport({ ...ANSWER, body: undefined, unreadable: `near ${SECRET}` }, [SECRET]);
    expect(unreadable).toMatchObject({ body: undefined, unreadable: 'near [secret]' });
    const declared = { kind: 'declared', outcome: 'rejected', afterMs: null } as const;
    expect(scrubReport({ ...declared, code: SECRET, data: SECRET }, [SECRET])).toMatchObject({
      code: '[secret]',
      data: '[secret]',
    });
    expect(scrubReport({ ...declared, code: null, data: 1 }, [SECRET])).toMatchObject({ code: null, data: 1 });
    expect(scrubReport({ kind: 'unsent', reason: SECRET }, [SECRET])).toEqual({ kind: 'unsent', reason: '[secret]' });
  });

  it('is given as it came where it holds none, bytes and all, or where the secret is too short to be looked for', () => {
    const clean = scrubReport(ANSWER, ['another-secret']);
    expect(clean).toEqual(ANSWER);
    expect(clean.kind === 'answered' && ANSWER.kind === 'answered' && clean.bodyBytes === ANSWER.bodyBytes).toBe(true);
    expect(scrubReport(ANSWER, ['tok&e'])).toBe(ANSWER);
  });
});
