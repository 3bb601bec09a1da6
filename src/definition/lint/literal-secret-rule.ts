import type { LintContext } from './lint-context.ts';

/** Forms of credentials that are easily told from other text: prefixes that issuers publish, and keys in PEM form. */
const FORMS: readonly RegExp[] = [
  /^(sk|rk|pk)_(live|test)_[A-Za-z0-9]{16,}/,
  /^gh[pousr]_[A-Za-z0-9]{30,}/,
  /^github_pat_[A-Za-z0-9_]{30,}/,
  /^xox[abprs]-[A-Za-z0-9-]{10,}/,
  /^AKIA[A-Z0-9]{16}$/,
  /^eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\./,
  /^(Bearer|Basic)\s+[A-Za-z0-9+/=_.-]{16,}$/i,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]+:[^/\s:@]{4,}@/i,
];

/** A credential written into the file is published to everybody who can read a run. */
export function lintLiteralSecrets({ map, report }: LintContext): void {
  for (const [pointer, text] of map.scalars()) {
    if (!FORMS.some((form) => form.test(text))) continue;
    report({
      code: 'PAWL-702',
      pointer,
      message: 'this text looks like a secret',
      help: 'declare it under "secrets" and read it as =secrets.NAME in "auth" or "headers"; its value comes from the environment at each sending',
    });
  }
}
