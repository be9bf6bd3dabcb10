/** The external system in which the names of shops are entered. */
export interface Registry {
  enter(host: string, signal: AbortSignal): Promise<void>;
  /** Removes a name. Also succeeds if the name does not exist. */
  remove(host: string, signal: AbortSignal): Promise<void>;
}
