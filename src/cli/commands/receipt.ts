import type { Command } from 'commander';
import { type CliContext, printJson } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Bind } from '../bind.ts';
import { terminalText } from '../terminal-text.ts';
import { counted } from '../time-words.ts';

/** `pawl receipt verify RUN`: recomputes every hash of a run's chain of receipts. */
export function addReceipt(program: Command, bind: Bind): void {
  program
    .command('receipt')
    .description('receipts: proof of what happened')
    .command('verify')
    .description("recompute a run's receipts: one flipped byte is found")
    .argument('<run>', 'run id or key')
    .action(bind((context, run: string) => verify(context, run)));
}

async function verify(context: CliContext, run: string): Promise<void> {
  const { receipts, faults } = await context.withApp((app) => app.verify(run));
  context.exit = faults.length === 0 ? EXIT.ok : EXIT.conflict;
  if (printJson(context, { receipts, faults })) return;
  for (const receipt of receipts) {
    context.print(
      `#${receipt.receiptNo}  ${receipt.outcome}  ${terminalText(receipt.externalId ?? '-')}  by ${receipt.observedBy}  ${receipt.integrity.slice(0, 16)}`,
    );
  }
  for (const fault of faults) context.print(context.paint.bad(`✘ ${terminalText(JSON.stringify(fault))}`));
  context.print(
    faults.length === 0
      ? `${counted(receipts.length, 'receipt')} verified ✔`
      : `${counted(faults.length, 'fault')} in ${counted(receipts.length, 'receipt')}`,
  );
}
