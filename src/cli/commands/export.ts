import { type Command, Option } from 'commander';
import { EXPORT_FORMATS, type ExportFormat, exportMachine } from '../../machine/export/export-machine.ts';
import type { Bind } from '../bind.ts';
import { readMachine } from '../read-machine.ts';
import { writeOut } from '../write-out.ts';

interface ExportOptions {
  readonly to: ExportFormat;
  readonly out?: string;
}

/** `pawl export FILE|NAME[@V] --to FORMAT`: the machine in the words of other tools. */
export function addExport(program: Command, bind: Bind): void {
  program
    .command('export')
    .description('write a workflow as a machine for other tools; it cannot be published back')
    .argument('<workflow>', 'a file, NAME or NAME@VERSION')
    .addOption(
      new Option('--to <form>', 'xstate: a module; json: its config')
        .choices([...EXPORT_FORMATS])
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'write to this file instead of standard output')
    .action(
      bind(async (context, workflow: string, { to, out }: ExportOptions) => {
        writeOut(context, exportMachine(await readMachine(context, workflow), to), { out, done: 'written' });
      }),
    );
}
