/** Request for one container's log. The pod and container are known to exist. */
export interface ContainerLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  /** True to follow the log until the container terminates. Default false. */
  readonly follow?: boolean | undefined;
  /** True for the log of the previous run. Default false. */
  readonly previous?: boolean | undefined;
  /** True to prefix each line with its time. Default false. */
  readonly timestamps?: boolean | undefined;
  /** Maximum age of the lines to include. Default: no limit. */
  readonly sinceSeconds?: number | undefined;
  /** Time of the earliest line to include, in milliseconds since 1970. Default: no limit. */
  readonly sinceMs?: number | undefined;
  /** Number of lines to include, counted from the end. Default: all. */
  readonly tailLines?: number | undefined;
  /** Maximum number of bytes. Default: no limit. */
  readonly limitBytes?: number | undefined;
}

/** Kubelets of nodes in this process. Calls to them replace requests to their HTTPS endpoints. */
export interface Kubelets {
  /**
   * Returns the log of a container, in chunks of about 64 KiB at most.
   *
   * @param signal when aborted, ends a log that is being followed
   *
   * @returns `undefined` if no kubelet of that node is in this process
   * @throws {StatusError} 400 if the container has no log yet
   * @see kubernetes pkg/kubelet/server getContainerLogs
   */
  containerLog(
    node: string,
    request: ContainerLogRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
}
