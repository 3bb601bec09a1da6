/** The trace that whoever started a run was in, as it was sent (W3C `traceparent`); like all that a run begins with, it does not change. */
export const TRACE = `
ALTER TABLE pawl.run ADD COLUMN traceparent text;
CREATE TRIGGER run_trace_immutable BEFORE UPDATE OF traceparent
  ON pawl.run FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();
`;
