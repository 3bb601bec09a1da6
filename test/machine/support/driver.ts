import { type Advance, advance, enter, type KernelEnv } from '../../../src/machine/advance.ts';
import { type CompiledMachine, compileMachine } from '../../../src/machine/compile.ts';
import { lower } from '../../../src/machine/lower.ts';
import type { WorkflowDefinition } from '../../../src/model/definition.ts';
import type { Digest, RunId } from '../../../src/model/ids.ts';
import type { Json } from '../../../src/model/json.ts';
import type { EventView, KernelCommand, KernelEvent } from '../../../src/model/kernel.ts';
import type { Failure, KernelSnapshot, RunData, RunIdentity } from '../../../src/model/run.ts';

export const identity: RunIdentity = {
  runId: '018f0000-0000-7000-8000-000000000001' as RunId,
  part: 0,
  tenant: 'default',
  workflow: 'sample',
  version: 1,
  digest: '0'.repeat(64) as Digest,
  key: 'K-1',
  startNumber: 1,
  input: {},
  startedAtMs: 1_000,
  startedBy: 'alice',
};

export function failure(code: string, more: Partial<Failure> = {}): Failure {
  return { code, class: 'rejected', message: code, step: null, data: null, cause: null, ...more };
}

export function eventView(name: string, data: Json = {}): EventView {
  return { id: 'e-1', name, data, source: 'signal:test', receivedAtMs: 5_000, sequence: null };
}

/** A run without decisions around it: the kernel alone, one event after the other. */
export class Driver {
  readonly compiled: CompiledMachine;
  readonly input: Json;
  holds = false;
  nowMs = 10_000;
  last: Advance;

  constructor(definition: WorkflowDefinition, input: Json = {}, options: { holds?: boolean } = {}) {
    // Through JSON: what is stored with the version is what runs.
    this.compiled = compileMachine(JSON.parse(JSON.stringify(lower(definition))));
    this.input = input;
    this.holds = options.holds ?? false;
    this.last = enter(this.compiled, this.env);
  }

  get env(): KernelEnv {
    return { run: { ...identity, input: this.input }, nowMs: this.nowMs, holds: this.holds };
  }

  get snapshot(): KernelSnapshot {
    return this.last.snapshot;
  }

  get data(): RunData {
    return this.last.snapshot.data;
  }

  get value(): Json {
    return this.last.snapshot.value;
  }

  /** The innermost state. */
  get at(): string {
    let value: Json = this.value;
    while (typeof value === 'object' && value !== null && !Array.isArray(value)) value = Object.values(value)[0] ?? '';
    return String(value);
  }

  get commands(): readonly KernelCommand[] {
    return this.last.commands.map((issued) => issued.command);
  }

  /** Commands in short: `enter a`. */
  get asked(): readonly string[] {
    return this.commands.map((one) => ('step' in one ? `${one.type} ${one.step}` : one.type));
  }

  give(event: KernelEvent): this {
    // A JSON round trip between all steps, as a store would make it.
    const stored: KernelSnapshot = JSON.parse(JSON.stringify(this.last.snapshot));
    this.last = advance(this.compiled, stored, event, this.env);
    return this;
  }

  ok(step: string, output: Json = null, attempts = 1): this {
    return this.settle(step, { ok: true, output, attempts });
  }

  fails(step: string, failing: Failure | string, hold = false): this {
    const reason = typeof failing === 'string' ? failure(failing, { step }) : failing;
    return this.settle(step, { ok: false, failure: reason, attempts: 1 }, hold);
  }

  private settle(
    step: string,
    outcome: Extract<KernelEvent, { type: 'effect.settled' }>['outcome'],
    hold = false,
  ): this {
    const type = this.compiled.step(step).verb === 'call' ? 'effect.settled' : 'step.settled';
    return this.give({ type, step, outcome, atMs: this.nowMs, hold });
  }

  take(step: string, index: number, options: { open?: boolean; event?: EventView } = {}): this {
    const handler = this.compiled.step(step).on[index];
    const event = options.event ?? eventView(handler?.event ?? 'changed');
    return this.give({
      type: 'handler.taken',
      step,
      handler: index,
      event,
      open: options.open ?? false,
      atMs: this.nowMs,
      hold: false,
    });
  }
}
