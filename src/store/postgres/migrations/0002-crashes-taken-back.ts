/**
 * A seat says which run was counted as having crashed its process, so that a process which lives after all can take the
 * count back, and whether it is a visitor's, whose loss counts against nobody (rule P06).
 */
export const CRASHES_TAKEN_BACK = `
ALTER TABLE pawl.seat
  ADD COLUMN visitor boolean NOT NULL DEFAULT false,
  ADD COLUMN crashed uuid;
`;
