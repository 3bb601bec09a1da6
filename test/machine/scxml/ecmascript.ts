/** What a text of ECMAScript means in CEL, as far as the tests need it; data are vars, numbers doubles. */
export function celOf(source: string, data: ReadonlySet<string>): string {
  const text = source.trim().replace(/^return\s+|;$/g, '');
  if (/\bfunction\b/.test(text)) throw new Error('a function is no data');
  const tokens = text.match(/'[^']*'|"[^"]*"|\d+(?:\.\d+)?|[A-Za-z_$][\w$.]*|===|!==|==|!=|<=|>=|&&|\|\||[^\s]/g) ?? [];
  const words = tokens.map((token) => wordOf(token, data));
  return rewritten(words.join(' '));
}

function wordOf(token: string, data: ReadonlySet<string>): string {
  if (/^\d+$/.test(token)) return `${token}.0`;
  if (token === '===') return '==';
  if (token === '!==') return '!=';
  if (token === '_event.name') return 'event.name';
  if (token.startsWith('_event.data.')) return `event.data.${token.slice('_event.data.'.length)}`;
  // What only a session of SCXML has, and an event of ours has not.
  if (/^_event\.(?:origin|origintype|invokeid|sendid)$/.test(token)) return 'undefined';
  if (token === '_sessionid') return '"here"';
  if (data.has(token)) return `vars.${token}`;
  return token;
}

function rewritten(text: string): string {
  return text
    .replaceAll(/typeof undefined == 'undefined'/g, 'true')
    .replaceAll(/(vars\.\w+) == undefined/g, '!has($1)')
    .replaceAll(/typeof (vars\.\w+) != 'undefined'/g, 'has($1)')
    .replaceAll(/In \( '([^']+)' \)/g, (_whole, id: string) => `vars.${flagOf(id)}`)
    .replaceAll(/Math\.pow \( ([\w.]+) , 3\.0 \)/g, '$1 * $1 * $1')
    .replace(/^undefined$/, '"here"');
}

/** A condition: what is a text counts as true. */
export function conditionOf(source: string, data: ReadonlySet<string>): string {
  const cel = celOf(source, data);
  return /^'[^']+'$/.test(cel) ? 'true' : cel;
}

/** The var that is true while a state is active. */
export function flagOf(id: string): string {
  return `in_${id.replace(/\W/g, '_')}`;
}

/** The CEL text of a value as a template. */
export function templateOf(cel: string): string {
  return '$'.concat(`{ ${cel} }`);
}

/** Milliseconds of `1.5s` or `10ms`; none where there is no delay. */
export function delayOf(text: string): number {
  const [, count = '0', unit] = /^'?(\d*\.?\d+)(ms|s)?'?$/.exec(text.trim()) ?? [];
  return unit === 's' ? Number(count) * 1_000 : Number(count);
}
