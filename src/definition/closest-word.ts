import leven from 'leven';

/** What people write who come from other tools. */
const OTHER_TOOLS: Readonly<Record<string, string>> = {
  if: 'when',
  condition: 'when',
  action: 'call',
  uses: 'call',
  invoke: 'call',
  args: 'with',
  arguments: 'with',
  params: 'with',
  parameters: 'with',
  inputs: 'input',
  outputs: 'output',
  name: 'id',
  goto: 'next',
  switch: 'choose',
  sleep: 'wait',
  delay: 'wait',
  approval: 'approve',
  undo: 'compensate',
  rollback: 'compensate',
  retries: 'retry',
  times: 'attempts',
  tries: 'attempts',
  maxattempts: 'attempts',
  backoff: 'delay',
  trigger: 'schedule',
  cron: 'schedule',
  onerror: 'catch',
  foreach: 'map',
  loop: 'repeat',
  variables: 'vars',
  states: 'steps',
  tasks: 'steps',
  deadline: 'timeout',
};

function isClose(word: string, candidate: string): boolean {
  const limit = Math.max(2, Math.ceil(0.4 * word.length));
  const prefix =
    Math.min(word.length, candidate.length) >= 3 && (candidate.startsWith(word) || word.startsWith(candidate));
  return prefix || leven(word, candidate) <= Math.min(limit, candidate.length - 1, word.length - 1);
}

/** The candidate that was probably meant; null where none is near. */
export function closestWord(word: string, candidates: readonly string[]): string | null {
  const lower = word.toLowerCase().replace(/[_-]/g, '');
  const same = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (same !== undefined) return same;
  const meant = Object.hasOwn(OTHER_TOOLS, lower) ? OTHER_TOOLS[lower] : undefined;
  const near = candidates
    .filter((candidate) => isClose(word, candidate))
    .map((candidate) => ({ candidate, distance: leven(word, candidate) }))
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  const [best] = near;
  if (meant !== undefined && candidates.includes(meant) && (best === undefined || best.distance > 1)) return meant;
  return best?.candidate ?? null;
}
