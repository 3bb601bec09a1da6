import type { Template } from '../../model/definition.ts';

/** A value of a definition as people read it; what is computed is shown as its author wrote it. */
export function templateWords(template: Template): string {
  if (template.kind === 'literal')
    return typeof template.value === 'string' ? template.value : JSON.stringify(template.value);
  if (template.kind === 'expression') return `\${ ${template.expression.source} }`;
  if (template.kind === 'text')
    return template.parts.map((part) => (typeof part === 'string' ? part : `\${ ${part.source} }`)).join('');
  return 'what the workflow computes';
}
