import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Json } from '../model/json.ts';
import { readJson } from '../model/read-json.ts';
import type { CliContext } from './cli-context.ts';
import { UsageError } from './report-error.ts';

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'this user may not touch it',
  ENAMETOOLONG: 'the name is too long',
};

/** Why a file could not be read or written, in words. @param missing what is said when there is nothing of that name. */
export function fileReason(error: unknown, missing = 'there is no such file'): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return missing;
  return (typeof code === 'string' ? REASONS[code] : undefined) ?? 'the system refuses it';
}

/** Reads a file of the caller's folder as it is. @throws UsageError naming it when it cannot be read. */
export function readBytes(context: CliContext, file: string): Buffer {
  try {
    return readFileSync(resolve(context.host.folder, file));
  } catch (error) {
    throw new UsageError(`${file}: ${fileReason(error)}`);
  }
}

/** Reads a file of the caller's folder as text. @throws UsageError naming it when it cannot be read or is no text. */
export function readTextFile(context: CliContext, file: string): string {
  const bytes = readBytes(context, file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: it is no text in UTF-8`);
  }
}

/**
 * A JSON argument: the text itself, `@FILE`, or `-` for standard input.
 * @param name how messages call it, for example `--input`.
 */
export async function readJsonArgument(context: CliContext, text: string, name: string): Promise<Json> {
  if (text === '-') return readJson(await context.host.readInput(), name);
  if (text.startsWith('@')) return readJson(readTextFile(context, text.slice(1)), text.slice(1));
  return readJson(text, name);
}

/** `name` or `name@3`. @throws UsageError for anything else. */
export function readVersionName(text: string): { readonly workflow: string; readonly version: number | null } {
  const match = /^([a-z][a-z0-9-]{0,63})(?:@([1-9]\d{0,8}))?$/.exec(text);
  if (match?.[1] === undefined)
    throw new UsageError(
      `"${text}" is neither a file nor a workflow: write NAME, NAME@VERSION, or a path that ends in .yaml or .json`,
    );
  return { workflow: match[1], version: match[2] === undefined ? null : Number(match[2]) };
}

/** Whether an argument means a file rather than a published workflow. */
export function isFileName(text: string): boolean {
  return /\.(?:ya?ml|json)$/.test(text) || text.includes('/');
}
