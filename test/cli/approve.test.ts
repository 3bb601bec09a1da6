import { tmpdir } from 'node:os';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { Backend } from '../../src/cli/backend.ts';
import { createCliContext } from '../../src/cli/cli-context.ts';
import { addApprove } from '../../src/cli/commands/approve.ts';

type Shown = Awaited<ReturnType<Backend['show']>>;
type Ask = Parameters<Backend['vote']>[1];

const HASH = 'a'.repeat(64);
const asked = (id: string, state: string): object => ({
  id,
  step: id.replace(/\..*/, ''),
  state,
  title: `Pay ${id}?`,
  subject: { subject: { order: id }, effects: [] },
  subjectHash: HASH,
  quorum: 1,
  from: ['role:desk'],
});

/** Votes, where a look shows these approvals. @returns what was voted, and what was printed. */
async function voted(approvals: readonly object[], args: readonly string[], status = 'WAITING') {
  const votes: Ask[] = [];
  let text = '';
  const stream = { write: (more: string) => (text += more) };
  const host = { env: {}, folder: tmpdir(), stdout: stream, stderr: stream, terminal: null };
  const unsaid = { server: undefined, keyFile: undefined, data: undefined, config: undefined, by: undefined };
  const context = createCliContext(
    { ...host, stopped: new AbortController().signal, readInput: () => Promise.resolve('') },
    { ...unsaid, verb: 'approve', output: 'table', color: false },
  );
  const backend = {
    show: () => Promise.resolve({ approvals, status } as unknown as Shown),
    principal: () => ({ name: 'ana', roles: ['desk'] }),
    vote: (_run: string, ask: Ask) => {
      votes.push(ask);
      return Promise.resolve({ outcome: 'applied', code: null, detail: null, source: 's', eventId: 'e', again: false });
    },
  } as unknown as Backend;
  const program = new Command();
  addApprove(
    program,
    (act) =>
      (...given) =>
        act({ ...context, withBackend: (use) => use(backend) }, ...given),
  );
  const failed = await program.parseAsync(['approve', 'r1', ...args], { from: 'user' }).then(
    () => null,
    (error: unknown) => String(error),
  );
  return { votes: votes.map(({ approval, subjectHash }) => [approval, subjectHash]), text, failed };
}

describe('approve', () => {
  it('A04 a vote carries the hash that was shown, and without a look at a question fits none that opens meanwhile', async () => {
    // A04: "A vote carries the hash it saw; another hash: 409 stale."
    expect(await voted([asked('pay', 'open')], ['--yes'])).toMatchObject({ votes: [['pay', HASH]] });
    const nothing = '0'.repeat(64);
    expect((await voted([], ['pay'])).votes).toEqual([['pay', nothing]]);
    expect((await voted([asked('hold', 'approved')], ['pay'])).votes).toEqual([['pay', nothing]]);
    expect((await voted([], [])).votes).toEqual([[null, nothing]]);
    expect((await voted([asked('a', 'approved'), asked('b', 'denied')], [])).votes).toEqual([[null, nothing]]);
    expect((await voted([], ['pay', '--subject', HASH])).votes).toEqual([['pay', HASH]]);
  });

  it('A04 shows and asks about what may be asked again before the vote arrives', async () => {
    // A04: "shown as its subject, and its hash is what people approve"
    for (const state of ['held', 'cancelled']) {
      const unseen = await voted([asked('pay', state)], []);
      expect([unseen.votes, unseen.failed]).toEqual([[], expect.stringContaining('add --yes')]);
      const seen = await voted([asked('pay', state)], ['--yes']);
      expect([seen.votes, seen.text]).toEqual([[['pay', HASH]], expect.stringContaining('  order: pay\n')]);
    }
  });

  it('A05 asks nobody to agree to what is decided for good, and is told the decision by its hash', async () => {
    // A05: "The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    for (const state of ['approved', 'denied', 'expired'])
      expect((await voted([asked('pay.0', 'denied'), asked('pay.1', state)], ['pay'])).votes).toEqual([
        ['pay.1', HASH],
      ]);
    expect((await voted([asked('pay', 'cancelled')], [], 'FAILED')).votes).toEqual([['pay', HASH]]);
    expect(await voted([asked('a', 'open'), asked('b', 'open')], [])).toMatchObject({
      votes: [],
      failed: expect.stringContaining('2 approvals are open: name one of a, b') as string,
    });
  });
});
