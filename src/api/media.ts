import { ApiError } from './api-error.ts';
import type { Route } from './route.ts';

/** A media type of the route, as it is or with the one charset that is read; nothing that is nearly so. */
function isReadable(given: string, media: string): boolean {
  return (
    given === media || (/^; ?charset=(?:utf-8|"utf-8")$/i.test(given.slice(media.length)) && given.startsWith(media))
  );
}

/**
 * Refuses a body whose kind the route does not read, before a byte of it is looked at: what is not known for sure to be JSON
 * is never read as JSON.
 * @param headers names in lower case.
 * @throws PAWL_API_MEDIA_TYPE.
 */
export function checkMedia(
  { body }: Route,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new ApiError('PAWL_API_MEDIA_TYPE', 'a compressed body is not read');
  if (body === undefined) return;
  const media = body.kind === 'json' ? ['application/json'] : body.media;
  const given = headers['content-type'];
  if (typeof given === 'string' && media.some((known) => isReadable(given, known))) return;
  throw new ApiError('PAWL_API_MEDIA_TYPE', `the body of this route is ${media.join(' or ')}: say so in Content-Type`);
}
