import type { NetworkProfile } from '../../config/network-profile.ts';
import type { EventQueryFilter } from '../../generated/own.ts';
import type { EventLeaf } from './event-leaf.ts';
import { necessaryLeaves } from './filter-tree.ts';
import type { EventFilterTree } from './parse-event-stream-filter.ts';

/** The most selective first. */
const selective: readonly EventLeaf['kind'][] = [
  'transaction',
  'moveEventType',
  'moveModule',
  'moveEventModule',
  'sender',
  'package',
];

/**
 * The narrowest query of this network that has every event that the filter matches. The gateway filters the rest.
 */
export function pushDown(tree: EventFilterTree, filters: NetworkProfile['events']['filters']): EventQueryFilter {
  const leaves = necessaryLeaves(tree);
  for (const kind of selective) {
    for (const leaf of leaves) {
      const query = leaf.kind === kind ? toQuery(leaf, filters) : null;
      if (query) return query;
    }
  }
  return { all: true };
}

/** The filters of `queryEvents` that select the same events; none if only the gateway can apply the filter. */
export function equalQueries(tree: EventFilterTree): readonly EventQueryFilter[] {
  if (tree.kind === 'all' && tree.parts.length === 0) return [{ all: true }];
  if (tree.kind !== 'leaf') return [];
  const { leaf } = tree;
  switch (leaf.kind) {
    case 'transaction':
      return [{ transaction: leaf.digest }];
    case 'moveEventType':
      return [{ eventType: leaf.type }, { moveEventType: leaf.type }];
    case 'moveModule':
      return [{ moveModule: { package: leaf.address, module: leaf.module } }];
    case 'moveEventModule':
      return leaf.event === null ? [{ moveEventModule: { package: leaf.address, module: leaf.module } }] : [];
    case 'sender':
      return [{ sender: leaf.address }];
    case 'package':
      return [{ package: leaf.address }];
    case 'timeRange':
      return [{ timeRange: { startTime: leaf.startMs, endTime: leaf.endMs } }];
    case 'moveEventField':
      return [];
  }
}

/** `null` if nodes of the network have no such filter. Times are filtered here: some nodes page through them for ever. */
function toQuery(leaf: EventLeaf, filters: NetworkProfile['events']['filters']): EventQueryFilter | null {
  switch (leaf.kind) {
    case 'transaction':
      return filters.transaction === null ? null : { transaction: leaf.digest };
    case 'moveEventType':
      return toTypeQuery(leaf.type, filters);
    case 'moveModule':
      return filters.moveModule === null ? null : { moveModule: { package: leaf.address, module: leaf.module } };
    case 'moveEventModule':
      return filters.moveEventModule === null
        ? null
        : { moveEventModule: { package: leaf.address, module: leaf.module } };
    case 'sender':
      return filters.sender === null ? null : { sender: leaf.address };
    case 'package':
      return filters.package === null ? null : { package: leaf.address };
    default:
      return null;
  }
}

/**
 * To some nodes a type without parameters means that type alone; here it means all its instantiations. So the query is for the
 * events of its module.
 */
function toTypeQuery(type: string, filters: NetworkProfile['events']['filters']): EventQueryFilter | null {
  const [address = '', module = ''] = type.split('::');
  if (!type.includes('<') && filters.moveEventModule !== null) return { moveEventModule: { package: address, module } };
  if (!type.includes('<')) return null;
  if (filters.moveEventType !== null) return { moveEventType: type };
  return filters.eventType === null ? null : { eventType: type };
}
