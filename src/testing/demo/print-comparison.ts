import type { Comparison } from './compare-book.ts';

const COLUMNS = ['RUN', 'STEP', 'ACTION', 'LEDGER', 'SENT', 'RECEIPT', 'BOOK', ''] as const;

/** The ledger beside the provider's book, as lines of text. */
export function comparisonLines({ rows, strangers }: Comparison): readonly string[] {
  const cells = rows.map((row) => [
    row.runKey,
    `${row.compensates ? '↩ ' : ''}${row.step}`,
    row.action,
    row.state,
    String(row.attempts),
    row.receiptNo === null ? '-' : `#${row.receiptNo}`,
    `${row.happened}x`,
    row.isEqual ? '✔' : '✘',
  ]);
  const widths = COLUMNS.map((heading, index) =>
    Math.max(heading.length, ...cells.map((row) => (row[index] ?? '').length)),
  );
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  return [
    line(COLUMNS),
    ...cells.map(line),
    ...strangers.map((entry) => `✘ in the book only: ${entry.operation} ${entry.id}`),
  ];
}
