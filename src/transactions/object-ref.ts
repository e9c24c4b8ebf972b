/** Names one version of one object. */
export interface ObjectRef {
  readonly objectId: string;
  readonly version: number;
  readonly digest: string;
}
