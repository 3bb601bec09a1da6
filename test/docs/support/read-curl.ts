/** The words of a command as a shell sees them, for what the guides use: quotes that touch make one word. */
function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"/g,
      (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
    ),
  );
}

/** What a line of curl sends, and the status that the guide says of it. */
export interface CurlLine {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What follows `--data` or `--data-binary`, as it is written; undefined = no body. */
  readonly data: string | undefined;
  readonly status: number;
}

/** Every command of the `sh` blocks of a guide. */
export function curlLines(guide: string): readonly string[] {
  return [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text = '']) => text.trim().split('\n'));
}

/** Reads a line of curl. @param values what stands for `$NAME`. @throws for any other program. */
export function readCurl(line: string, values: Readonly<Record<string, string>>): CurlLine {
  const [command = '', status = ''] = line.split(' # ');
  const fill = (word: string): string =>
    word.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => values[name] ?? `no ${name}`);
  const [program, ...words] = wordsOf(command).map(fill);
  if (program !== 'curl') throw new Error(`not a line of curl: ${line}`);
  const headers: Record<string, string> = {};
  let [method, url, data]: [string, string, string | undefined] = ['GET', '', undefined];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const next = words[at + 1] ?? '';
    if (word === '-X') method = next;
    else if (word === '-H') headers[next.slice(0, next.indexOf(':')).toLowerCase()] = next.slice(next.indexOf(':') + 2);
    else if (word === '--data' || word === '--data-binary') data = next;
    else {
      url = word;
      continue;
    }
    at += 1;
  }
  return { method, url, headers, data, status: Number(status) };
}
