import { describe, it } from 'vitest';
import { doorConformance } from '../../src/testing/store-conformance/door.ts';
import type { ConformanceHarness } from '../../src/testing/store-conformance/harness.ts';
import { startConformance } from '../../src/testing/store-conformance/starts.ts';
import { openTestStore } from '../support/postgres.ts';

const harness: ConformanceHarness = { describe, it, open: () => openTestStore() };
doorConformance(harness);
startConformance(harness);
