import type { ExplainedSending } from '../app/explain/explain-sending.ts';
import type {
  ExplainedApproval,
  ExplainedEffect,
  ExplainedLater,
  ExplainedUndo,
  ExplainedVoters,
  Explanation,
} from '../app/explain/explain-workflow.ts';
import { counted, spanWords } from './time-words.ts';

/** An explanation in words, a line each. */
export function explanationLines(explanation: Explanation): readonly string[] {
  const parts = explanation.parts.flatMap((part) => [
    '',
    ...(part.kind === 'effect' ? effectLines(part, explanation) : approvalLines(part)),
  ]);
  return [...parts, '', ...runLines(explanation)];
}

function effectLines(effect: ExplainedEffect, { onFailure }: Explanation): readonly string[] {
  const { step, line, action, pivot, authorizedBy, sending, isDetached, maps = [], undo } = effect;
  const each = maps.map(
    ({ step: map, atOnce }) => `item of ${map} (${atOnce === 1 ? 'one after the other' : `${atOnce} at once`})`,
  );
  const by = authorizedBy === null ? '' : `, once ${authorizedBy} has approved it`;
  return [
    `  line ${line}  ${step} ${sending === null ? 'runs' : 'calls'} ${action}${pivot ? ', the pivot' : ''}${by}`,
    ...sharingLines(effect),
    ...linkLines(effect),
    ...(each.length === 0 ? [] : [`    for each     ${each.join(', each ')}`]),
    ...(sending === null ? childLines(isDetached) : sendingLines(sending)),
    ...undoLines(undo, pivot),
    ...(undo.kind === 'none' && undo.because === 'finally' ? [] : laterLines(effect, onFailure)),
  ];
}

function sharingLines({ sharedWith }: ExplainedEffect): readonly string[] {
  if (sharedWith === null) return [];
  const whose = sharedWith === 'global' ? 'all runs' : 'all runs of this workflow';
  return [
    `    shared       by ${whose} with the same object and intent: the first one sends it, the others wait for it as long as`,
    '                 they live and are told how it ended; a refusal is theirs, too, and its last user alone undoes it',
  ];
}

function linkLines({ links = [] }: ExplainedEffect): readonly string[] {
  return links.map(
    (id) =>
      `    sends        the signed address of ${id}, which is good as long as ${id} waits; it is put in at each sending`,
  );
}

function childLines(isDetached: boolean): readonly string[] {
  if (isDetached) return ['    started      once; nobody waits for it, and it goes on by itself'];
  return [
    '    started      once, and waited for until it tells its end; a cancel and a timeout go down to it',
    '                 fails with the code that it has failed with, once it has undone itself',
  ];
}

function sendingLines(sending: ExplainedSending): readonly string[] {
  const { attempts, resends, asks, refusedInDoubt } = sending;
  const lines = [...queueLines(sending), `    sent         ${attemptWords(sending)}`];
  if (sending.isCommitted === true) return [...lines, '    answer lost  never: it is committed with the run'];
  lines.push(
    resends === null
      ? '    answer lost  not sent again before it is known what happened'
      : `    answer lost  the same bytes again under its key, up to ${counted(resends.calls, 'more call')} in ${spanWords(resends.forMs)}`,
  );
  if (asks !== null) {
    const absent = asks.absentIsProof
      ? '"not found" is believed once a call has had its time to settle'
      : '"not found" proves nothing';
    lines.push(
      `                 then the provider is asked every ${spanWords(asks.everyMs)} for ${spanWords(asks.giveUpMs)}; ${absent}`,
    );
  }
  lines.push(`                 ${personWords(sending)}`);
  if (resends === null && attempts === 1) return lines;
  const next = refusedInDoubt === 'asks' ? 'the provider is asked' : 'a person decides at once';
  lines.push(`                 a refusal after it counts only if \`outcome\` names it; else ${next}`);
  return lines;
}

/** What is handed out is sent; before that it waits. */
function queueLines({ queue }: ExplainedSending): readonly string[] {
  if (queue === undefined) return [];
  const long = queue.waitMs === null ? 'as long as it takes' : `at most ${spanWords(queue.waitMs)}`;
  return [`    waits        ${long} for a worker of queue ${queue.name}; what is handed out counts as sent`];
}

function attemptWords({
  attempts,
  withinMs,
  retriesOn,
  retriesWhen,
  repeatsAbsent,
  trustsRefusal,
}: ExplainedSending): string {
  const refusals = trustsRefusal ? '' : '; a 429 or 503 is a lost answer, too, unless `outcome` names it';
  if (attempts === 1) return `once${refusals}`;
  const within = withinMs === null ? '' : ` within ${spanWords(withinMs)}`;
  const often = `${attempts === null ? 'again and again' : `up to ${counted(attempts, 'call')}`}${within}`;
  const on = [...retriesOn, ...(repeatsAbsent && !retriesOn.includes('absent') ? ['absent'] : [])].join(', ');
  return `${often}, the next after: ${on}${retriesWhen === null ? '' : `, if ${retriesWhen}`}${refusals}`;
}

function personWords({ review: { afterMs, from, answers } }: ExplainedSending): string {
  const when = afterMs === 0 ? 'at once' : `after ${spanWords(afterMs)}`;
  return `${when} ${from.join(' or ')} says what happened: ${answers.join(', ')}`;
}

const NOTHING: Readonly<Record<Extract<ExplainedUndo, { kind: 'none' }>['because'], string>> = {
  said: ', as its author says',
  pivot: ': it comes after the pivot',
  finally: ': it is done in finally',
};

function undoLines(undo: ExplainedUndo, pivot: boolean): readonly string[] {
  if (undo.kind === 'none') {
    return [`    undone by    nothing${NOTHING[undo.because]}`];
  }
  const { onlyByOrder } = undo;
  const order = onlyByOrder ? `, only when an operator orders it${pivot ? '' : ': it comes after the pivot'}` : '';
  const agreed = undo.approve === null ? [] : [`                 ${agreeWords(undo.approve)}`];
  if (undo.kind === 'child') return childUndoLines(undo.by, order, agreed);
  const { action, line, file, sending, onRefusal } = undo;
  const often = sending.attempts === null ? 'called again and again' : `up to ${counted(sending.attempts, 'call')}`;
  const resent = sending.resends === null ? '' : `, and ${counted(sending.resends.calls, 'more call')} under its key`;
  const rest = onRefusal === 'hold' ? 'the rest waits' : 'the rest is undone first';
  return [
    `    undone by    ${action} (${file === null ? `line ${line}` : `${file}:${line}`}), ${often}${resent}${order}`,
    ...agreed,
    ...(sending.isCommitted === true ? [] : [`                 answer lost: ${personWords(sending)}`]),
    `                 refused: the run is HELD for role:operator (retry, undone, waived); ${rest}`,
  ];
}

function childUndoLines(by: string | null, order: string, agreed: readonly string[]): readonly string[] {
  const who = by === null ? 'itself, on its own version' : `a run of ${by}`;
  const refused = by === null ? 'refused behind its own pivot' : 'that run does not complete';
  return [
    `    undone by    ${who}${order}`,
    ...agreed,
    `                 ${refused}: the run is HELD for role:operator (retry, undone, waived)`,
  ];
}

function agreeWords({ from, quorum, expires }: ExplainedVoters): string {
  const until = expires === null ? '' : ` within ${expires}`;
  return `only once ${quorum} of ${from.join(' or ')} agreed${until}; else the run is HELD as when it is refused`;
}

const FATES: Readonly<Record<ExplainedLater['then'], string>> = {
  undone: 'it is undone',
  stands: 'it stands',
  held: 'it stands, and the run is HELD: a person decides',
  'maybe-held': 'it stands and the run is HELD if the pivot is behind; else it is undone if something undoes it',
};

/** Later steps that end alike share a line. */
function laterLines({ later, more }: ExplainedEffect, onFailure: Explanation['onFailure']): readonly string[] {
  const fates = [...new Set(later.map(({ then }) => then))];
  const [unlisted] = more;
  if (fates.length === 0)
    return [
      `    afterwards   ${unlisted === undefined ? 'no later step can fail' : `something fails, or it is cancelled: ${FATES[unlisted]}`}`,
    ];
  return fates.map((fate, index) => {
    const steps = later
      .filter(({ then }) => then === fate)
      .map(({ step, line, causes }) => `${step} (line ${line}: ${causes.join(', ')})`);
    if (more.includes(fate)) steps.push('further steps');
    const why = fate === 'held' && onFailure === 'hold' ? ' (onFailure: hold)' : '';
    return `    ${index === 0 ? 'if then fails' : '             '} ${steps.join(', ')}: ${FATES[fate]}${why}`;
  });
}

function approvalLines({ step, line, from, quorum, expires, onExpire }: ExplainedApproval): readonly string[] {
  const ends = { deny: 'it fails with expired', approve: 'it counts as approved', hold: 'the run is HELD' }[onExpire];
  return [
    `  line ${line}  ${step} waits for people: ${from.join(' or ')}, quorum ${quorum}`,
    expires === null ? '    it never expires' : `    after ${expires} without a decision ${ends}`,
  ];
}

function lastLines(last: Explanation['last']): readonly string[] {
  if (last.length === 0) return [];
  const names = last.map(({ step, line }) => `${step} (line ${line})`).join(', ');
  return [`  At every end but a terminate finally runs once: ${names}. Its failure is shown and changes nothing.`];
}

function runLines({ pivots, onFailure, timeoutMs, computesOutput, last }: Explanation): readonly string[] {
  const names = pivots.map(({ step, line }) => `${step} (line ${line})`).join(', ');
  const pivot =
    pivots.length === 0
      ? '  There is no pivot: a failure or a cancel at any step undoes what can be undone, the last effect first.'
      : `  Before the pivot ${names} a failure or a cancel undoes what can be undone, the last effect first. While nobody knows whether it happened neither is followed.`;
  const behind =
    pivots.length === 0
      ? []
      : ['  After it nothing is undone by itself: a failure holds the run for role:operator, and a cancel is refused.'];
  const held =
    onFailure === 'hold'
      ? ['  onFailure: hold: a failure that nothing catches holds the run for role:operator instead.']
      : [];
  const deadline =
    timeoutMs === null
      ? '  There is no deadline: a run may wait for ever.'
      : `  After ${spanWords(timeoutMs)} nothing new is begun and what is open settles; no catch takes it. ${
          onFailure === 'hold'
            ? 'The run is HELD.'
            : pivots.length === 0
              ? 'Then what was done is undone.'
              : 'Before the pivot what was done is then undone; after it the run is HELD.'
        }`;
  const output = computesOutput
    ? ['  If `output` cannot be computed at the end, the run is HELD, and nothing is undone by itself.']
    : [];
  return [pivot, ...behind, ...held, deadline, ...output, ...lastLines(last)];
}
