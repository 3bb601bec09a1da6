import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GROUPS } from './groups.ts';
import { nameOf, readScxml } from './read-scxml.ts';
import { Session } from './session.ts';

const framework = dirname(createRequire(import.meta.url).resolve('@scion-scxml/test-framework/package.json'));

/** What does not pass, and why. */
const EXPECTED_TO_FAIL: Readonly<Record<string, string>> = {
  'w3c-ecma/test453.txml': 'it keeps a function of ECMAScript in its data, which cannot be stored',
};

interface Script {
  readonly initialConfiguration: readonly string[];
  readonly events: readonly {
    readonly after?: number;
    readonly event: { readonly name: string };
    readonly nextConfiguration: readonly string[];
  }[];
}

const named = (states: readonly string[]): readonly string[] => states.map(nameOf).sort();
const shown = (session: Session): readonly string[] => session.places.filter((id) => id.startsWith('s_')).sort();

/** Tests of the W3C judge themselves: they end in `pass`. Those of SCION say where the machine is after each event. */
function play(group: string, name: string): void {
  const file = join(framework, 'test', group, name);
  const session = new Session(readScxml(readFileSync(`${file}.scxml`, 'utf8')));
  if (group === 'w3c-ecma') {
    session.pass(60_000);
    expect([session.entered.has('s_pass'), session.entered.has('s_fail')]).toEqual([true, false]);
    return;
  }
  const script = JSON.parse(readFileSync(`${file}.json`, 'utf8')) as Script;
  expect(shown(session)).toEqual(named(script.initialConfiguration));
  for (const { after = 0, event, nextConfiguration } of script.events) {
    session.pass(after);
    session.send(event.name);
    expect(shown(session)).toEqual(named(nextConfiguration));
  }
}

const tests = Object.entries(GROUPS).flatMap(([group, names]) =>
  names.map((name) => [`${group}/${name}`, group, name] as const),
);

describe('SCXML conformance', () => {
  it('is tried with the 169 tests that XState runs, of which at least 160 pass', () => {
    expect(tests.length).toBe(169);
    expect(tests.length - Object.keys(EXPECTED_TO_FAIL).length).toBeGreaterThanOrEqual(160);
    expect(Object.keys(EXPECTED_TO_FAIL).filter((id) => !tests.some(([known]) => known === id))).toEqual([]);
  });

  it.each(tests)('%s', (id, group, name) => {
    if (Object.hasOwn(EXPECTED_TO_FAIL, id)) expect(() => play(group, name)).toThrow();
    else play(group, name);
  });
});
