import { gatewayError } from '../../errors/gateway-error.ts';

type Resolve = (...args: never[]) => unknown;
interface Sponsorship {
  readonly Mutation: { readonly reserveGas: Resolve; readonly executeTx: Resolve };
}

/**
 * Lets nobody spend the sponsor's gas while what the instances share is away: each would count by itself, and together they
 * would grant what none of them may.
 * @param isShared asked before each; resolves within the time that the shared store may take
 */
export function requireSharedStore<Resolvers extends Sponsorship>(
  resolvers: Resolvers,
  isShared: () => Promise<boolean>,
): Resolvers {
  const guarded = <Field extends Resolve>(resolve: Field) =>
    (async (...args: never[]) => {
      if (await isShared()) return resolve(...args);
      const message =
        'Sponsorship waits until what the instances of this gateway share is back; nothing was sent to the sponsor.';
      throw gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'sponsor' });
    }) as Resolve as Field;
  const { reserveGas, executeTx } = resolvers.Mutation;
  return {
    ...resolvers,
    Mutation: { ...resolvers.Mutation, reserveGas: guarded(reserveGas), executeTx: guarded(executeTx) },
  };
}
