import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOG_EVENTS } from '../../src/model/log-events.ts';

/** The text between the parenthesis that opens at `from` and its end. */
function argumentsAt(text: string, from: number): string {
  let depth = 1;
  let at = from;
  for (; depth > 0 && at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
  }
  return text.slice(from, at - 1);
}

/** The last argument of every call of a logger in the sources. */
function loggedEvents(): readonly string[] {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) => {
    const text = readFileSync(join('src', name), 'utf8');
    const calls = [...text.matchAll(/logger\.(?:info|warn|error)\(/g)];
    return calls.map((call) => {
      const given = argumentsAt(text, call.index + call[0].length);
      return /'([^']*)',?\s*$/.exec(given)?.[1] ?? `${name}: ${given}`;
    });
  });
}

describe('LOG_EVENTS', () => {
  it('holds exactly the events that the sources log, each by its literal name', () => {
    expect([...new Set(loggedEvents())].sort()).toEqual(Object.keys(LOG_EVENTS).sort());
  });

  it('names each `area.fact` in kebab case and says what it means', () => {
    for (const [name, meaning] of Object.entries(LOG_EVENTS)) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+(-[a-z]+)*$/);
      expect(meaning.length).toBeGreaterThan(10);
    }
  });
});
