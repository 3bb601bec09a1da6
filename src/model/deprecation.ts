/** A published version by its name. */
export interface VersionName {
  readonly tenant: string;
  readonly workflow: string;
  readonly version: number;
}

/** That nothing new starts on a version: whoever said so, why and since when. */
export interface Deprecation extends VersionName {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}
