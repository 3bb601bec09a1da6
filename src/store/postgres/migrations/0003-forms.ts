/** A vote keeps what the voter filled in (rule A04). */
export const FORMS = `
ALTER TABLE pawl.vote
  ADD COLUMN form text;
`;
