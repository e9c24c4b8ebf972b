/** For the few places that complete a record after it was made. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
