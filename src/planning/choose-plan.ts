/** How an operation that is served is executed. `STITCHED`: each root field delegated to its owner, the answers joined. */
export type Plan = 'STITCHED';

/** The plan of an operation; `null` where it is refused. */
export function choosePlan({ isRefused }: { readonly isRefused: boolean }): Plan | null {
  return isRefused ? null : 'STITCHED';
}
