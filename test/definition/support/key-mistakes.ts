/** The first keys of a file. */
export const HEAD = 'pawl: 1\nworkflow: sample\nversion: 1\ntimeout: 1d\n';
const STEPS = 'steps:\n  - { end: done }\n';
/** An action. */
export const PAY = `actions:
  pay:
    http: { method: POST, url: 'http://127.0.0.1:1/pay' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    compensate: none
`;
/** A file with this step. */
export const step = (text: string): string => `${HEAD}${PAY}steps:\n  - ${text}\n`;
/** A file with these document keys. */
export const doc = (text: string): string => `${HEAD}${text}\n${STEPS}`;
const action = (text: string): string => `${HEAD}${PAY}    ${text}\nsteps:\n  - { id: a, call: pay }\n`;

/** Mistakes in keys and values, each in a whole file; `⟦…⟧` is where it is told. */
export const KEY_MISTAKES: readonly (readonly [code: string, why: string, text: string, help: RegExp | null])[] = [
  ['PAWL-101', 'a misspelled key', step('{ id: a, ⟦cal⟧: pay }'), /did you mean `call`/],
  ['PAWL-101', 'a misspelled option', step('{ id: a, call: pay, ⟦onUnkown⟧: review }'), /did you mean `onUnknown`/],
  ['PAWL-101', 'another case', step('{ id: a, call: pay, ⟦on_unknown⟧: review }'), /did you mean `onUnknown`/],
  ['PAWL-101', 'a word of other tools', step('{ id: a, call: pay, ⟦if⟧: input.x }'), /did you mean `when`/],
  ['PAWL-101', 'a document key', doc('⟦acttions⟧: {}'), /did you mean `actions`/],
  ['PAWL-101', 'a key of retry', action('retry: { ⟦atempts⟧: 3 }'), /did you mean `attempts`/],
  ['PAWL-101', 'a key like none', step('{ id: a, call: pay, ⟦zzzzzzzzz⟧: 1 }'), /the keys here are/],
  ['PAWL-101', 'a key of a later part', doc('⟦schedul⟧: {}'), /^`schedule` is not yet part/],
  [
    'PAWL-101',
    'a key that is there already',
    step('{ id: a, call: pay, ⟦cal⟧: pay }'),
    /^the keys here are when, next/,
  ],
  ['PAWL-102', 'a missing id', step('⟦{ call: pay }⟧'), /add `id:`/],
  [
    'PAWL-102',
    'a missing key of an action',
    `${HEAD}actions:\n  ⟦pay⟧: { idempotency: natural, compensate: none }\n${STEPS}`,
    /`http:`/,
  ],
  [
    'PAWL-102',
    'a retention that is not said',
    `${HEAD}actions:\n  pay: { function: pay@1, compensate: none, ⟦idempotency⟧: { header: K } }\nsteps:\n  - { id: a, call: pay }\n`,
    /remembers/,
  ],
  ['PAWL-103', 'a number for text', doc('title: ⟦5⟧'), /"5"/],
  ['PAWL-103', 'a text for a list', doc('secrets: ⟦token⟧'), /write a list/],
  ['PAWL-103', 'a text for a step', step('⟦pay⟧'), /write a map/],
  ['PAWL-103', 'an id that is a number', step('{ id: ⟦1⟧, call: pay }'), /for example n1$/],
  [
    'PAWL-103',
    'a version that is a text',
    'pawl: 1\nworkflow: sample\nversion: ⟦"1"⟧\ntimeout: 1d\nsteps: [{ end: done }]\n',
    null,
  ],
  [
    'PAWL-103',
    'a version with a dot',
    'pawl: 1\nworkflow: sample\nversion: ⟦1.10⟧\ntimeout: 1d\nsteps: [{ end: done }]\n',
    null,
  ],
  [
    'PAWL-103',
    'a version in words',
    'pawl: 1\nworkflow: sample\nversion: ⟦one⟧\ntimeout: 1d\nsteps: [{ end: done }]\n',
    /in digits/,
  ],
  ['PAWL-103', 'a switch of YAML 1.1', step('{ id: a, call: pay, pivot: ⟦yes⟧ }'), /write `true`/],
  ['PAWL-103', 'another one', step('{ id: a, call: pay, pivot: ⟦Off⟧ }'), /write `false`/],
  ['PAWL-103', 'a word for a switch', step('{ id: a, call: pay, pivot: ⟦sure⟧ }'), /true or false/],
  ['PAWL-103', 'nothing after the colon', doc('description: ⟦⟧'), /after the colon/],
  ['PAWL-104', 'a word that is not allowed', doc('onFailure: ⟦compensat⟧'), /did you mean `compensate`/],
  [
    'PAWL-104',
    'a language that is not there',
    'pawl: ⟦2⟧\nworkflow: sample\nversion: one\ntimeout: 1d\nhooks: []\nsteps: [{ emit: done }]\n',
    /^write it in version 1, or use a release that reads version 2$/,
  ],
  [
    'PAWL-104',
    'a language in quotes',
    'pawl: ⟦"1"⟧\nworkflow: sample\nversion: 1\ntimeout: 1d\nsteps: [{ end: done }]\n',
    /write 1 without quotes/,
  ],
  [
    'PAWL-105',
    'a version of 0',
    'pawl: 1\nworkflow: sample\nversion: ⟦0⟧\ntimeout: 1d\nsteps: [{ end: done }]\n',
    null,
  ],
  ['PAWL-105', 'more than all jitter', action('retry: { attempts: 2, jitter: ⟦2⟧ }'), null],
  ['PAWL-106', 'a path without its slash', action('redact: [⟦card⟧]'), null],
  [
    'PAWL-106',
    'a quorum in words',
    step("{ id: a, approve: Sure?, from: ['role:x'], expires: 1h, quorum: ⟦two⟧ }"),
    /in digits/,
  ],
  ['PAWL-107', 'no steps', `${HEAD}steps: ⟦[]⟧\n`, null],
  [
    'PAWL-108',
    'no verb',
    step('⟦{ id: a }⟧'),
    /^say what it does: call, set, choose, wait, await, approve, fail, end$/,
  ],
  ['PAWL-109', 'two verbs', step('{ id: a, call: pay, ⟦wait⟧: 5s }'), /two steps/],
  ['PAWL-110', 'months', step('{ id: a, wait: ⟦1M⟧ }'), /addMonths/],
  ['PAWL-110', 'a negative wait', step('{ id: a, wait: ⟦P-1D⟧ }'), /10s/],
  ['PAWL-110', 'an empty wait', step('{ id: a, wait: ⟦""⟧ }'), /10s/],
  ['PAWL-023', 'a timeout without a unit', step('{ id: a, call: pay, timeout: ⟦30⟧ }'), /30s/],
  ['PAWL-023', 'a wait without a unit', step('{ id: a, wait: ⟦5⟧ }'), /5s/],
  ['PAWL-023', 'a delay without a unit', action('retry: { attempts: 2, delay: ⟦1⟧ }'), /1s/],
  ['PAWL-111', 'two transports', action('⟦function⟧: pay@1'), /keep one/],
  [
    'PAWL-112',
    'a workflow name with a blank',
    'pawl: 1\nworkflow: ⟦"my flow"⟧\nversion: 1\ntimeout: 1d\nsteps: [{ end: done }]\n',
    /my-flow/,
  ],
  ['PAWL-112', 'an id that begins with a digit', step('{ id: ⟦1st⟧, call: pay }'), /for example n1st/],
  ['PAWL-112', 'an id with a dash', step('{ id: ⟦my-step⟧, call: pay }'), /^for example myStep$/],
  ['PAWL-112', 'an id with an accent', step('{ id: ⟦Prüfung⟧, call: pay }'), /^for example prufung$/],
  ['PAWL-112', 'an id in other letters', step('{ id: ⟦支払い⟧, call: pay }'), /letters a to z/],
  ['PAWL-112', 'an id that every object has', step('{ id: ⟦__proto__⟧, call: pay }'), /^for example proto$/],
  ['PAWL-112', 'a name of a var', doc('vars: { ⟦my-var⟧: { type: integer, default: 0 } }'), /^for example myVar$/],
  ['PAWL-113', 'an id that is a word of CEL', step('{ id: ⟦in⟧, call: pay }'), /inStep/],
  ['PAWL-113', 'an id that is a root', step('{ id: ⟦input⟧, call: pay }'), /another id/],
  ['PAWL-114', 'a wrong type in a schema', doc('input: { type: ⟦strin⟧ }'), /did you mean `string`/],
  [
    'PAWL-114',
    'a wrong keyword in a schema',
    doc('input: { type: object, ⟦propertys⟧: {} }'),
    /did you mean `properties`/,
  ],
  ['PAWL-114', 'a remote reference', doc("input: { $ref: ⟦'https://example.com/x'⟧ }"), /same schema|#/],
  [
    'PAWL-114',
    'a pattern that is not linear',
    doc("input: { type: object, properties: { a: { type: string, pattern: ⟦'(?=x)'⟧ } } }"),
    null,
  ],
  ['PAWL-114', 'a default that does not fit', doc('vars: { n: { type: integer, default: ⟦x⟧ } }'), null],
  ['PAWL-115', 'an option of another verb', step('{ id: a, call: pay, ⟦quorum⟧: 2 }'), /take it out/],
  ['PAWL-117', 'an expression in an expression', step("{ id: a, call: pay, when: ⟦'${ input.x }'⟧ }"), /input\.x/],
  ['PAWL-118', 'an empty expression', step("{ id: a, call: pay, object: '⟦${ }⟧' }"), null],
  [
    'PAWL-120',
    'an else before the end',
    `${HEAD}steps:\n  - choose:\n      - ⟦else⟧: []\n      - { when: true, steps: [] }\n`,
    /end of the list/,
  ],
  ['PAWL-901', 'a verb of a later part', step('{ id: a, ⟦child⟧: other@1 }'), /later part/],
  [
    'PAWL-901',
    'an option of a later part',
    step("{ id: a, approve: Sure?, from: ['role:x'], ⟦remind⟧: 4h, expires: 8h }"),
    /later part/,
  ],
  [
    'PAWL-901',
    'a later kind of undo',
    step('{ id: a, call: pay, compensate: { call: pay, ⟦after⟧: [b] } }'),
    /later part/,
  ],
  ['PAWL-901', 'a later order of undo', doc('compensation: { order: ⟦parallel⟧ }'), /later part/],
  ['PAWL-901', 'a document key of a later part', doc('⟦retention⟧: 30d'), /later part/],
  ['PAWL-901', 'undo in a catch', step('{ id: a, call: pay, catch: [{ ⟦undo⟧: true }] }'), /later part/],
];
