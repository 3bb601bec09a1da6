import { expect } from 'vitest';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { judgePlay } from '../../../src/testing/crash-lab/judge-play.ts';
import type { Lab } from '../../../src/testing/crash-lab/lab.ts';
import { type Finding, Tally } from '../../../src/testing/crash-lab/lab-report.ts';
import type { Lie } from '../../../src/testing/crash-lab/lies.ts';
import { type Case, listCases } from '../../../src/testing/crash-lab/list-cases.ts';
import { play } from '../../../src/testing/crash-lab/play.ts';
import { openLab } from '../../../src/testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO, readScenario } from '../../../src/testing/crash-lab/scenario-file.ts';

/** The name of every workflow in the lab. */
export const FILE = 'kind.pawl.yaml';

/** The lab with a workflow in it. */
export async function opened(text: string, scenario: string | null = null, lies: readonly Lie[] = []): Promise<Lab> {
  const lab = await openLab({ text, file: FILE, scenario: NO_SCENARIO, lies });
  if (scenario === null) return lab;
  return openLab({ text, file: FILE, scenario: readScenario(scenario, 'scenario.yaml', lab.definition), lies });
}

/** Plays only the ways of one effect that are meant: what is found, and how often it was played. */
export async function tried(lab: Lab, label: string, way: RegExp) {
  const { told, problems } = await findStories(lab);
  expect(problems).toEqual([]);
  const meant = listCases(lab, told).filter(({ target }) => target.effect === label);
  const tally = new Tally(meant.map(({ target }) => target));
  for (const one of meant) await tryWays(lab, one, way, tally);
  return { findings: tally.findings(), plays: tally.plays };
}

async function tryWays(lab: Lab, { target, told, troubles, withNeighbour }: Case, way: RegExp, tally: Tally) {
  for (const trouble of troubles.filter(({ words }) => way.test(words))) {
    const played = await play({ lab, story: told.story, trouble, withNeighbour });
    expect(played.problems).toEqual([]);
    tally.add(target, trouble, played, judgePlay(played, told.calm));
  }
}

/** Findings as `boundary: kind`. */
export function shown(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ boundary, kind }) => `${boundary}: ${kind}`);
}
