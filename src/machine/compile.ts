import { createEvaluator } from '../definition/evaluator.ts';
import type { Machine } from '../model/machine.ts';
import { createKernel, type Kernel } from './kernel.ts';
import { createProgram, type Program } from './program.ts';

/** A machine ready to run: indexes, expressions and the kernel. Made once per digest and shared by all runs of it. */
export interface CompiledMachine extends Program {
  readonly kernel: Kernel;
}

/** Compiles a stored machine; the caller keeps it by digest. */
export function compileMachine(machine: Machine): CompiledMachine {
  const program = createProgram(machine, createEvaluator(machine.definition));
  return { ...program, kernel: createKernel(machine) };
}
