/** What is outside the cluster: where the names of shops are entered. */
export interface Registry {
  enter(host: string, signal: AbortSignal): Promise<void>;
  /** A name that is not there is none to take out. */
  remove(host: string, signal: AbortSignal): Promise<void>;
}
