import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import type { HttpTemplate } from '../model/definition.ts';
import { RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';

interface Render {
  readonly evaluator: Evaluator;
  readonly site: Site;
  readonly scope: Scope;
}

/**
 * The URL of a request, with `query` appended. A value embedded in the text is percent-encoded, so that data can never add
 * a segment, a parameter or a host; only a value at the very beginning (a base address) is taken as it is.
 * @throws PAWL_EXPRESSION_FAULT when the result is no http(s) URL or holds a password, or when a path segment would be
 * empty, `.` or `..` by data.
 */
export function renderUrl(render: Render, http: HttpTemplate): string {
  const url = parseUrl(urlText(render, http));
  const { evaluator, site, scope } = render;
  const pairs = http.query.flatMap(([name, template]) => queryPairs(name, evaluator.render(template, site, scope)));
  const query = [url.search.slice(1), ...pairs].filter((pair) => pair !== '').join('&');
  url.search = query;
  url.hash = '';
  return url.href;
}

function urlText(render: Render, http: HttpTemplate): string {
  const { evaluator, site, scope } = render;
  const template = http.url;
  if (template.kind !== 'text') return plainText(evaluator.render(template, site, scope), 'url');
  let text = '';
  for (const [index, part] of template.parts.entries()) {
    if (typeof part === 'string') text += part;
    else text += embed(plainText(evaluator.evaluate(part, site, scope), 'url'), index === 0 ? null : text);
  }
  return text;
}

/** Encodes an embedded value; `before` is the text so far, null at the very beginning. */
function embed(value: string, before: string | null): string {
  if (before === null) return value;
  const isPath = !before.includes('?');
  if (isPath && (value === '' || value === '.' || value === '..')) {
    throw new RefusedError('PAWL_EXPRESSION_FAULT', 'a part of the url is empty or made of dots');
  }
  return encodeURIComponent(value);
}

function queryPairs(name: string, value: Json): readonly string[] {
  if (value === null) return [];
  const values = Array.isArray(value) ? value : [value];
  return values.map((item: Json) => `${encodeURIComponent(name)}=${encodeURIComponent(plainText(item, `query ${name}`))}`);
}

function plainText(value: Json, where: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new RefusedError('PAWL_EXPRESSION_FAULT', `${where} needs a text, a number or a bool`);
}

function parseUrl(text: string): URL {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.username !== '' || url.password !== '') {
    throw new RefusedError('PAWL_EXPRESSION_FAULT', 'the url is not an http(s) address without user and password');
  }
  return url;
}
