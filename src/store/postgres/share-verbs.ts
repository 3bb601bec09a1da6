import type { EffectKey, RunId } from '../../model/ids.ts';
import type { SharedEffect } from '../../model/shared-effect.ts';
import type { Store } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { parse, textOf } from './rows.ts';
import { PUT_SHARED_EFFECT, SHARED_EFFECT, SHARED_EFFECTS } from './sql/share.ts';

function shareFromRow(row: Row): SharedEffect {
  return {
    part: row['part'] as number,
    tenant: row['tenant'] as string,
    effectKey: row['effect_key'] as EffectKey,
    ingredients: parse<SharedEffect['ingredients']>(row['ingredients']),
    requestHash: row['request_hash'] as string | null,
    state: row['state'] as SharedEffect['state'],
    owner: row['owner'] as RunId | null,
    outcome: row['outcome'] === null ? null : parse<SharedEffect['outcome']>(row['outcome']),
    users: parse<SharedEffect['users']>(row['users']),
    version: row['version'] as number,
  };
}

/** The verbs of acts that runs share. */
export function shareVerbs({ run }: Connections): Pick<Store, 'sharedEffect' | 'putSharedEffect' | 'sharedEffects'> {
  return {
    sharedEffect: async (part, effectKey) => {
      const [row] = await run(SHARED_EFFECT, [part, effectKey]);
      return row === undefined ? null : shareFromRow(row);
    },
    putSharedEffect: async (row) => {
      const { part, effectKey, tenant, version, state, owner, requestHash } = row;
      const texts = [textOf(row.ingredients), requestHash, row.outcome && textOf(row.outcome), textOf(row.users)];
      const written = await run(PUT_SHARED_EFFECT, [part, effectKey, tenant, version, state, owner, ...texts], 'write');
      return written.length > 0;
    },
    sharedEffects: async (part, after, limit) => (await run(SHARED_EFFECTS, [part, after, limit])).map(shareFromRow),
  };
}
