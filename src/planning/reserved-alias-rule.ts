import { GraphQLError, type ValidationRule } from 'graphql';

/**
 * Aliases that begin like this are the gateway's: joins read their keys under them. Two underscores, because GraphQL
 * keeps such names for itself, so that no client has a reason to choose one.
 */
export const reservedAliasPrefix = '__join';

/** Refuses a client's alias that would stand in place of one of ours. */
export const ReservedAliasRule: ValidationRule = (context) => ({
  Field(node) {
    if (!node.alias?.value.startsWith(reservedAliasPrefix)) return;
    const message = `The alias "${node.alias.value}" is reserved: choose one that does not begin with "${reservedAliasPrefix}".`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});
