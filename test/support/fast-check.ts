import fc from 'fast-check';

const seed = process.env['PAWL_SEED'];
// A landing is tried with the seed of its commit, so that what was seen green is what lands; everyone else draws a new one.
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });

/** fast-check with the seed of PAWL_SEED where it is set; a failure prints the seed and the counterexample's path. */
export { fc };
