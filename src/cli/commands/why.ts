import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { printJson } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { terminalText } from '../terminal-text.ts';
import { timeWords } from '../time-words.ts';

type Reason = Awaited<ReturnType<App['why']>>['reasons'][number];

/** `pawl why RUN`: one line, what a run waits for, since when, and who can move it. */
export function addWhy(program: Command, bind: Bind): void {
  program
    .command('why')
    .description('say what a run waits for, since when, and who can move it')
    .argument('<run>', 'run id or key')
    .action(
      bind(async (context, run: string) => {
        const why = await context.withBackend((app) => app.why(run));
        if (printJson(context, why)) return;
        const [first, ...others] = why.reasons;
        if (first !== undefined) context.print(terminalText(reasonLine(first)));
        for (const reason of others) context.say(terminalText(`  also: ${reasonLine(reason)}`));
      }),
    );
}

function reasonLine({ text, since, until, by, command }: Reason): string {
  const facts = [
    text,
    ...(since === null ? [] : [`since ${timeWords(since)}`]),
    ...(until === null ? [] : [`until ${timeWords(until)}`]),
    ...(by.length === 0 ? [] : [`moved by ${by.join(' or ')}`]),
  ];
  return `${facts.join(', ')}${command === null ? '' : `: ${command}`}`;
}
