/** `pawl/client`: the HTTP API as typed calls, made from the same table as the server; it needs nothing but `fetch`. */
export { ClientError } from './client-error.ts';
export { type Client, type ClientOptions, createClient } from './create-client.ts';
export type { Operations, Problem, RunView } from './generated/operations.generated.ts';
export type { Reply } from './send.ts';
