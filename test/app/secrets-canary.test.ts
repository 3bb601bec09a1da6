import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from '../cli/support/command-line.ts';
import { workflow } from '../cli/support/workflows.ts';
import { LINK_TOKEN } from '../../src/model/link.ts';
import { formsOf } from '../support/canary.ts';
import { runSql } from '../support/postgres.ts';

/** Secrets that would be seen anywhere; with signs that URLs and base64 write otherwise. */
const CANARIES = {
  PAWL_SECRET_SHOP_TOKEN: 'cana/ry+7f3a=&42',
  PAWL_SECRET_HEADER_KEY: 'kanarie?9c1d #8',
};
/** What signs addresses; it goes out to nobody. */
const LINK_KEY = { PAWL_SECRET_LINK_KEY: 'canari~5e2b/&=11' };

const FORMS = Object.values({ ...CANARIES, ...LINK_KEY }).flatMap(formsOf);
const found = (text: string, forms = FORMS): readonly string[] => forms.filter((form) => text.includes(form));

/** A provider that tells everything it was sent to whoever asked, in every kind of answer. */
async function echoing(): Promise<{ readonly server: Server; readonly url: string; readonly heard: () => string }> {
  const heard: string[] = [];
  const told = (request: IncomingMessage): string => JSON.stringify(request.headers);
  const server = createServer((request, response) => {
    heard.push(told(request));
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  const answer = (request: IncomingMessage, response: ServerResponse, sent: string): void => {
    heard.push(sent);
    const path = request.url ?? '';
    const auth = request.headers.authorization ?? '';
    // As it is, and as a trace id of some gateways: base 64 with something before it.
    const body = {
      id: 'e-1',
      error: `denied: ${auth}`,
      trace: Buffer.from(auth).toString('base64'),
      headers: request.headers,
      sent,
    };
    const status = { '/declined': 402, '/broken': 500, '/html': 200, '/ok': 200 }[path] ?? 404;
    response.writeHead(status, {
      'content-type': path === '/html' ? 'text/html' : 'application/json',
      'x-echo': encodeURIComponent(told(request)),
    });
    response.end(path === '/html' ? `<h1>${told(request)}</h1>` : JSON.stringify(body));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard.join('\n') };
}

let shell: CommandLine;
let echo: Awaited<ReturnType<typeof echoing>>;
const shown: string[] = [];
beforeAll(async () => {
  shell = await openCommandLine();
  echo = await echoing();
});
afterAll(async () => {
  echo.server.close();
  echo.server.closeAllConnections();
  await shell.close();
});

const call = async (args: readonly string[]): Promise<number> => {
  const { code, out, err } = await shell.call(args, {
    env: { ...CANARIES, ...LINK_KEY, PAWL_SEND_WITHIN_MS: '1500' },
  });
  shown.push(`${out}${err}`);
  return code;
};

/** One call to the echoing provider with both secrets, undone by a second. */
const saga = (path: string, url: string): string =>
  workflow(path, [
    'secrets: [shopToken, headerKey]',
    'events: { told: {} }',
    'actions:',
    '  shop.act:',
    `    http: { method: POST, url: '${url}/${path}', headers: { X-Key: '=secrets.headerKey' } }`,
    '    auth: { bearer: =secrets.shopToken }',
    '    idempotency: { header: Idempotency-Key, remembers: 24h }',
    '    timeout: 1s',
    '    settlesWithin: 1s',
    '    retry: { attempts: 2, delay: 10ms }',
    '    output: { type: object, required: [id], properties: { id: { type: string } } }',
    '    compensate: none',
    'steps:',
    '  - { id: act, call: shop.act, with: { callback: =links.answer }, onUnknown: review }',
    '  - { id: answer, await: told, timeout: 10ms, catch: [{ on: [timeout], then: continue }] }',
    'output: { all: =steps.act.output }',
  ]);

/** Every row of every table of the schema, bytes also as text. */
async function dump(): Promise<string> {
  const tables = await runSql(
    shell.url,
    "SELECT relname FROM pg_class WHERE relnamespace = 'pawl'::regnamespace AND relkind IN ('r', 'p')",
  );
  const texts: string[] = [];
  for (const table of tables) {
    const rows = await runSql(
      shell.url,
      `SELECT row_to_json(t)::text AS row FROM pawl."${String(table['relname'])}" AS t`,
    );
    for (const row of rows) texts.push(decoded(String(row['row'])));
  }
  return texts.join('\n');
}

/** A row with its bytes (`\\x…`) beside it as text. */
function decoded(row: string): string {
  const bytes = [...row.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = '']) =>
    Buffer.from(hex, 'hex').toString('latin1'),
  );
  return [row, ...bytes].join('\n');
}

describe('P12 secrets', () => {
  it('P12 planted in auth and headers, and the addresses of waits, echoed by the provider in every kind of answer, are in no table, log line or output', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    shell.file('pawl.config.yaml', "links: { url: 'https://pawl.example', secret: linkKey }\n");
    for (const path of ['ok', 'declined', 'broken', 'html']) {
      await call(['run', shell.file(`${path}.yaml`, saga(path, echo.url)), '--no-wait-human', '--input', '{}']);
    }
    await call([
      'run',
      shell.file('closed.yaml', saga('closed', 'http://127.0.0.1:9')),
      '--no-wait-human',
      '--input',
      '{}',
    ]);
    const ids = (await shell.ok(['ls', '-o', 'ids'])).split('\n');
    expect(ids.length).toBe(5);
    for (const id of ids) {
      for (const args of [
        ['show', id, '--history'],
        ['show', id, '--history', '-o', 'json'],
        ['receipt', 'verify', id, '-o', 'json'],
      ])
        await call(args);
    }
    // The secrets did go out, and the answers did carry them.
    for (const secret of Object.values(CANARIES)) expect(echo.heard()).toContain(secret);
    expect(found(shown.join('\n'))).toEqual([]);
    const rows = await dump();
    expect(rows).toContain('shopToken');
    expect(found(rows)).toEqual([]);
    // So did the addresses: a signature is enough to act by one.
    const tokens = echo.heard().match(new RegExp(LINK_TOKEN.source, 'g')) ?? [];
    expect(new Set(tokens).size).toBe(4);
    const forms = tokens.flatMap((token) => [...formsOf(token), token.slice(-43)]);
    expect(rows).toContain('links.pawl.invalid');
    expect(found(`${rows}\n${shown.join('\n')}`, forms)).toEqual([]);
    // Twenty commands, one after the other.
  }, 60_000);

  it('P12 an expression that would store a secret is refused when it is checked', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const text = saga('ok', echo.url).replace(
      'output: { all: =steps.act.output }',
      'output: { all: =secrets.shopToken }',
    );
    const { code, out } = await shell.call(['validate', shell.file('leak.yaml', text)]);
    expect([code, out]).toEqual([3, expect.stringContaining('PAWL-701')]);
  });

  it('the search itself finds each form of a secret', () => {
    for (const form of FORMS) expect(found(`a ${form} b`)).toContain(form);
    const hidden = Buffer.from(`Bearer ${CANARIES.PAWL_SECRET_SHOP_TOKEN}`).toString('base64');
    expect(found(hidden)).not.toEqual([]);
    expect(
      decoded(String.raw`{"result":"\\x${Buffer.from(CANARIES.PAWL_SECRET_HEADER_KEY).toString('hex')}"}`),
    ).toContain(CANARIES.PAWL_SECRET_HEADER_KEY);
  });
});
