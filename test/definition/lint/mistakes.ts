/**
 * Mistakes of authors, each as the step that makes it. `⟦…⟧` marks what the caret must stand under; the generator takes
 * the marks out and computes line and columns from where it inserted the text.
 */
export interface Mistake {
  readonly code: string;
  /** Keys and values of the step, in order. */
  readonly step: readonly (readonly [string, string])[];
  /** The same step without the mistake. */
  readonly mended: readonly (readonly [string, string])[];
  /** Places where it cannot stand, for example because it would be another mistake there. */
  readonly notIn?: readonly Place[];
}

/** Where a step can be inserted in the sample. */
export const PLACES = ['top', 'choose', 'catch', 'middle', 'end'] as const;
/** One of the places. */
export type Place = (typeof PLACES)[number];

const call = (...more: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] => [
  ['id', 'planted'],
  ['call', 'shop.do'],
  ...more,
];

/** One mistake a code, and one mended twin. */
export const MISTAKES: readonly Mistake[] = [
  { code: 'PAWL-101', step: call(['⟦retires⟧', '{ attempts: 3 }']), mended: call(['retry', '{ attempts: 3 }']) },
  { code: 'PAWL-110', step: call(['timeout', '⟦5 minutes⟧']), mended: call(['timeout', '5m']) },
  {
    code: 'PAWL-201',
    step: [
      ['id', '⟦first⟧'],
      ['call', 'shop.do'],
    ],
    mended: call(),
  },
  {
    code: 'PAWL-202',
    step: call(['next', '⟦lst⟧'], ['maxJumps', '2']),
    mended: call(['next', 'planted'], ['maxJumps', '2']),
  },
  { code: 'PAWL-203', step: call(['next', '⟦hidden⟧']), mended: call(['next', 'end']), notIn: ['catch'] },
  { code: 'PAWL-206', step: call(['next', '⟦planted⟧']), mended: call(['next', 'planted'], ['maxJumps', '2']) },
  {
    code: 'PAWL-207',
    step: call(['with', '{ ref: =⟦steps.maybe.output.id⟧ }']),
    mended: call(['with', '{ ref: =steps.first.output.id }']),
  },
  { code: 'PAWL-208', step: call(['⟦maxJumps⟧', '3']), mended: call() },
  {
    code: 'PAWL-209',
    step: [
      ['id', 'planted'],
      ['await', '⟦payed⟧'],
    ],
    mended: [
      ['id', 'planted'],
      ['await', 'paid'],
    ],
  },
  { code: 'PAWL-210', step: [['set', '{ ⟦totl⟧: 3 }']], mended: [['set', '{ total: 3 }']] },
  {
    code: 'PAWL-211',
    step: call(['with', '{ ref: =⟦steps.frist.output.id⟧ }']),
    mended: call(['with', '{ ref: =steps.first.output.id }']),
  },
  {
    code: 'PAWL-212',
    step: [
      ['id', 'planted'],
      ['undo', '[⟦frist⟧]'],
    ],
    mended: [
      ['id', 'planted'],
      ['undo', '[first]'],
    ],
  },
  {
    code: 'PAWL-301',
    step: [
      ['id', 'planted'],
      ['call', '⟦shop.dp⟧'],
    ],
    mended: call(),
  },
  {
    code: 'PAWL-303',
    step: [
      ['id', 'planted'],
      ['call', '⟦shop.open⟧'],
    ],
    mended: [
      ['id', 'planted'],
      ['call', 'shop.open'],
      ['compensate', 'none'],
    ],
  },
  { code: 'PAWL-306', step: call(['authorizedBy', '⟦first⟧']), mended: call() },
  {
    code: 'PAWL-308',
    step: [
      ['id', 'planted'],
      ['approve', 'Go'],
      ['from', "['user:a', 'user:b']"],
      ['quorum', '⟦3⟧'],
      ['expires', '1h'],
    ],
    mended: [
      ['id', 'planted'],
      ['approve', 'Go'],
      ['from', "['user:a', 'user:b']"],
      ['quorum', '2'],
      ['expires', '1h'],
    ],
  },
  {
    code: 'PAWL-311',
    step: call(['retry', '⟦{ attempts: 1, delay: 5s }⟧']),
    mended: call(['retry', '{ attempts: 2, delay: 5s }']),
  },
  {
    code: 'PAWL-312',
    step: [
      ['id', 'planted'],
      ['call', 'shop.look'],
      ['⟦object⟧', 'x'],
    ],
    mended: [
      ['id', 'planted'],
      ['call', 'shop.look'],
    ],
  },
  { code: 'PAWL-313', step: call(['onUnknown', '⟦reconcile⟧']), mended: call(['onUnknown', 'review']) },
  {
    code: 'PAWL-315',
    step: [
      ['id', 'planted'],
      ['approve', 'Go'],
      ['from', "['role:boss', ⟦ana⟧]"],
      ['expires', '1h'],
    ],
    mended: [
      ['id', 'planted'],
      ['approve', 'Go'],
      ['from', "['role:boss', 'user:ana']"],
      ['expires', '1h'],
    ],
  },
  {
    code: 'PAWL-353',
    step: [
      ['id', 'planted'],
      ['⟦approve⟧', 'Go'],
      ['from', "['role:boss']"],
    ],
    mended: [
      ['id', 'planted'],
      ['approve', 'Go'],
      ['from', "['role:boss']"],
      ['expires', '1h'],
    ],
  },
  { code: 'PAWL-357', step: call(['timeout', '⟦2m⟧']), mended: call(['timeout', '90s']) },
  {
    code: 'PAWL-358',
    step: call(['catch', '[{ on: [⟦no-stok⟧, denied], then: continue }]']),
    mended: call(['catch', '[{ on: [no-stock, denied, http-402], then: continue }]']),
  },
  {
    code: 'PAWL-359',
    step: [
      ['id', 'planted'],
      ['fail', '{ code: ⟦No_Stock⟧ }'],
    ],
    mended: [
      ['id', 'planted'],
      ['fail', '{ code: no-stock }'],
    ],
  },
  {
    code: 'PAWL-701',
    step: call(['with', '{ token: =⟦secrets.token⟧ }']),
    mended: call(['with', '{ token: =input.name }']),
  },
  {
    code: 'PAWL-702',
    step: call(['with', "{ token: ⟦'sk_live_4eC39HqLyjWDarjtT1zdp7dc'⟧ }"]),
    mended: call(['with', '{ token: plain }']),
  },
  {
    code: 'PAWL-703',
    step: call(['with', '{ ref: =⟦steps.first.output.card⟧ }']),
    mended: call(['with', '{ ref: =steps.first.output.id }']),
  },
];
