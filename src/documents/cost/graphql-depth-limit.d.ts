/** The package has no types; these cover the part that is used. */
declare module 'graphql-depth-limit' {
  import type { DocumentNode, GraphQLError } from 'graphql';

  interface DepthLimitContext {
    getDocument(): DocumentNode;
    reportError(error: GraphQLError): void;
  }

  /**
   * Reports each operation whose fields nest deeper than `maxDepth`; a root field has depth 0, and fragments add none. Throws,
   * after writing to the console, on missing fragments and on cycles.
   */
  function depthLimit(maxDepth: number): (context: DepthLimitContext) => unknown;
  export = depthLimit;
}
