import { describe, expect, it } from 'vitest';
import { bindStatement, readStatement } from '../../src/model/sql-statement.ts';

const bind = (text: string, given: Record<string, never> | object) =>
  bindStatement(readStatement(text), given as never);

describe('a statement', () => {
  it('E13 a value is bound beside the text and never pasted into it, with the type that JSON gives it', () => {
    // E13: "a transaction of their own with the run's commit"
    const text = 'UPDATE t SET a = :a, b = :b, c = :c, d = :d, e = :e, f = :f WHERE id = :a';
    const given = { a: "x'; DROP TABLE t; --", b: 7, c: 1.5, d: true, e: null, f: { g: [1] } };
    const bound = bind(text, given);
    expect(bound).toEqual({
      text: 'UPDATE t SET a = (($1->>0)), b = (($1->>1)::bigint), c = (($1->>2)::numeric), d = (($1->>3)::boolean), e = NULL, f = ($1->5) WHERE id = (($1->>6))',
      values: [given.a, 7, 1.5, true, null, given.f, given.a],
    });
    expect(JSON.stringify(bound).split('DROP').length).toBe(3);
  });

  it.each([
    ["SELECT ':a'", []],
    [`SELECT ":a" FROM t`, []],
    ["SELECT E'it\\'s :a', :b", ['b']],
    ["SELECT 'it''s :a', :b", ['b']],
    ['SELECT $$ :a $$, $tag$ :b $$ $tag$, :c', ['c']],
    ['SELECT x::text, :a::int -- :b', ['a']],
    ['SELECT /* :a /* :b */ :c */ :d', ['d']],
    ['SELECT x[1:2], y[1:z], :a', ['a']],
    ['SELECT :a, :b, :a', ['a', 'b', 'a']],
    ['SELECT f(x := :a)', ['a']],
  ])('finds the values of %s', (text, names) => {
    expect(readStatement(text)).toMatchObject({ names, fault: null });
  });

  it.each([
    ['SELECT 1', true],
    ['VALUES (1)', true],
    ['INSERT INTO t VALUES (1)', false],
    ['INSERT INTO t VALUES (1) RETURNING id', true],
    ['UPDATE t SET a = (SELECT 1)', false],
    ['WITH gone AS (DELETE FROM t RETURNING *) SELECT count(*) FROM gone', true],
    ['WITH it AS (SELECT 1 AS x) INSERT INTO t SELECT x FROM it', false],
    ['delete from t where a = 1;', false],
  ])('knows whether %s gives rows back', (text, returnsRows) => {
    expect(readStatement(text)).toMatchObject({ returnsRows, fault: null });
  });

  it.each([
    ['', /no statement/],
    ['-- nothing', /no statement/],
    ['SELECT 1; SELECT 2', /more than one/],
    ["SELECT 1; 'x'", /more than one/],
    ['CREATE TABLE t (a int)', /CREATE is none of/],
    ['COMMIT', /COMMIT is none of/],
    ['SET ROLE postgres', /SET is none of/],
    ['CALL p()', /CALL is none of/],
    ['WITH x AS (SELECT 1) TABLE x', /no statement|none of/],
    ['SELECT * INTO copy FROM t', /makes a table/],
    ['SELECT $1', /\$1 is the place of no value/],
    ["SELECT 'open", /never closed/],
    ['SELECT 1 /* open', /comment is never closed/],
  ])('E13 %s is none that an action can carry out', (text, why) => {
    // E13: "a transaction of their own with the run's commit"
    expect(readStatement(text).fault).toMatch(why);
  });

  it('says which value is missing', () => {
    expect(bind('SELECT :a, :b', { a: 1 })).toBe('b');
  });
});
