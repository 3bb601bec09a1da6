import './test/store/postgres/statements.test.ts';
import './test/store/postgres/schema.test.ts';
import './test/cli/lock.test.ts';
import { run, provide } from 'vitest'; import { setup, teardown } from './test/support/global-setup.ts'; await setup({ provide }); try { await run(); } finally { await teardown(); } process.exit(0);
