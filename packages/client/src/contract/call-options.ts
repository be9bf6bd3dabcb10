/** Options of every call. */
export interface CallOptions {
  /** Makes the call reject with its reason when it aborts. */
  readonly signal?: AbortSignal | undefined;
}
