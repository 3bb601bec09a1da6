import type { Json } from '../model/json.ts';
import type { AttemptReport } from '../model/outcome.ts';

/** What stands where a secret stood. */
const CENSORED = '[secret]';
/** A shorter value is in too many honest answers, and protects nothing. */
const SECRET_CHARS_MIN = 6;

/** Base 64 of a value wherever it begins in a longer text, without what its neighbours decide. */
function base64Forms(value: string, encoding: 'base64' | 'base64url'): readonly string[] {
  return ['', 'x', 'xx'].map((before) => {
    const bytes = Buffer.from(before + value);
    const from = Math.ceil((before.length * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return bytes.toString(encoding).slice(from, to);
  });
}

/** The forms in which a provider may tell a secret back: as it is, in JSON, in a URL, in base 64. */
function formsOf(value: string): readonly string[] {
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    new URLSearchParams([['', value]]).toString().slice(1),
    ...base64Forms(value, 'base64'),
    ...base64Forms(value, 'base64url'),
  ];
}

function replaced(text: string, forms: readonly string[]): string {
  return forms.reduce((clean, form) => clean.replaceAll(form, CENSORED), text);
}

function scrubJson(value: Json, forms: readonly string[]): Json {
  if (typeof value === 'string') return replaced(value, forms);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => scrubJson(item, forms));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [replaced(key, forms), scrubJson(item, forms)]));
}

/** Bytes by their own values, so that nothing else of them changes. */
function scrubBytes(bytes: Uint8Array, forms: readonly string[]): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  const clean = replaced(
    text,
    forms.map((form) => Buffer.from(form).toString('latin1')),
  );
  return clean === text ? bytes : new Uint8Array(Buffer.from(clean, 'latin1'));
}

/**
 * What an adapter saw, without the secrets that went out with it: a provider that tells them back must not bring them
 * into the ledger, a receipt or a message (P12). What holds none is returned as it came.
 * @param values the secrets of this sending; those under 6 characters are not looked for.
 */
export function scrubReport(report: AttemptReport, values: readonly string[]): AttemptReport {
  const forms = [...new Set(values.filter((value) => value.length >= SECRET_CHARS_MIN).flatMap(formsOf))];
  if (forms.length === 0) return report;
  switch (report.kind) {
    case 'answered':
      return {
        ...report,
        headers: Object.fromEntries(
          Object.entries(report.headers).map(([name, text]) => [name, replaced(text, forms)]),
        ),
        body: report.body === undefined ? undefined : scrubJson(report.body, forms),
        bodyBytes: scrubBytes(report.bodyBytes, forms),
        unreadable: report.unreadable === null ? null : replaced(report.unreadable, forms),
      };
    case 'declared':
      return {
        ...report,
        code: report.code === null ? null : replaced(report.code, forms),
        data: scrubJson(report.data, forms),
      };
    case 'undone':
      return { ...report, reason: replaced(report.reason, forms), data: scrubJson(report.data, forms) };
    case 'broken':
    case 'unsent':
      return { ...report, reason: replaced(report.reason, forms) };
  }
}
