import type { Mistake, Place } from './mistakes.ts';

/** How a mistake is written into the sample. */
export interface Placement {
  readonly place: Place;
  readonly style: 'block' | 'flow';
  readonly newline: '\n' | '\r\n';
  /** Multi-byte text before it: on its own line in flow style, on the line above in block style. */
  readonly wide: boolean;
  /** Comment lines before the steps. */
  readonly lines: number;
}

/** A file with one mistake, and where the caret must be. */
export interface Planted {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

const SLOT = /^( *)#slot:(\w+)$/;
const WIDE_GUARD = `'input.name != "日本 𝒳 é"'`;

/** The sample that takes a step in five places; without any it has no problem at all. */
const SAMPLE = `pawl: 1
workflow: sample
version: 1
timeout: 1d
input:
  type: object
  required: [amount, name]
  properties: { amount: { type: integer }, name: { type: string } }
vars: { total: { type: integer, default: 0 } }
events: { paid: { schema: { type: object } } }
secrets: [token]
actions:
  shop.do:
    http: { method: POST, url: 'http://127.0.0.1:1/do' }
    auth: { bearer: =secrets.token }
    idempotency: natural
    redact: [/card]
    compensate: none
    outcome: [{ when: response.status == 402, is: rejected, code: no-stock }]
  shop.open:
    http: { method: POST, url: 'http://127.0.0.1:1/open' }
    idempotency: natural
  shop.look:
    effect: read
    http: { method: GET, url: 'http://127.0.0.1:1/look' }
steps:
  - { id: first, call: shop.do }
  #slot:top
  - { id: maybe, when: input.amount > 5, call: shop.do }
  - id: fork
    choose:
      - when: input.amount > 10
        steps:
          - { id: inner, call: shop.do }
          #slot:choose
      - else: []
  - id: guarded
    call: shop.do
    catch:
      - on: [any]
        do:
          - { id: hidden, call: shop.do }
          #slot:catch
        then: continue
  #slot:middle
  - { id: last, call: shop.do }
  #slot:end
`;

/** Writes a step into the sample and finds the marks; the expected caret comes from where they were put. */
export function placeMistake(step: Mistake['step'], placement: Placement): Planted {
  const lines = SAMPLE.split('\n').flatMap((line) => {
    const slot = SLOT.exec(line);
    if (slot === null)
      return line === 'steps:' ? [...Array.from({ length: placement.lines }, () => '# 日本語 ✔'), line] : [line];
    return slot[2] === placement.place ? writeStep(step, slot[1] ?? '', placement) : [];
  });
  return locate(lines, placement.newline);
}

function writeStep(step: Mistake['step'], indent: string, { style, wide }: Placement): string[] {
  const entries = wide ? [['when', WIDE_GUARD] as const, ...step] : [...step];
  if (style === 'flow') return [`${indent}- { ${entries.map(([key, value]) => `${key}: ${value}`).join(', ')} }`];
  return entries.map(([key, value], index) => `${indent}${index === 0 ? '- ' : '  '}${key}: ${value}`);
}

function locate(lines: readonly string[], newline: string): Planted {
  const start = find(lines, '⟦');
  const end = find(lines, '⟧');
  const unmarked = lines.map((line) => line.replace(/[⟦⟧]/g, ''));
  const shift = start.line === end.line ? 1 : 0;
  return {
    text: unmarked.join(newline),
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column - shift,
  };
}

function find(lines: readonly string[], mark: string): { readonly line: number; readonly column: number } {
  const index = lines.findIndex((line) => line.includes(mark));
  return { line: index + 1, column: (lines[index] ?? '').indexOf(mark) + 1 };
}
