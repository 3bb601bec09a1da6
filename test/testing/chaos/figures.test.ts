import { describe, expect, it } from 'vitest';
import { Figures, KILL_FIGURES, STORM_FIGURES } from '../../../src/testing/chaos/figures.ts';
import { readNews } from '../../../src/testing/chaos/worker-news.ts';

describe('the figures of a play', () => {
  it('count what workers say: answers that were not applied, takeovers by their number, commits whose answer was lost', () => {
    const figures = new Figures();
    for (const answer of ['stale', 'fenced', 'fenced', 'busy', 'conflict'] as const)
      figures.hear({ kind: 'answer', answer });
    figures.hear({ kind: 'log', event: 'lease.swept', count: 7, words: '' });
    figures.hear({ kind: 'log', event: 'commit.answer-lost', count: 1, words: '' });
    figures.hear({ kind: 'sent', effect: 'e', run: 'r' });
    const names = ['stale', 'fenced', 'busy', 'takeovers', 'commit answers lost', 'kills'] as const;
    expect(names.map((name) => figures.of(name))).toEqual([1, 2, 1, 7, 1, 0]);
    expect(figures.bugs).toEqual([]);
  });

  it('a run that broke is a fault in words, whatever else happened', () => {
    const figures = new Figures();
    figures.hear({ kind: 'log', event: 'run.broken', count: 1, words: '{"runId":"r"}' });
    expect(figures.bugs).toEqual(['run.broken {"runId":"r"}']);
  });

  it('are told line by line, those of nothing as 0', () => {
    const figures = new Figures();
    figures.add('kills', 12);
    expect(figures.lines(['kills', 'stale'])).toEqual(['     12  kills', '      0  stale']);
  });

  it('a storm must show whatever kills must show, and each thing once', () => {
    expect(new Set(STORM_FIGURES).size).toBe(STORM_FIGURES.length);
    expect(KILL_FIGURES.filter((name) => !STORM_FIGURES.includes(name))).toEqual([]);
  });
});

it('a line of a worker is news, or something else that it says', () => {
  expect(readNews('{"kind":"answered","effect":"e"}')).toEqual({ kind: 'answered', effect: 'e' });
  expect(readNews('(node:1) Warning: something')).toBeNull();
});
