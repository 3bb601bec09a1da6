import type { JsonObject } from '../model/json.ts';
import { ACT_ROUTES } from './act-routes.ts';
import { AUDIT_ROUTES } from './audit-routes.ts';
import { BATCH_ROUTES } from './batch-routes.ts';
import { EFFECT_ROUTES } from './effect-routes.ts';
import { houseRoutes } from './house-routes.ts';
import { LINK_ROUTES } from './link-routes.ts';
import { LIST_ROUTES } from './list-routes.ts';
import { describeApi } from './open-api.ts';
import type { Route } from './route.ts';
import { PAUSE_ROUTES } from './pause-routes.ts';
import { RUN_ROUTES } from './run-routes.ts';
import { STREAM_ROUTES } from './stream-routes.ts';
import { WAITING_ROUTES } from './waiting-routes.ts';
import { WORKFLOW_ROUTES } from './workflow-routes.ts';

let described: JsonObject | null = null;

/** The description of the whole table, made when it is first asked for. */
export function openApi(): JsonObject {
  described ??= describeApi(ROUTES);
  return described;
}

/** The whole table: whatever the server answers is a row here. */
export const ROUTES: readonly Route[] = [
  ...houseRoutes(openApi),
  ...WORKFLOW_ROUTES,
  ...RUN_ROUTES,
  ...ACT_ROUTES,
  ...STREAM_ROUTES,
  ...EFFECT_ROUTES,
  ...BATCH_ROUTES,
  ...PAUSE_ROUTES,
  ...WAITING_ROUTES,
  ...LIST_ROUTES,
  ...AUDIT_ROUTES,
  ...LINK_ROUTES,
];
