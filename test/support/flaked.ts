import type { Reporter, TestCase } from 'vitest/node';

/** So many tests may need their second try in one landing; more of them are taken for a broken one. */
const FLAKED_MAX = 2;

/**
 * Tells which tests passed only at their second try: CI gives one, so that a slow machine does not turn away a
 * landing, and every flaked test is printed by name, since it is a fault of the test or a race in the product.
 */
export class FlakedReporter implements Reporter {
  readonly #flaked: TestCase[] = [];

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#flaked.push(test);
  }

  onTestRunEnd(): void {
    for (const test of this.#flaked) {
      const [first] = test.result().errors ?? [];
      console.error(`FLAKED ${test.module.relativeModuleId} > ${test.fullName}\n  ${first?.message ?? ''}`);
    }
    if (this.#flaked.length <= FLAKED_MAX) return;
    console.error(`${this.#flaked.length} tests flaked; at most ${FLAKED_MAX} may`);
    process.exitCode = 1;
  }
}
