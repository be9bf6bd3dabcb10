/** The identity of a request: headers, and the client certificate of its connection. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly certData: string | undefined;
  readonly keyData: string | undefined;
}

export interface CredentialSource {
  /** Returns the identity; a promise only if it is not available at once. */
  current(): Identity | Promise<Identity>;
  /** Drops remembered credentials after a 401 for `used`. Returns true if another try may use different ones. */
  renew(used: Identity): boolean;
}

/** Settles as the promise does, or rejects with the signal's reason if it aborts first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
