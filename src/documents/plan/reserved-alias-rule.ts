import { GraphQLError, type ValidationRule } from 'graphql';

/**
 * Prefix of the gateway's own aliases, under which joins read their keys. GraphQL reserves names that begin with two
 * underscores, so clients have no reason to use it.
 */
export const reservedAliasPrefix = '__join';

/** Refuses aliases of clients that could replace the gateway's own. */
export const ReservedAliasRule: ValidationRule = (context) => ({
  Field(node) {
    if (!node.alias?.value.startsWith(reservedAliasPrefix)) return;
    const message = `The alias "${node.alias.value}" is reserved: choose one that does not begin with "${reservedAliasPrefix}".`;
    context.reportError(new GraphQLError(message, { nodes: node }));
  },
});
