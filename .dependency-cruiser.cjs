/**
 * The layer table of ARCHITECTURE.md, one rule a row. `test/tooling/import-rules.test.ts` plants one violation per rule.
 * Type imports count (tsPreCompilationDeps).
 */
const libraries = (...names) => names.map((name) => `(^|/)node_modules/${name}(/|$)`).join('|');

/** A layer may import its own folder, the layers named, and the libraries named (plus any `node:` module named). */
function layer(name, { folders, npm = [], node = [] }) {
  const inside = [name, ...folders].map((folder) => `^src/${folder}(/|$)`);
  const allowed = [...inside, ...npm.map((n) => libraries(n)), ...node.map((n) => `^(node:)?${n}$`)];
  return {
    name: `layer-${name.replaceAll('/', '-')}`,
    severity: 'error',
    comment: `${name} may import: ${folders.join(', ') || 'nothing of the house'}`,
    from: { path: `^src/${name}/` },
    to: { pathNot: allowed },
  };
}

const core = ['model'];
const onlyIn = (library, where, name = library) => ({
  name: `only-${name.replace(/[^a-z0-9]+/gi, '-')}`,
  severity: 'error',
  comment: `${library} is imported only in ${where}`,
  from: { path: '^src/', pathNot: where },
  to: { path: libraries(library) },
});

module.exports = {
  forbidden: [
    { name: 'no-cycle', severity: 'error', comment: 'no cycles, type imports included', from: { path: '^src/' }, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    { name: 'no-dev-dependency', severity: 'error', from: { path: '^src/' }, to: { dependencyTypes: ['npm-dev'] } },
    layer('model', { folders: [], npm: ['canonicalize'], node: ['crypto'] }),
    layer('definition', { folders: core, npm: ['yaml', 'ajv', 'ajv-formats', '@marcbachmann/cel-js', 're2js', 'leven', 'croner'] }),
    layer('machine', { folders: ['definition', ...core], npm: ['xstate'] }),
    layer('decision', { folders: ['machine', 'definition', ...core] }),
    layer('ports', { folders: core }),
    layer('engine', { folders: ['decision', 'machine', 'definition', 'ports', ...core] }),
    layer('worker', { folders: ['engine', 'ports', ...core] }),
    layer('picture', { folders: core, npm: ['elkjs'], node: ['worker_threads', 'module'] }),
    layer('store', { folders: ['ports', ...core], npm: ['pg'], node: ['[a-z_]+(/promises)?'] }),
    layer('actions', { folders: ['ports', ...core], npm: ['undici', 'oauth4webapi'], node: ['[a-z_]+(/promises)?'] }),
    layer('telemetry', { folders: ['ports', ...core], npm: ['pino', 'prom-client', '@opentelemetry/api'], node: ['[a-z_]+(/promises)?'] }),
    {
      name: 'layer-app',
      severity: 'error',
      comment: 'app and testing may import everything but api, cli and console',
      from: { path: '^src/(app|testing)/' },
      to: { path: '^src/(api|cli|console)/' },
    },
    layer('api', { folders: ['app', 'definition', 'ports', ...core], npm: ['fastify'], node: ['[a-z_]+(/promises)?'] }),
    layer('client', { folders: [] }),
    layer('cli', { folders: ['api', 'client', 'app', 'testing', 'definition', 'machine', 'ports', ...core], npm: ['commander', '@clack/prompts', 'picocolors', 'leven'], node: ['[a-z_]+(/promises)?'] }),
    onlyIn('xstate', '^src/machine/kernel\\.ts$'),
    onlyIn('yaml', '^src/(definition/read-yaml|app/config)\\.ts$'),
    onlyIn('ajv', '^src/definition/schema-validator\\.ts$'),
    onlyIn('@marcbachmann/cel-js', '^src/definition/expression-engine\\.ts$', 'cel'),
    onlyIn('croner', '^src/definition/cron-times\\.ts$'),
    onlyIn('canonicalize', '^src/model/canonical-json\\.ts$'),
    onlyIn('pg', '^src/store/postgres/'),
    onlyIn('undici', '^src/actions/'),
    onlyIn('oauth4webapi', '^src/actions/'),
    onlyIn('elkjs', '^src/picture/'),
    onlyIn('fastify', '^src/api/'),
    {
      name: 'only-crypto-in-model',
      severity: 'error',
      comment: 'model hashes in one file',
      from: { path: '^src/model/', pathNot: '^src/model/hash\\.ts$' },
      to: { path: '^(node:)?crypto$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.generated\\.ts$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  },
};
