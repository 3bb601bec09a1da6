/**
 * Why something was refused, kept or told to have been decided, by the code of the answer;
 * `docs/reference/statuses.md` lists the same codes, and a test compares both with the code.
 */
export const ANSWER_WORDS = {
  except:
    'you are among those who must not decide this: whoever started the run, unless the step says others in `except` (rule A03)',
  'not-eligible':
    'none of your roles may do this: say --by NAME, or give the role under "principals" in pawl.config.yaml',
  subject: 'the request has changed since you looked: read it again with pawl show',
  form: 'what you fill in does not fit the form: it still waits for an answer',
  moved: 'the run has moved on since you looked: read it again',
  decided: 'it was decided before',
  expired: 'it came after the expiry',
  voted: 'you have voted before, and differently',
  ended: 'the run has ended',
  'held-at-end':
    'its steps are over, so there is nothing to stop: it is held by what came late, and pawl why RUN names what to say about that',
  pruned: 'the state of the run is gone, its time being over: it is filed, and nothing of the run moves',
  terminated: 'the run was terminated before this could apply',
  paused: 'it is paused already',
  'not-paused': 'it is not paused',
  pivot: 'the point of no return is confirmed: the run only goes forward',
  'waits-for-pivot':
    'the point of no return is in doubt: this is recorded, applies if it did not happen, and lapses if it did',
  quarantine: 'too early: a request that has left may still arrive',
  plan: 'the plan no longer fits the run: look at it again',
  'not-held': 'nothing there is held for a person; a run that moves forward is cancelled instead',
  compensating: 'the run is settling or undoing already',
  finally: 'the end is reached and finally runs: it stops only at a terminate',
  'cancel-waits': 'a cancel is recorded already and waits for the point of no return',
  'not-refused-for-good': 'retry, undone and waived are for compensations that were refused for good',
  'late-proof':
    'it was taken for not done: your word is kept, nothing of it is sent any more, and an operator decides (pawl show)',
  doubted:
    'it is in doubt from now on, so nothing of it is sent: say it again when a request that has left could have arrived (settlesWithin)',
  'not-a-late-proof': 'of an effect that was taken for not done only "confirmed" can be said',
  'not-in-doubt': 'that effect is not in doubt',
  'not-offered': 'that is not among the answers that can be given here',
  'evidence-missing': 'say what shows it: evidence is part of the receipt',
  'output-invalid': "confirmed needs the action's output: add --output JSON that fits its schema",
  'no-reconcile': 'that action cannot be asked what happened',
  'not-found': 'there is nothing under that name',
  undeclared: 'the workflow declares no such event',
  source: 'the event is not taken from that source',
  schema: "its data does not fit the event's schema",
  sequence: 'an event with the same or a higher number of its sender was applied before (rule V03)',
  unordered: "the event's number cannot be read, so it has no place in its sender's order (rule V03)",
  taken: 'another worker has pulled it, or it is not to be done any more',
  void: 'whoever asked has stopped waiting',
  'never-handed-out': 'nothing of that name was ever handed out',
  late: 'its lease is over, or it was settled before: what you say is kept with the run (rule E08)',
  'wait-over': 'the one step that it came for waits no more: it moves nothing',
  generation: 'it is about something that has been left meanwhile',
} as const satisfies Record<string, string>;

/** A code of an answer. */
export type AnswerCode = keyof typeof ANSWER_WORDS;

/** What an answer's code means; a code that is not known is given as it is. */
export function answerWords(code: string): string {
  return Object.hasOwn(ANSWER_WORDS, code) ? ANSWER_WORDS[code as AnswerCode] : code;
}
