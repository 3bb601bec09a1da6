import { parseArgs } from 'node:util';
import { hostEnvironment } from '../../app/host.ts';
import { runDemo } from './run-demo.ts';
import { runKills } from './run-kills.ts';

/*
 * npm run demo                           the stories, under two minutes
 * npm run demo -- --kill 50 --seed 7     random kills; the book is compared after each
 */
const { values } = parseArgs({ options: { kill: { type: 'string' }, seed: { type: 'string', default: '1' } } });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const env = hostEnvironment();
const isGood =
  values.kill === undefined
    ? await runDemo(env, say)
    : await runKills(env, { kills: Number(values.kill), seed: Number(values.seed) }, say);
if (isGood && values.kill === undefined) {
  say('\nLook further:');
  say(
    '  npm run demo -- --kill 20 --seed 7                              kill processes at random and compare the book',
  );
  say('  npm run provider                                                the provider, for your own runs');
  say('  npx pawl validate workflows/order-fulfilment.pawl.yaml          what would be refused, with line and caret');
  say('  npx pawl visualize workflows/order-fulfilment.pawl.yaml --out order.svg');
}
process.exitCode = isGood ? 0 : 1;
