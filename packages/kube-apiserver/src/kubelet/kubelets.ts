import type { Duplex, Readable, Writable } from "node:stream";

/** A request that refers to a pod. The server has already checked that the pod exists. */
export interface PodRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly podUid: string;
}

/**
 * A request that refers to a container. The server has already checked that the container exists in the pod's
 * specification.
 */
export interface ContainerRequest extends PodRequest {
  readonly container: string;
}

/** A request for a container's log. */
export interface ContainerLogRequest extends ContainerRequest {
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

/** A request to run a command in a container. */
export interface ContainerExecRequest extends ContainerRequest {
  /** Program and arguments. No shell interprets them. */
  readonly command: readonly string[];
}

/** The streams between a client and a process in a container. */
export interface ContainerStreams {
  /** Input from the client, which ends when the client closes it. `undefined` if the client did not request it. */
  readonly stdin?: Readable | undefined;
  /** Output to the client. `undefined` if the client did not request it. */
  readonly stdout?: Writable | undefined;
  /**
   * Error output to the client. `undefined` if the client did not request it, or has a terminal, for which all output
   * goes to {@link stdout}.
   */
  readonly stderr?: Writable | undefined;
  /** True if the client's side is a terminal. */
  readonly tty: boolean;
}

/**
 * Connects a client to a process.
 *
 * @param signal aborts when the client disconnects
 *
 * @returns the process's exit code, or 0 if the client was only attached to the process
 * @throws {Error} if the process cannot be started or reached
 */
export type ContainerSession = (streams: ContainerStreams, signal: AbortSignal) => Promise<number>;

/** Connects to a pod's port. @throws {Error} if no process accepts the connection */
export type PodDialer = (port: number, signal: AbortSignal) => Promise<Duplex>;

/** Kubelets that run in this process. The server calls them directly instead of sending requests to their HTTPS endpoints. */
export interface Kubelets {
  /**
   * Returns the log of a container, in chunks of at most about 64 KiB.
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

  /**
   * Finds the container in which a client wants to run a command.
   *
   * @returns `undefined` if the kubelet of the pod's node does not run in this process
   * @throws {StatusError} an error that is sent to the client unchanged
   * @throws {Error} any other error, which the client receives as an internal error with the same message
   * @see kubernetes pkg/kubelet GetExec
   */
  exec(node: string, request: ContainerExecRequest): Promise<ContainerSession | undefined>;

  /**
   * Finds the container to which a client wants to attach. Results and errors are the same as for `exec`.
   *
   * @see kubernetes pkg/kubelet GetAttach
   */
  attach(node: string, request: ContainerRequest): Promise<ContainerSession | undefined>;

  /**
   * Finds the pod to whose ports a client wants to connect. Results and errors are the same as for `exec`.
   *
   * @see kubernetes pkg/kubelet GetPortForward
   */
  portForward(node: string, request: PodRequest): Promise<PodDialer | undefined>;
}
