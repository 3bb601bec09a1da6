import { describe, expect, it } from 'vitest';
import { checkSnapshot } from '../../src/machine/advance.ts';
import type { Json } from '../../src/model/json.ts';
import { branch, call, choose, workflow } from './support/definitions.ts';
import { Driver } from './support/driver.ts';

describe('checkSnapshot', () => {
  const run = new Driver(workflow([choose('x', [branch('true', [call('a')])]), call('b')]));
  const good = run.snapshot;
  const refused =
    (change: object): (() => unknown) =>
    () =>
      checkSnapshot(run.compiled, { ...good, ...change });

  it('lets pass what advance gave, through JSON', () => {
    expect(checkSnapshot(run.compiled, JSON.parse(JSON.stringify(good)))).toEqual(good);
  });

  it('refuses with PAWL_SNAPSHOT_INVALID and says what does not fit', () => {
    expect(refused({ value: { $forward: 'x' } })).toThrow(expect.objectContaining({ code: 'PAWL_SNAPSHOT_INVALID' }));
    expect(refused({ value: { $forward: 'x' } })).toThrow('no state that this machine rests in');
  });

  it('refuses other keys, such as children or a status', () => {
    expect(refused({ children: {} })).toThrow('keys children,data,history,value');
    expect(() => checkSnapshot(run.compiled, null)).toThrow('no object');
    expect(() => checkSnapshot(run.compiled, 'x')).toThrow('no object');
  });

  it('refuses values that JSON has not', () => {
    const data = (vars: unknown): object => ({ data: { ...good.data, vars } });
    for (const value of [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      () => 1,
      new Date(0),
      new Map(),
      1n,
      Symbol('s'),
    ]) {
      expect(refused(data({ v: value }))).toThrow('at /data/vars/v');
    }
    let deep: Json = 1;
    for (let depth = 0; depth < 300; depth += 1) deep = [deep];
    expect(refused(data({ v: deep }))).toThrow('nested too deep');
  });

  it('refuses data of another shape or about steps that do not exist', () => {
    const { failing, ...rest } = good.data;
    expect(failing).toBeNull();
    expect(refused({ data: rest })).toThrow('no failing');
    expect(refused({ data: { ...good.data, more: 1 } })).toThrow('unknown key more');
    expect(refused({ data: { ...good.data, jumps: { gone: 1 } } })).toThrow('jumps names the unknown step gone');
    expect(refused({ data: { ...good.data, caught: [] } })).toThrow('caught is no object');
    expect(refused({ data: { ...good.data, visits: { main: -1 } } })).toThrow('no whole number');
    expect(refused({ data: { ...good.data, visits: { main: 0.5 } } })).toThrow('no whole number');
    expect(refused({ data: { ...good.data, vars: null } })).toThrow('no visits or vars');
    const turns = (value: unknown): object => ({ data: { ...good.data, turns: { r$turn: value } } });
    expect(refused(turns({ no: 1 }))).toThrow('turns without outputs');
    expect(refused(turns({ no: 0.5, outputs: [] }))).toThrow('no whole number');
    const items = (value: unknown): object => ({ data: { ...good.data, items: { m$item: value } } });
    expect(refused(items({ no: 1 }))).toThrow('items of another shape');
    expect(refused(items({ failed: {}, key: 1 }))).toThrow('items of another shape');
    expect(refused(items({ no: -1, count: 1, succeeded: 0, failed: {}, key: 'a' }))).toThrow('no whole number');
    expect(refused({ data: { ...good.data, finally: [] } })).toThrow('finally is no object');
    expect(refused({ data: { ...good.data, branches: [] } })).toThrow('branches that are no object');
    expect(refused({ data: { ...good.data, failingIn: 1 } })).toThrow('branches that are no object');
    expect(refused({ data: { ...good.data, branches: { gone: { ends: [] } } } })).toThrow('which is no parallel step');
    expect(refused(turns({ no: 1, outputs: [] }))).not.toThrow();
    expect(refused({ data: [] })).toThrow('its data is no object');
  });

  it('lets user data pass that looks like something else', () => {
    const odd: Json = JSON.parse('{"__proto__": {"x": 1}, "constructor": 1, "xstate$$type": 1}');
    const data = { ...good.data, vars: { odd } };
    expect(checkSnapshot(run.compiled, { ...good, data }).data.vars['odd']).toBe(odd);
  });
});
