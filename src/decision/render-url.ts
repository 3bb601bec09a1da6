import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import type { HttpTemplate, Template } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { templateFault } from './template-fault.ts';

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
  const url = parseUrl(urlText(render, http.url), http.url);
  const { evaluator, site, scope } = render;
  const pairs = http.query.flatMap(([name, template]) =>
    queryPairs(name, evaluator.render(template, site, scope), template),
  );
  url.search = [url.search.slice(1), ...pairs].filter((pair) => pair !== '').join('&');
  url.hash = '';
  return url.href;
}

function urlText(render: Render, template: Template): string {
  const { evaluator, site, scope } = render;
  if (template.kind !== 'text') return plainText(evaluator.render(template, site, scope), template);
  let text = '';
  for (const [index, part] of template.parts.entries()) {
    if (typeof part === 'string') text += part;
    else text += embed(plainText(evaluator.evaluate(part, site, scope), template), index === 0 ? null : text, template);
  }
  return text;
}

/** Encodes an embedded value; `before` is the text so far, null at the very beginning. */
function embed(value: string, before: string | null, template: Template): string {
  if (before === null) return value;
  const isPath = !before.includes('?');
  if (isPath && (value === '' || value === '.' || value === '..')) {
    throw templateFault(template, 'a part of the url is empty or made of dots');
  }
  return encodeURIComponent(value);
}

function queryPairs(name: string, value: Json, template: Template): readonly string[] {
  if (value === null) return [];
  const values = Array.isArray(value) ? value : [value];
  return values.map((item: Json) => `${encodeURIComponent(name)}=${encodeURIComponent(plainText(item, template))}`);
}

function plainText(value: Json, template: Template): string {
  // Half a character has no percent-encoding.
  if (typeof value === 'string' && !/\p{Surrogate}/u.test(value)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw templateFault(template, 'a part of a url is a text, a number or a bool');
}

function parseUrl(text: string, template: Template): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || url.username !== '' || url.password !== '') {
    throw templateFault(template, 'the url is not an http(s) address without user and password');
  }
  return url;
}
