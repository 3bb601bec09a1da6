/** Public names for embedded use. */
export type { ActionFunction } from './actions/action-function.ts';
export { Pending, Rejected, Throttled, Unavailable } from './actions/function-outcomes.ts';
export { type Config, type ConfigSources, loadConfig } from './app/config.ts';
export { type App, type AppOptions, createApp } from './app/create-app.ts';
export type { Principal } from './app/principal.ts';
export type { Act, Verbs } from './app/verbs.ts';
export type { PullAsk, PulledAttempt } from './engine/pull-attempts.ts';
export type { ExtendAsk, SettleAsk } from './engine/settle-hand-out.ts';
export type { RunView } from './engine/run-view.ts';
export { DefinitionError, PawlError } from './model/errors.ts';
export type { Json } from './model/json.ts';
export type { Problem } from './model/problem.ts';
export type { RunStatus } from './model/statuses.ts';
export { startWorker, type Worker } from './worker/worker.ts';
