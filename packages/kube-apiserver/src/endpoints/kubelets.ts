/** What is asked of the log of one container. The pod and the container are known to be there. */
export interface ContainerLogRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
  readonly container: string;
  /** The log goes on until the container ends. Default false. */
  readonly follow?: boolean;
  /** Of the run before the present one. Default false. */
  readonly previous?: boolean;
  /** Each line begins with its time. Default false. */
  readonly timestamps?: boolean;
  /** Only lines that are no older. Default: all. */
  readonly sinceSeconds?: number;
  /** Only lines from then on: milliseconds since 1970. Default: all. */
  readonly sinceMs?: number;
  /** Only the last lines. Default: all. */
  readonly tailLines?: number;
  /** Ends after so many bytes. Default: no limit. */
  readonly limitBytes?: number;
}

/** Answers for the kubelets of nodes that run in this process, in place of their HTTPS endpoints. */
export interface Kubelets {
  /**
   * The log of a container, in pieces of some 64 KiB at most.
   *
   * @param signal ends a log that goes on
   * @returns `undefined` where no kubelet of that node is in this process
   * @throws {StatusError} 400 where the container has no log yet
   * @see kubernetes pkg/kubelet/server getContainerLogs
   */
  containerLog(
    node: string,
    request: ContainerLogRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array> | undefined>;
}
