import type { Shelf } from '../../definition/embed-catalogues.ts';
import { publishVersion } from '../../engine/publish-version.ts';
import { createVersionCache, type LoadedVersion } from '../../engine/version-cache.ts';
import type { Digest } from '../../model/ids.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import { tryEvents } from './event-troubles.ts';
import { findRelies } from './find-relies.ts';
import { findStories, type Stories, type ToldStory } from './find-stories.ts';
import { distinct, findWarnings } from './find-warnings.ts';
import { judgePlay, misreadYes } from './judge-play.ts';
import type { Lab } from './lab.ts';
import type { Lie } from './lies.ts';
import { type LabReport, type Reliance, Tally } from './lab-report.ts';
import { type Case, listCases } from './list-cases.ts';
import { play } from './play.ts';
import type { Scenario } from './scenario-file.ts';
import { findLateEvents } from './late-events.ts';
import { findSameRequests } from './same-requests.ts';
import { LEASE_MS } from './stage.ts';
import { trySurprises } from './surprises.ts';
import { PLAIN_YES, WAITING_TROUBLES } from './trouble.ts';
import { STABLE_LINKS } from '../stable-links.ts';

/** What is taken into the lab. */
export interface LabAsk {
  /** The workflow, YAML. */
  readonly text: string;
  readonly file: string;
  /** The catalogues that it may use; none unless given. */
  readonly catalogues?: Shelf | undefined;
  /** Files of children, each before those that run it; none unless given. */
  readonly children?: readonly Pick<LabAsk, 'text' | 'file' | 'catalogues'>[];
  readonly scenario: Scenario;
  /** Ways in which every provider does not keep its word. */
  readonly lies: readonly Lie[];
}

/** Publishes the workflow where nobody but the lab sees it. @throws PAWL_DEFINITION_INVALID with all problems. */
export async function openLab({ children: files = [], scenario, lies, ...own }: LabAsk): Promise<Lab> {
  const store = openMemoryStore({ clock: { nowMs: () => 0 }, parts: 1, leaseMs: LEASE_MS });
  const known = new Map<Digest, LoadedVersion>();
  const versions = createVersionCache(store, known);
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const publisher = { store, versions, logger, tenant: 'default', links: STABLE_LINKS };
  const children: LoadedVersion[] = [];
  for (const child of files)
    children.push(versions.adopt((await publishVersion(publisher, { ...child, by: 'crashtest' })).version));
  const { version } = await publishVersion(publisher, { ...own, by: 'crashtest' });
  const { compiled } = versions.adopt(version);
  const untruths = [...scenario.untruths, ...lies.map((lie) => ({ lie, action: null, byMs: null }))];
  return { version, compiled, known, definition: compiled.machine.definition, children, scenario, untruths };
}

/** Crashes every effect at every boundary. */
async function crashEffects(lab: Lab, cases: readonly Case[], tally: Tally): Promise<ReadonlySet<string>> {
  const problems = new Set<string>();
  for (const { target, told, troubles, withNeighbour } of cases) {
    const misread = told.calm.misread.get(target.label);
    if (misread !== undefined) tally.mark(target, PLAIN_YES, told.calm, [misreadYes(target.label, misread)]);
    for (const trouble of misread === undefined ? troubles : []) {
      const played = await play({ lab, story: told.story, trouble, withNeighbour });
      for (const problem of played.problems) problems.add(problem);
      // What could not be played to its end says nothing.
      if (played.problems.length === 0) tally.add(target, trouble, played, judgePlay(played, told.calm));
    }
  }
  return problems;
}

/** Crashes runs that wait, and sends them everything twice and too early, again, and about something else. */
async function crashWaits(
  lab: Lab,
  told: readonly ToldStory[],
  cases: readonly Case[],
  tally: Tally,
): Promise<readonly Reliance[]> {
  const relies: Reliance[] = [];
  for (const one of told) {
    const { story, calm } = one;
    const labels = new Set(calm.rows.filter(({ state }) => state === 'CONFIRMED').map(({ label }) => label));
    const targets = cases.map(({ target }) => target).filter(({ effect }) => labels.has(effect));
    // A story that is held without any trouble would make every cell a review.
    const isHeard = calm.gifts.length > 0 || lab.scenario.events.length > 0;
    if (!isHeard || targets.length === 0 || calm.status === 'HELD') continue;
    for (const trouble of WAITING_TROUBLES) {
      const played = await play({ lab, story, trouble, gifts: calm.gifts, withNeighbour: false });
      const faults = judgePlay(played, calm);
      tally.plays += 1;
      for (const target of targets) {
        const own = faults.filter(({ label }) => label === target.label || (label === null && target === targets[0]));
        tally.mark(target, trouble, played, own);
      }
    }
    relies.push(...(await tryEvents({ lab, told: one, targets, tally })));
  }
  const known = new Map(relies.map((reliance) => [JSON.stringify([reliance.effect, reliance.promise]), reliance]));
  return [...known.values()];
}

/** A lab that has crashed nothing has shown nothing. */
function whyNothing({ compiled }: Lab, { told }: Stories, cases: readonly Case[]): readonly string[] {
  const acts = [...compiled.steps.values()].some(
    (step) => step.verb === 'call' && compiled.action(step.action).effect === 'write',
  );
  if (!acts || cases.length > 0) return [];
  const ends = told.map(
    ({ story, calm }) => `${story.name}: ${calm.status}${calm.failure === null ? '' : ` (${calm.failure})`}`,
  );
  return [
    `no story comes to an act (${ends.join('; ')}): give an input that leads to one in a scenario, or mend the workflow`,
  ];
}

/** Takes a workflow through the lab: every effect, every boundary, each crash resumed twice. */
export async function runCrashLab(ask: LabAsk): Promise<LabReport> {
  const lab = await openLab(ask);
  const stories = await findStories(lab);
  const cases = listCases(lab, stories.told);
  const tally = new Tally(cases.map(({ target }) => target));
  const problems = await crashEffects(lab, cases, tally);
  const targets = cases.map(({ target }) => target);
  const waits = await crashWaits(lab, stories.told, cases, tally);
  const surprises = await trySurprises(lab, stories.told, targets, tally);
  const relies = [...(await findRelies(lab, cases, tally)), ...waits, ...surprises.relies];
  const warnings = [
    ...findWarnings(lab, [...stories.told, ...stories.delays]),
    ...(await findLateEvents(lab, stories.told, tally)),
    ...(await findSameRequests(lab, stories.told, tally)),
    ...surprises.warnings,
  ];
  const findings = tally.findings();
  const { workflow, version } = lab.definition;
  return {
    workflow,
    version,
    ok: findings.length === 0,
    plays: tally.plays,
    stories: stories.told.map(({ story, calm }) => ({ name: story.name, status: calm.status, failure: calm.failure })),
    rows: tally.rows(),
    findings,
    relies,
    warnings: distinct(warnings),
    problems: [...new Set([...stories.problems, ...problems, ...whyNothing(lab, stories, cases)])],
    unreached: stories.unreached,
  };
}
