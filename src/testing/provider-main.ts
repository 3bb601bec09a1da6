import { parseArgs } from 'node:util';
import { RefusedError } from '../model/errors.ts';
import { startProvider } from './fake-provider.ts';
import type { ProviderOptions } from './provider/options.ts';

/*
 * The provider as a process of its own:
 *   node provider-main.js --book FILE [--port N] [--options JSON] [--until-stdin-ends]
 * Prints one line of JSON, `{"url": …}`, when it listens. `GET /_provider/book`, `GET` and `PUT /_provider/script` and
 * `POST /_provider/forget-keys` do from outside what the library's verbs do. Ends on SIGTERM and SIGINT, and with
 * --until-stdin-ends also with the process that started it.
 */

/** Reads `--options`: any option of `startProvider` but the book. */
function parseOptions(text: string): Omit<ProviderOptions, 'bookFile'> {
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new RefusedError('PAWL_CONFIG_INVALID', '--options is no JSON object');
}

/** Starts, says where, and waits for the end. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      book: { type: 'string' },
      port: { type: 'string', default: '0' },
      options: { type: 'string', default: '{}' },
      'until-stdin-ends': { type: 'boolean', default: false },
    },
  });
  if (values.book === undefined) throw new RefusedError('PAWL_CONFIG_INVALID', '--book FILE is required');
  const options = parseOptions(values.options);
  const provider = await startProvider({ ...options, bookFile: values.book, port: Number(values.port) });
  const stop = (): void => {
    process.stdin.destroy();
    void provider.close();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  if (values['until-stdin-ends']) process.stdin.once('end', stop).resume();
  process.stdout.write(`${JSON.stringify({ url: provider.url })}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
