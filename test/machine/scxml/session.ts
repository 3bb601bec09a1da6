import { createEvaluator } from '../../../src/definition/evaluator.ts';
import { readForm } from '../../../src/definition/form/read-form.ts';
import type { Finding } from '../../../src/definition/report-problem.ts';
import type { SourceMap } from '../../../src/definition/source-map.ts';
import { type Advance, advance, checkSnapshot, enter } from '../../../src/machine/advance.ts';
import { type CompiledMachine, compileMachine } from '../../../src/machine/compile.ts';
import { lower } from '../../../src/machine/lower.ts';
import { leavesOf } from '../../../src/machine/position.ts';
import { flowScope } from '../../../src/machine/scope.ts';
import type { WorkflowDefinition } from '../../../src/model/definition.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { KernelEvent } from '../../../src/model/kernel.ts';
import type { Machine } from '../../../src/model/machine.ts';
import { durationOf } from '../../../src/model/time-values.ts';
import { workflow } from '../support/definitions.ts';
import { eventView, identity } from '../support/driver.ts';
import type { ScxmlMachine } from './read-scxml.ts';

/** A definition whose workflow is this machine. @throws with what the reader finds wrong in it. */
export function definitionOf(machine: JsonObject, more: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  const found: Finding[] = [];
  const context = {
    map: null as unknown as SourceMap,
    report: (one: Finding) => found.push(one),
    ids: new Set<string>(),
  };
  const { form, steps } = readForm(context, { value: machine, pointer: '/machine' });
  if (found.length > 0) throw new Error(found.map(({ pointer, message }) => `${pointer}: ${message}`).join('\n'));
  return workflow(steps, { ...more, machine: form });
}

/**
 * A machine that runs as a store would make it run: between every two steps nothing lives but texts, and each step is made by
 * a machine that was compiled for it. Its clock stands still until it is told to go on.
 */
export class Session {
  readonly entered = new Set<string>();
  private readonly machine: string;
  private snapshot = '';
  private nowMs = 10_000;
  private timers: { readonly step: string; readonly dueAtMs: number }[] = [];

  constructor({ machine, vars }: ScxmlMachine) {
    this.machine = JSON.stringify(lower(definitionOf(machine, { vars: Object.entries(vars) })));
    const compiled = this.compiled();
    this.after(compiled, enter(compiled, this.env()));
    this.fire();
  }

  /** Time passes; what falls due is done in order. */
  pass(milliseconds: number): void {
    const until = this.nowMs + milliseconds;
    for (let due = this.nextDue(until); due !== null; due = this.nextDue(until)) {
      this.nowMs = due;
      this.fire();
    }
    this.nowMs = until;
  }

  send(name: string): void {
    const view = eventView(name);
    this.move({ type: 'event.received', event: view, atMs: this.nowMs, hold: false });
    this.fire();
  }

  /** The innermost states in which it rests. */
  get places(): readonly string[] {
    const { value } = JSON.parse(this.snapshot) as { value: JsonObject };
    return (leavesOf(this.compiled(), value) ?? []).map(({ id }) => id);
  }

  private compiled(): CompiledMachine {
    return compileMachine(JSON.parse(this.machine) as Machine);
  }

  private env(): { run: typeof identity; nowMs: number } {
    return { run: identity, nowMs: this.nowMs };
  }

  private move(event: KernelEvent): void {
    const compiled = this.compiled();
    const stored = checkSnapshot(compiled, JSON.parse(this.snapshot));
    this.after(compiled, advance(compiled, stored, event, this.env()));
  }

  private after(compiled: CompiledMachine, moved: Advance): void {
    this.snapshot = JSON.stringify(moved.snapshot);
    for (const id of moved.entered) this.entered.add(id);
    for (const { command, data } of moved.commands) {
      if (command.type === 'step.leave') this.timers = this.timers.filter(({ step }) => step !== command.step);
      if (command.type !== 'step.enter') continue;
      const step = compiled.step(command.step);
      if (step.verb !== 'wait' || step.wait.kind !== 'for') throw new Error(`nothing begins ${step.id} here`);
      const scope = flowScope(compiled, identity, data);
      const length = durationOf(
        createEvaluator(compiled.machine.definition).render(step.wait.duration, { kind: 'flow' }, scope),
      );
      if ('why' in length) throw new Error(length.why);
      this.timers.push({ step: step.id, dueAtMs: this.nowMs + length.ms });
    }
  }

  private nextDue(until: number): number | null {
    const due = this.timers.map(({ dueAtMs }) => dueAtMs).filter((at) => at <= until);
    return due.length === 0 ? null : Math.min(...due);
  }

  private fire(): void {
    for (let count = 0; count < 1_000; count += 1) {
      const timer = this.timers.find(({ dueAtMs }) => dueAtMs <= this.nowMs);
      if (timer === undefined) return;
      this.timers = this.timers.filter((one) => one !== timer);
      const outcome = { ok: true, output: null, attempts: 0 } as const;
      this.move({ type: 'step.settled', step: timer.step, outcome, atMs: this.nowMs, hold: false });
    }
    throw new Error('its timers come to no rest');
  }
}
