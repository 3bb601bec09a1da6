/** Exit codes, the same for every verb; `docs/reference/cli.md` lists them. */
export const EXIT = {
  ok: 0,
  /** The run failed, was compensated, cancelled or terminated; `verify` found a broken invariant; `fmt --check` a file to format. */
  runFailed: 1,
  usage: 2,
  invalid: 3,
  notFound: 4,
  conflict: 5,
  auth: 6,
  /** The run waits for a person. */
  needsHuman: 7,
  /** An effect is UNKNOWN and nothing more can be done about it now. */
  unknown: 8,
  unreachable: 69,
  /** A fault of Pawl's own, never of the run. */
  internal: 70,
  interrupted: 130,
  /** Told to end by SIGTERM before it was done; nothing is left behind. */
  terminated: 143,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
