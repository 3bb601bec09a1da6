import { configDefaults, defineConfig } from 'vitest/config';
import { FlakedReporter } from './test/support/flaked.ts';

/** Tests beside a throw-away server. */
const SERVER = ['test/support/global-setup.ts'];
const ALL = ['test/**/*.test.ts'];
const inFolders = (...folders: readonly string[]): string[] => folders.map((folder) => `test/${folder}/**/*.test.ts`);
/** Files that cannot be played in the world of a variant (scripts/variants.mjs). */
const WITHOUT = (process.env['PAWL_TEST_WITHOUT'] ?? '').split(',').filter((file) => file !== '');
/** Tests of code without clock, environment or connection. */
const PURE = inFolders('actions', 'decision', 'definition', 'machine', 'model', 'picture', 'telemetry');
/** Tests that leave the process they run in as it was. */
const QUIET = inFolders('api', 'cases', 'client', 'docs', 'engine', 'testing');
/** Files of the first two share a process (`isolate: false`): most of their time was loading the same code again. */
const PROJECTS = [
  { extends: true as const, test: { name: 'pure', include: PURE, isolate: false } },
  { extends: true as const, test: { name: 'quiet', include: QUIET, isolate: false, globalSetup: SERVER } },
  { extends: true as const, test: { name: 'shell', include: ALL, exclude: [...PURE, ...QUIET], globalSetup: SERVER } },
];

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...WITHOUT],
    // A planted mutant must be loaded anew by each test: scripts/mutants-worker.mjs knows no projects.
    ...(process.env['PAWL_MUTANTS'] === undefined ? { projects: PROJECTS } : { include: ALL, globalSetup: SERVER }),
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // A second try in CI alone, and never a silent one: test/support/flaked.ts names each test that needed it.
    retry: process.env['CI'] === undefined ? 0 : 1,
    reporters: ['default', new FlakedReporter()],
    coverage: {
      provider: 'v8',
      reporter: ['text-summary', 'json-summary'],
      include: ['src/**/*.ts'],
      exclude: [
        'src/**/*.generated.ts',
        'src/cli/main.ts',
        'src/testing/chaos/**',
        'src/testing/demo/**',
        'src/testing/provider-main.ts',
        'src/testing/store-conformance/**',
      ],
      // What is reached today, as a floor that only rises. v8 counts each `??` and each default as a branch.
      thresholds: {
        'src/model/**': { functions: 100, branches: 98 },
        'src/decision/**': { functions: 100, branches: 98 },
        'src/definition/**': { lines: 98, functions: 99, branches: 96 },
        'src/machine/**': { lines: 98, functions: 99, branches: 96 },
        'src/engine/**': { lines: 93, functions: 90, branches: 90 },
        'src/worker/**': { lines: 95, branches: 85 },
        'src/store/**': { lines: 93, branches: 80 },
        'src/actions/**': { lines: 95, branches: 92 },
        'src/telemetry/**': { lines: 95, branches: 95 },
        'src/app/**': { lines: 95, branches: 85 },
        'src/api/**': { lines: 90, branches: 80 },
        'src/client/**': { lines: 95, branches: 85 },
        'src/cli/**': { lines: 94, branches: 84 },
        'src/picture/**': { lines: 95, branches: 80 },
        'src/testing/**': { lines: 90, branches: 80 },
      },
    },
  },
});
