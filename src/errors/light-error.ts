import { type ASTNode, GraphQLError, getLocation, locatedError, type Source, type SourceLocation } from 'graphql';

/** As for `GraphQLError`. */
export interface LightErrorOptions {
  readonly nodes?: readonly ASTNode[] | null | undefined;
  readonly path?: readonly (string | number)[] | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
  readonly originalError?: Error | null | undefined;
  /** Where in which text, if no nodes say so. */
  readonly places?: ErrorPlaces | null | undefined;
}

/** Places in a text, with the lines and columns of each position. */
export interface ErrorPlaces {
  readonly source: Source;
  readonly positions: readonly number[];
  readonly locations: readonly SourceLocation[];
}

/**
 * A `GraphQLError` for an answer, which may have one for each of thousands of items. The library's own costs some five
 * microseconds: it notes where in the program it is made, describes each member anew, and counts the lines of the document up
 * to its place. This one has no stack, and errors at the same fields share their locations. It shows clients the same.
 */
export function lightError(message: string, options: LightErrorOptions = {}): GraphQLError {
  return new LightError(message, options) as unknown as GraphQLError;
}

/** `locatedError` of the library, lightly: says where what was thrown happened, unless it does so itself. */
export function locateLightly(
  thrown: unknown,
  nodes: readonly ASTNode[],
  path: readonly (string | number)[],
): GraphQLError {
  if (!(thrown instanceof Error)) return locatedError(thrown, nodes, path);
  const known: Partial<GraphQLError> = thrown;
  if (Array.isArray(known.path)) return thrown as GraphQLError;
  const { source, positions, locations = [] } = known;
  const places = source && positions ? { source, positions, locations } : null;
  return lightError(thrown.message, { nodes: known.nodes ?? nodes, path, originalError: thrown, places });
}

/** The same error with these extensions. */
export function withExtensions(
  { message, nodes, path, source, positions, locations = [] }: GraphQLError,
  extensions: Readonly<Record<string, unknown>>,
): GraphQLError {
  const places = source && positions ? { source, positions, locations } : null;
  return lightError(message, { nodes, path, extensions, places });
}

class LightError {
  readonly message: string;
  readonly path: readonly (string | number)[] | undefined;
  readonly locations: readonly SourceLocation[] | undefined;
  readonly extensions: unknown;
  readonly nodes: readonly ASTNode[] | undefined;
  readonly source: Source | undefined;
  readonly positions: readonly number[] | undefined;
  readonly originalError: Error | undefined;

  constructor(message: string, { nodes, path, extensions, originalError, places }: LightErrorOptions) {
    const at = places ?? (nodes && nodes.length > 0 ? placesOf(nodes) : null);
    this.message = message;
    this.path = path ?? undefined;
    this.locations = at?.locations;
    this.extensions = extensions ?? extensionsOf(originalError) ?? Object.create(null);
    this.nodes = nodes && nodes.length > 0 ? nodes : undefined;
    this.source = at?.source;
    this.positions = at?.positions;
    this.originalError = originalError ?? undefined;
  }
}

// By its prototype it is an error of the library, and prints as one.
Object.setPrototypeOf(LightError.prototype, GraphQLError.prototype);
Object.defineProperty(LightError.prototype, 'name', { value: 'GraphQLError' });

function extensionsOf(error: object | null | undefined): unknown {
  const extensions = error && 'extensions' in error ? error.extensions : null;
  return typeof extensions === 'object' ? extensions : null;
}

const placesOfNodes = new WeakMap<readonly ASTNode[], ErrorPlaces | null>();

/** Where fields stand in their text; `null` if they were parsed without that. */
function placesOf(nodes: readonly ASTNode[]): ErrorPlaces | null {
  const known = placesOfNodes.get(nodes);
  if (known !== undefined) return known;
  const found = nodes.flatMap(({ loc }) => loc ?? []);
  const [first] = found;
  const places = first
    ? {
        source: first.source,
        positions: found.map(({ start }) => start),
        locations: found.map(({ source, start }) => getLocation(source, start)),
      }
    : null;
  placesOfNodes.set(nodes, places);
  return places;
}
