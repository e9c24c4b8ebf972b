/** The package has no types of its own; this is the part of it that is used. */
declare module 'graphql-depth-limit' {
  import type { DocumentNode, GraphQLError } from 'graphql';

  interface DepthLimitContext {
    getDocument(): DocumentNode;
    reportError(error: GraphQLError): void;
  }

  /**
   * Reports each operation whose fields nest deeper than `maxDepth`, an outermost field having depth 0. Fragments are no
   * levels. Throws, after writing to the console, on fragments that are missing or contain themselves.
   */
  function depthLimit(maxDepth: number): (context: DepthLimitContext) => unknown;
  export = depthLimit;
}
