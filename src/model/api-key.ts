import { sha256 } from './hash.ts';

/** What a key may be used for, by the part that its holder has in the house; each is a set of rights. */
export const API_ROLES = ['viewer', 'operator', 'approver', 'author', 'admin'] as const;

/** One of the roles of a key. */
export type ApiRole = (typeof API_ROLES)[number];

/** Every right that a route may ask for: what it is about, and what is done with it. */
export const API_RIGHTS = [
  'definition:read',
  'definition:publish',
  'run:read',
  'run:start',
  'run:signal',
  'run:cancel',
  'run:terminate',
  'run:pause',
  'run:compensate',
  'run:retry',
  'effect:reconcile',
  'effect:review',
  'approval:decide',
  'audit:read',
] as const;

/** One of the rights. */
export type ApiRight = (typeof API_RIGHTS)[number];

const READS = ['definition:read', 'run:read'] as const;

/** The rights of each role. Nobody but an admin has all of them; who may decide an approval is also for its workflow to say. */
export const RIGHTS_OF: Readonly<Record<ApiRole, readonly ApiRight[]>> = {
  viewer: READS,
  operator: [
    ...READS,
    'run:start',
    'run:signal',
    'run:cancel',
    'run:terminate',
    'run:pause',
    'run:compensate',
    'run:retry',
    'effect:reconcile',
    'effect:review',
  ],
  approver: [...READS, 'approval:decide'],
  author: [...READS, 'definition:publish'],
  admin: API_RIGHTS,
};

/** A narrowing of a key: a right, or `*` for all, in workflows that fit a pattern with `*`. */
export interface KeyScope {
  readonly right: ApiRight | '*';
  readonly workflows: string;
}

/** An API key as stored; of its secret there is only the hash. */
export interface ApiKey {
  readonly keyId: string;
  readonly tenant: string;
  /** Whose key it is; one person or program may have several. */
  readonly principal: string;
  readonly roles: readonly ApiRole[];
  /** What of its roles it may use; none = all of it. */
  readonly scopes: readonly KeyScope[];
  /** SHA-256 of the secret, hex. */
  readonly secretHash: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
  /** From when on it counts no more, by the database's clock; null = never. */
  readonly expiresAtMs: number | null;
  readonly revoked: KeyRevocation | null;
}

/** Who has taken a key back, and why. */
export interface KeyRevocation {
  readonly by: string;
  readonly reason: string;
  readonly atMs: number;
}

/** The parts of a key's text. */
export interface KeyText {
  readonly keyId: string;
  readonly secret: string;
}

/** `pawl_`, 8 digits by which it is listed, 256 bits of secret, and 6 digits that a slip of the pen does not keep. */
const KEY = /^pawl_([0-9a-f]{8})_([0-9a-f]{64})([0-9a-f]{6})$/;
const CHECK_DIGITS = 6;

function checkDigits({ keyId, secret }: KeyText): string {
  return sha256(`pawl_${keyId}_${secret}`).slice(0, CHECK_DIGITS);
}

/** The text of a key, as it is shown once. */
export function writeKey(parts: KeyText): string {
  return `pawl_${parts.keyId}_${parts.secret}${checkDigits(parts)}`;
}

/** Reads the text of a key. @returns null for what no key can be: nothing is looked up for it. */
export function readKey(text: string): KeyText | null {
  const [, keyId, secret, check] = KEY.exec(text) ?? [];
  if (keyId === undefined || secret === undefined) return null;
  return checkDigits({ keyId, secret }) === check ? { keyId, secret } : null;
}

const SCOPE = /^([a-z]+:[a-z]+|\*)@([A-Za-z0-9_.*-]{1,128})$/;

/** Reads `RIGHT@WORKFLOWS`, as in `run:start@refund-*`. @returns null when it is none. */
export function readScope(text: string): KeyScope | null {
  const [, name, workflows] = SCOPE.exec(text) ?? [];
  const right = name === '*' ? name : API_RIGHTS.find((known) => known === name);
  return right === undefined || workflows === undefined ? null : { right, workflows };
}

/** Whether a name fits a pattern in which `*` stands for any characters; linear in both. */
export function fitsGlob(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return first === name;
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** What a caller may do. */
export type KeyRights = Pick<ApiKey, 'roles' | 'scopes'>;

/** Whether the roles give a right at all, whatever the workflow. */
export function hasRight({ roles, scopes }: KeyRights, right: ApiRight): boolean {
  const isGiven = roles.some((role) => RIGHTS_OF[role].includes(right));
  return isGiven && (scopes.length === 0 || scopes.some((scope) => isAbout(scope, right)));
}

/** Whether a right reaches a workflow. */
export function reaches(rights: KeyRights, right: ApiRight, workflow: string): boolean {
  if (!hasRight(rights, right)) return false;
  const { scopes } = rights;
  return scopes.length === 0 || scopes.some((scope) => isAbout(scope, right) && fitsGlob(scope.workflows, workflow));
}

function isAbout(scope: KeyScope, right: ApiRight): boolean {
  return scope.right === '*' || scope.right === right;
}
