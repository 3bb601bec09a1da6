import { expect } from 'vitest';
import type { ApiHouse, Told } from '../../api/support/api-house.ts';
import { StreamReader } from '../../api/support/stream-reader.ts';

/** Blocks of a language in a page. */
export function blocksOf(page: string, language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);
}

/** The lines of a page that are to be run, one after the other. */
export function curlsOf(page: string): readonly string[] {
  return blocksOf(page, 'sh').flatMap((block) => block.trim().split('\n'));
}

/** The words of a command as a shell sees them, for what these pages use: quotes that touch make one word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
    ),
  );
}

/** What a call of curl asks for. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
  readonly streams: boolean;
}

/** What a page's commands work with. */
export interface CurlGuide {
  readonly house: ApiHouse;
  /** What stands for `$NAME`; what an answer tells is kept here for the next command. */
  readonly values: Record<string, string>;
  /** What stands for `@NAME`. */
  readonly files: Readonly<Record<string, string>>;
  /** Where streams are opened; '' = the page has none. */
  readonly address: string;
  /** Streams that were opened and are still read. */
  readonly readers: StreamReader[];
}

function askedBy(words: readonly string[], files: CurlGuide['files']): Asked {
  const headers: Record<string, string> = {};
  let [method, url, text, streams]: [string, string, string | undefined, boolean] = ['GET', '', undefined, false];
  const takes: Readonly<Record<string, (next: string) => void>> = {
    '-X': (next) => {
      method = next;
    },
    '-H': (next) => {
      headers[next.slice(0, next.indexOf(':')).toLowerCase()] = next.slice(next.indexOf(':') + 2);
    },
    '--data': (next) => {
      text = next;
    },
    '--data-binary': (next) => {
      text = files[next.slice(1)] ?? `no file ${next}`;
    },
  };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const take = takes[word];
    if (take !== undefined) {
      at += 1;
      take(words[at] ?? '');
    } else if (word === '-N') streams = true;
    else url = word;
  }
  return { method, url, headers, text, streams };
}

/** What a reader takes from an answer for the next command. */
function keep({ headers, json }: Told, values: Record<string, string>): void {
  if (headers['etag'] !== undefined) values['ETAG'] = String(headers['etag']);
  const body = json<{ planHash?: string; approvals?: readonly { subjectHash: string }[] }>();
  if (body.planHash !== undefined) values['PLAN'] = body.planHash;
  const hash = body.approvals?.[0]?.subjectHash;
  if (hash !== undefined) values['HASH'] = hash;
}

/** Does what a line of curl would do, which must be answered as the line says behind its `#`. @returns the answer; null for a stream. */
export async function followCurl(guide: CurlGuide, line: string): Promise<Told | null> {
  const { house, values, files, address, readers } = guide;
  const [command = '', status = ''] = line.split(' # ');
  const fill = (word: string): string =>
    word.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? `no ${name}`);
  const [program, ...words] = wordsOf(command).map(fill);
  expect(program).toBe('curl');
  const { method, url, headers, text, streams } = askedBy(words, files);
  if (streams) {
    const reader = await StreamReader.open(`${address}${url}`, headers);
    if (typeof reader === 'number') throw new Error(`${line} is answered ${reader}`);
    readers.push(reader);
    await reader.nextOf('hello');
    return null;
  }
  const told = await house.call(method, url, { as: null, headers, ...(text === undefined ? {} : { text }) });
  expect([line, told.status, told.text]).toEqual([line, Number(status), told.text]);
  keep(told, values);
  return told;
}
