import type { Numbers } from '../model/numbers.ts';
import type { ActionAdapter } from '../ports/action-adapter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Links } from '../ports/links.ts';
import type { Logger } from '../ports/logger.ts';
import type { Publisher } from '../ports/publisher.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { Store } from '../ports/store.ts';
import type { VersionCache } from './version-cache.ts';

/** Everything that use cases need from outside, in one place; built by the app, never changed. */
export interface Engine {
  readonly store: Store;
  readonly actions: ActionAdapter;
  readonly secrets: Secrets;
  /** Absent: no address is configured, so nothing that would hold one is sent. */
  readonly links?: Links;
  /** Absent: no receiver is configured, what is published stays in the outbox. */
  readonly publisher?: Publisher;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly numbers: Numbers;
  readonly versions: VersionCache;
  readonly tenant: string;
}
