/** Request for the log of one container. The server has already checked that the pod and the container exist. */
export interface ContainerLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  /** True to follow the log until the container terminates. Default false. */
  readonly follow?: boolean | undefined;
  /** True to request the log of the container's previous run. Default false. */
  readonly previous?: boolean | undefined;
  /** True to prefix each line with its time. Default false. */
  readonly timestamps?: boolean | undefined;
  /** Maximum age of the lines to include, in seconds. Default: no limit. */
  readonly sinceSeconds?: number | undefined;
  /** Time of the earliest line to include, in milliseconds since 1970. Default: no limit. */
  readonly sinceMs?: number | undefined;
  /** Number of lines to include, counted from the end. Default: all. */
  readonly tailLines?: number | undefined;
  /** Maximum size of the output, in bytes. Default: no limit. */
  readonly limitBytes?: number | undefined;
}

/** Kubelets that run in this process. The server calls them directly instead of sending requests to their HTTPS endpoints. */
export interface Kubelets {
  /**
   * Returns the log of a container, in chunks of about 64 KiB at most.
   *
   * @param signal when aborted, ends a log that is being followed
   *
   * @returns `undefined` if the kubelet of the pod's node does not run in this process
   * @throws {StatusError} 400 if the container has no log yet
   * @see kubernetes pkg/kubelet/server getContainerLogs
   */
  containerLog(
    node: string,
    request: ContainerLogRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
}
