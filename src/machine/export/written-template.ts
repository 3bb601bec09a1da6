import type { Expression, Template } from '../../model/definition.ts';
import type { Json } from '../../model/json.ts';

const OPEN = '$'.concat('{');

/** A template as its author could have written it: parsed again it is the same. */
export function writtenTemplate(template: Template): Json {
  switch (template.kind) {
    case 'literal':
      return writtenLiteral(template.value);
    case 'expression':
      return hole(template.expression);
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? escaped(part) : hole(part))).join('');
    case 'list':
      return template.items.map(writtenTemplate);
    case 'map':
      return Object.fromEntries(template.entries.map(([key, value]) => [key, writtenTemplate(value)]));
  }
}

function hole({ source }: Expression): string {
  return `${OPEN} ${source} }`;
}

function escaped(text: string): string {
  return text.replaceAll(OPEN, () => `$${OPEN}`);
}

function writtenLiteral(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('=') ? `=${value}` : escaped(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(writtenLiteral);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writtenLiteral(item as Json)]));
}
