import type { App } from '../app/create-app.ts';
import { drawMachine, drawRun, type PictureFormat, type RunDrawing } from '../app/draw-workflow.ts';
import type { Machine } from '../model/machine.ts';

type Published = Awaited<ReturnType<App['publish']>>;
type Started = Awaited<ReturnType<App['start']>>;
type Stored = Awaited<ReturnType<App['version']>>;
type Person = ReturnType<App['principal']>;

/**
 * What the verbs ask for that a server carries out, too: embedded, on the database, or over the API. Who acts is said to the one, and
 * known to the other by the key.
 */
export interface Backend
  extends Pick<
    App,
    | 'signal'
    | 'vote'
    | 'cancel'
    | 'previewCancel'
    | 'terminate'
    | 'pause'
    | 'resume'
    | 'compensate'
    | 'previewCompensation'
    | 'retry'
    | 'resolve'
    | 'reconcile'
    | 'show'
    | 'list'
    | 'needs'
    | 'why'
    | 'approvals'
    | 'planBatch'
    | 'startBatch'
    | 'batch'
    | 'batches'
    | 'batchItems'
    | 'orderBatch'
    | 'orderVersion'
    | 'beginPause'
    | 'endPause'
    | 'pauses'
  > {
  principal(by: string | null): Pick<Person, 'name' | 'roles'>;
  publish(ask: Parameters<App['publish']>[0]): Promise<{
    readonly created: boolean;
    readonly version: Pick<Stored, 'workflow' | 'version'> & { readonly digest: string };
    readonly warnings: Published['warnings'];
  }>;
  publishCatalogue(ask: Parameters<App['publishCatalogue']>[0]): ReturnType<Backend['publish']>;
  start(ask: Parameters<App['start']>[0]): Promise<{
    readonly run: Pick<Started['run'], 'runId' | 'key' | 'workflow' | 'version'>;
    readonly created: boolean;
  }>;
  versions(): Promise<readonly { readonly workflow: string }[]>;
  /** @param version null = the highest. @throws PAWL_VERSION_NOT_FOUND. */
  version(
    workflow: string,
    version: number | null,
  ): Promise<Pick<Stored, 'version' | 'source' | 'publishedBy' | 'publishedAtMs'> & { readonly digest: string }>;
  /** A published version as a picture. @throws PAWL_VERSION_NOT_FOUND. */
  draw(workflow: string, version: number | null, format: PictureFormat): Promise<string>;
  /** The version of a run as a picture, with the way that it has gone. @throws PAWL_RUN_NOT_FOUND, PAWL_REVISION_NOT_FOUND. */
  drawRun(run: string, drawing: RunDrawing): Promise<string>;
  /** The alarm of whoever looks; null = it is not told there. */
  pulse(): Promise<Awaited<ReturnType<App['pulse']>> | null>;
  /** Has somebody work on what is started: this process, or the workers of the server. */
  runWorker(): Promise<unknown>;
}

/** The verbs carried out in this process. */
export function embeddedBackend(app: App): Backend {
  return {
    ...app,
    draw: async (workflow, version, format) => {
      const { machine } = await app.version(workflow, version);
      return drawMachine(JSON.parse(machine) as Machine, format);
    },
    drawRun: (run, drawing) => drawRun(app, run, drawing),
  };
}
