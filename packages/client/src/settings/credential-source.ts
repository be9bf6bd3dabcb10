/** Who a request is made as: headers, and the certificate of the connection it goes over. */
export interface Identity {
  readonly headers: Readonly<Record<string, string>>;
  readonly certData: string | undefined;
  readonly keyData: string | undefined;
}

export interface CredentialSource {
  /** A promise only where there is something to wait for. */
  current(): Identity | Promise<Identity>;
  /** After a 401 to `used`: forget what is remembered. Whether asking again may give something else. */
  renew(used: Identity): boolean;
}

/** Settles as the promise does, or rejects with the signal's reason if that aborts first. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
