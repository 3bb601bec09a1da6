import type { Client, Operations, Reply } from '../client/index.ts';
import type { Backend } from './backend.ts';
import { askServer } from './served-error.ts';

type Filter = Parameters<Backend['list']>[0];
type Lists = Pick<Backend, 'list' | 'needs' | 'why' | 'approvals'>;

/** Lines that one answer of the API has at most. */
const PAGE_MAX = 200;

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/** Where a page begins, and how many lines it has. */
interface Asked {
  readonly limit: string;
  readonly cursor?: string;
}

/**
 * So much as was asked for, page by page.
 * @param count how much of it some lines are.
 */
export async function pages<T>(
  limit: number,
  turn: (asked: Asked) => Promise<Reply<Page<T>>>,
  count: (lines: readonly T[]) => number = (lines) => lines.length,
): Promise<readonly T[]> {
  const lines: T[] = [];
  let cursor: { readonly cursor?: string } | null = {};
  while (cursor !== null && count(lines) < limit) {
    const asked: Asked = { ...cursor, limit: String(Math.min(PAGE_MAX, limit - count(lines))) };
    const { data, nextCursor }: Page<T> = (await askServer(turn(asked))).data;
    lines.push(...data);
    cursor = nextCursor === null ? null : { cursor: nextCursor };
  }
  return lines;
}

interface FilterQuery {
  workflow?: string;
  status?: string;
  q?: string;
  step?: string;
  label?: string;
}

function filterOf({ workflow, statuses, q, step, labels }: Filter): FilterQuery {
  const label = Object.entries(labels ?? {}).map(([name, value]) => `${name}:${value}`);
  return {
    ...(step === undefined ? {} : { step }),
    ...(label.length === 0 ? {} : { label: label.join(',') }),
    ...(workflow === null ? {} : { workflow }),
    ...(statuses === null ? {} : { status: statuses.join(',') }),
    ...(q === null ? {} : { q }),
  };
}

type Need = Operations['listNeeds']['answer']['data'][number];

/** The lists that a server tells, as they are told here. */
export function servedLists(client: Client): Lists {
  return {
    list: (filter) =>
      pages(filter.limit, (asked) => client.listRuns({ query: { ...filterOf(filter), ...asked } })) as ReturnType<
        Lists['list']
      >,
    needs: (filter) =>
      pages<Need>(
        filter.limit,
        (asked) => client.listNeeds({ query: { ...filterOf({ ...filter, needsHuman: true }), ...asked } }),
        (needs) => new Set(needs.map(({ run }) => run)).size,
      ),
    approvals: ({ states, workflow, dueBeforeMs, voter, limit }) =>
      pages(limit, (asked) =>
        client.listApprovals({
          query: {
            ...asked,
            ...(states === undefined ? {} : { status: states.join(',') }),
            ...(workflow === undefined ? {} : { workflow }),
            ...(dueBeforeMs === undefined ? {} : { dueBefore: new Date(dueBeforeMs).toISOString() }),
            // Who votes there is whose key it is.
            ...(voter === undefined ? {} : { mine: 'true' }),
          },
        }),
      ) as ReturnType<Lists['approvals']>,
    why: async (run) => (await askServer(client.whyRun({ params: { run } }))).data,
  };
}
