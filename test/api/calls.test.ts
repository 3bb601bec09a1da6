import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/api-error.ts';
import { Calls, CALLS_MAX } from '../../src/api/calls.ts';
import { problemAnswer } from '../../src/api/problem-json.ts';

/** A reply of which only the socket's side is looked at. */
function replyOf(): { readonly reply: FastifyReply; readonly raw: EventEmitter } {
  const raw = new EventEmitter();
  return { reply: { raw } as unknown as FastifyReply, raw };
}

describe('calls in hand', () => {
  it('S57 takes so many at a time, whether they are answered or left, and tells the others when to come again', () => {
    const calls = new Calls();
    const taken = Array.from({ length: CALLS_MAX }, replyOf);
    for (const { reply } of taken) calls.take(reply);
    const { reply: late } = replyOf();
    let refused: unknown;
    try {
      calls.take(late);
    } catch (error) {
      refused = error;
    }
    expect(refused).toBeInstanceOf(ApiError);
    expect(problemAnswer(refused, { requestId: 'r', path: '/' })).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
    });
    const [first, second] = taken;
    first?.raw.emit('finish');
    first?.raw.emit('close');
    calls.take(late);
    expect(() => calls.take(replyOf().reply)).toThrow('in hand');
    second?.raw.emit('close');
    expect(() => calls.take(replyOf().reply)).not.toThrow();
  });

  it('end their waiting when the caller goes, or the server', () => {
    const calls = new Calls();
    const [one, other] = [replyOf(), replyOf()];
    const [left, stays] = [calls.leavingOf(one.reply), calls.leavingOf(other.reply)];
    one.raw.emit('close');
    expect([left.aborted, stays.aborted]).toEqual([true, false]);
    calls.leave();
    expect(stays.aborted).toBe(true);
    expect(() => calls.take(replyOf().reply)).toThrow('stopping');
  });
});
