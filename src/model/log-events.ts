/**
 * Every event that Pawl logs, with what it says: a closed list, so that alarms can be built on names. A test compares it
 * with the calls in the sources, both ways.
 */
export const LOG_EVENTS = {
  'action.fault': 'an adapter failed by itself; the attempt counts as unknown if a byte may have left',
  'action.read': 'an action with `effect: read` was answered',
  'api.fault': 'a call of the API failed for a reason that is not the caller’s; they were told `requestId` alone',
  'circuit.closed': 'a host answers again; what waited for it is sent',
  'circuit.opened':
    'a host was unavailable again and again; nothing is sent there for `openMs`, then one request tries',
  'commit.answer-lost': 'the answer to a commit was lost and is read back',
  'deliver.answer-lost': 'the answer to a delivery was lost and it is delivered again',
  'effect.attempted': 'one sending of an effect was judged',
  'effect.late-answer': 'an answer came after its worker was fenced; filed as an observation',
  'effect.late-answer-lost': 'such an answer could not be filed',
  'effect.queried': 'one query about an effect was judged',
  'event.conflict': 'an event id came again with another payload; filed as an observation, the first one counts',
  'function.note': 'a registered function logged something itself; its words are in `note`',
  'lease.swept': 'runs of dead workers were freed',
  'lock.later': 'a lock could not be asked for or given back right away; whoever claims the run, or the sweep, does it',
  'lock.swept': 'locks of runs that had ended were given to the next ones: a process died in between',
  'loop.fault': 'a turn of a worker loop failed; the next one comes',
  'link.missing': 'an attempt was not handed out because no address can be made here; `reason` says what is missing',
  'message.dead': 'a message was given up; a person says whether it is sent again (`pawl outbox retry`) or dropped',
  'message.failed': 'a message did not reach whoever listens; it is sent again',
  'pauses.unknown': 'whether something is paused could not be found out; nothing is sent until it can be',
  'recovery.ended': 'an operator has reconciled the window; everything is sent again',
  'recovery.opened':
    'the database is another than before and may have forgotten commits; only remembered keys are sent',
  'run.broken': 'a run could not be decided and is parked',
  'run.dropped': 'a run was let go after a fault of its lane',
  'run.late': 'something came for a run whose state was pruned: it is filed, and nothing of the run moves',
  'run.let-go': 'a run was given back undecided',
  'run.overdue': 'a run should have moved since `since` and nobody holds it',
  'run.pruned': 'runs whose time is over have lost their state; receipts, keys and acts are there',
  'run.set-aside': 'a run does not fit what this process has and is left to others',
  'run.suspect': 'a run of a dead worker was taken over and is held alone',
  'run.unheard': 'what came in while a run was decided could not be looked for; whoever claims it next finds it',
  'schedule.failed': 'an instant of a schedule could not be started; it stays due and is tried again',
  'schedule.fired': 'a schedule has started the run of an instant',
  'schedule.passed': 'instants of a schedule passed while nobody worked and are not made up for (`catchUp: none`)',
  'schedule.skipped': 'an instant of a schedule was left out: the run before had not ended (`overlap: skip`)',
  'seat.lost': 'this worker lost its seat and fenced itself',
  'start.answer-lost': 'the answer to a start was lost and it is started again under the same key',
  'statement.unanswered': 'a statement was not carried out, or nobody heard of it',
  'store.connection-broken': 'a connection to the database broke',
  'store.reads-unbound':
    'what is read for callers is bound to their tenant by its statements alone: the role of reads cannot be had',
  'store.unreachable': 'the database cannot be reached; tried again',
  'version.published': 'a version of a workflow was published',
  'worker.started': 'a worker began to take runs',
  'worker.stopped': 'a worker has given everything back',
} as const satisfies Record<string, string>;

/** The name of a logged event. */
export type LogEvent = keyof typeof LOG_EVENTS;
