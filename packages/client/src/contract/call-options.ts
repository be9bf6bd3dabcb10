/** What every call takes. */
export interface CallOptions {
  /** When it aborts, the call rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}
