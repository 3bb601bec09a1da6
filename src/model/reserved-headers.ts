/** Headers that belong to the connection, or that say something we do not do. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Whether a header is not a workflow's to set: one of the connection, of a proxy, or one of our own marks (E04). */
export function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return CONNECTION_HEADERS.has(lower) || lower.startsWith('proxy-') || lower.startsWith('pawl-');
}
