import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { createInterimFilter } from '../../src/actions/interim-filter.ts';

function filtered(chunks: readonly Buffer[]): string {
  const filter = createInterimFilter();
  return chunks.map((chunk) => filter(chunk)?.toString('latin1') ?? '').join('');
}

/** Cuts bytes at the given places. */
function cut(text: string, places: readonly number[]): readonly Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const sorted = [0, ...[...places].sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 103 not ours to drop\r\n\r\n';
const INTERIMS = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 103 Early Hints\r\nlink: </x>\r\n\r\n';

describe('createInterimFilter', () => {
  it('drops interim answers at the front and nothing behind them, however the bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(INTERIMS.length + ANSWER.length), { maxLength: 12 }),
        fc.boolean(),
        (places, hasInterims) => {
          expect(filtered(cut((hasInterims ? INTERIMS : '') + ANSWER, places))).toBe(ANSWER);
        },
      ),
    );
  });

  it('lets a protocol switch pass to the parser, which refuses it', () => {
    const text = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';
    expect(filtered([Buffer.from(text)])).toBe(text);
  });

  it('lets bytes pass that are no HTTP', () => {
    expect(filtered(cut('220 mail.example ESMTP ready', [3, 7]))).toBe('220 mail.example ESMTP ready');
  });

  it('gives up on an interim head that never ends', () => {
    const text = `HTTP/1.1 103 Early Hints\r\nx: ${'y'.repeat(20_000)}`;
    expect(filtered(cut(text, [100, 10_000, 16_000]))).toBe(text);
  });
});
