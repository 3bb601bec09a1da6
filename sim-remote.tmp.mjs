
import { simulate, wholeSeed } from '/tmp/queue/main/src/testing/simulator/simulate.ts';
import { remote } from '/tmp/queue/main/src/testing/simulator/scenario-remote.ts';
const [from, count] = process.argv.slice(2).map(Number);
let bad = 0; const sum = {};
for (let seed = from; seed < from + count; seed += 1) {
  const r = await simulate({ ...wholeSeed(seed), draw: remote });
  for (const [k, v] of Object.entries(r.figures)) sum[k] = (sum[k] ?? 0) + v;
  if (r.violations.length > 0) { bad += 1; if (bad < 6) console.log(seed, JSON.stringify(r.violations.slice(0, 4))); }
}
console.log('seeds', count, 'bad', bad, JSON.stringify(sum));
