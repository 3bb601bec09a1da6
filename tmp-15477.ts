import './test/store/memory/conformance.test.ts';
import './test/engine/queues.test.ts';
import { run } from 'vitest'; await run();
