/** One HTTP action with a remembered key and its undo, as YAML lines of `actions`. */
export function httpAction(url: string, name: string, extra: readonly string[] = []): string {
  return [
    `  shop.${name}:`,
    `    http: { method: POST, url: '${url}/${name}' }`,
    '    idempotency: { header: Idempotency-Key, remembers: 24h }',
    '    timeout: 1s',
    '    settlesWithin: 1s',
    ...extra.map((line) => `    ${line}`),
  ].join('\n');
}

/** A saga of http calls against the provider, each undone by `un<name>`; the last may be a pivot or fail. */
export function sagaOf(
  url: string,
  steps: readonly string[],
  extra: Readonly<Record<string, readonly string[]>> = {},
): string {
  const actions = steps.flatMap((step) => [
    httpAction(url, step, [
      ...(extra[step] ?? []),
      `compensate: { call: shop.un${step}, with: { id: =effect.output.id } }`,
    ]),
    httpAction(url, `un${step}`, ['compensate: none']),
  ]);
  return [
    'pawl: 1',
    'workflow: saga',
    'version: 1',
    'timeout: 1h',
    'actions:',
    ...actions,
    'steps:',
    ...steps.map((step) => `  - { id: ${step}, call: shop.${step}, with: { step: ${step} } }`),
    `output: { last: =steps.${steps.at(-1) ?? ''}.output.id }`,
    '',
  ].join('\n');
}
