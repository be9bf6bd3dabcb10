/** User to impersonate, if the API server allows it. @see client-go rest.ImpersonationConfig */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  /**
   * Groups to impersonate. By default, the server assigns the user's groups: `system:authenticated` and, for a ServiceAccount, its groups.
   */
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials, as configured in a kubeconfig. @see client.authentication.k8s.io/v1 ExecCredential */
export interface ExecSettings {
  /** `ExecCredential` version of the program's input and output. */
  readonly apiVersion: string;
  /** Path of the program, or a name to look up in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables to add to this process's environment. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Hint that is added to the error if the program fails. */
  readonly installHint?: string | undefined;
  /**
   * Condition under which the program reads standard input: `Never`, `IfAvailable` or `Always`. Ignored: the program
   * never receives standard input, and its `ExecCredential` input states this.
   */
  readonly interactiveMode?: string | undefined;
  /** True to pass information about the cluster to the program. Default false. */
  readonly provideClusterInfo?: boolean | undefined;
}

/** A request to an API server in the same process. */
export interface InProcessRequest {
  readonly method: string;
  /** Path with its query, such as `/api/v1/pods?limit=500`. */
  readonly path: string;
  /** Headers, keyed by name. An array is sent as several headers with the same name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Uint8Array | undefined;
  /** Signal that cancels the request. The request or its body then fails with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The response of an API server in the same process. */
export interface InProcessResponse {
  readonly status: number;
  /** Headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body as it is produced. Leaving the loop cancels the rest. The chunks must not be modified. */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Handles requests in this process. Rejects with code `ECONNREFUSED` or `ECONNRESET`, like a failed network connection.
 */
export type InProcessHandle = (request: InProcessRequest) => Promise<InProcessResponse>;

/**
 * Address of an API server and the credentials for it. This is a plain object that programs and test beds may create
 * themselves. `Connection.fromKubeConfig` creates one from a kubeconfig.
 *
 * @see client-go rest.Config
 */
export interface ConnectionSettings {
  /** Address of the server: `https://host:port`, optionally followed by the path under which the API is served. */
  readonly server: string;
  /**
   * Function that passes requests to a server in this process. If set, no connection is opened: `server` appears only in messages, and
   * settings for TLS and proxies have no effect. For tests.
   */
  readonly handle?: InProcessHandle | undefined;
  /** PEM certificates of the authorities trusted to issue the server's certificate. Default: Node's default authorities. */
  readonly caData?: string | undefined;
  /** Client certificate, PEM. */
  readonly certData?: string | undefined;
  /** Private key of `certData`, PEM. */
  readonly keyData?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /**
   * File that contains the bearer token. It is reread after a minute or after the server rejected the token. Takes precedence over `token`.
   */
  readonly tokenFile?: string | undefined;
  /** User name for basic authentication, used with `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Program that prints credentials. Takes precedence over tokens and passwords, as does `authProvider`. */
  readonly exec?: ExecSettings | undefined;
  /** A legacy credential plug-in. Only `oidc` is still in use. */
  readonly authProvider?: { readonly name: string; readonly config: Readonly<Record<string, string>> } | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** Namespace of the kubeconfig's context, or of the pod. For information only: the client never uses it as a default. */
  readonly namespace?: string | undefined;
  /** True to accept any server certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Host name expected in the server's certificate. Default: the server's host name. */
  readonly tlsServerName?: string | undefined;
  /**
   * Proxy URL, such as `http://host:port`; `https` and `socks5` are also supported. Default: the value of `HTTPS_PROXY` or `HTTP_PROXY`,
   * depending on the server's scheme, unless `NO_PROXY` excludes the server or the server is on this machine.
   */
  readonly proxyUrl?: string | undefined;
  /** User agent. Default `kubewright/<version> (<platform>/<arch>)`. */
  readonly userAgent?: string | undefined;
}
