/** The user to impersonate, if the API server allows it. @see client-go rest.ImpersonationConfig */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  /**
   * Groups to impersonate. Default: the groups that the server assigns to the user: `system:authenticated` and, for a
   * ServiceAccount, its groups.
   */
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials, as configured in a kubeconfig. @see client.authentication.k8s.io/v1 ExecCredential */
export interface ExecSettings {
  /** Version of `ExecCredential` for the program's input and output. */
  readonly apiVersion: string;
  /** A path, or a name to look up in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Hint that is added to the error if the program fails. */
  readonly installHint?: string | undefined;
  /**
   * When the program reads standard input: `Never`, `IfAvailable` or `Always`. Ignored: the program never gets standard input, and its
   * own input says so.
   */
  readonly interactiveMode?: string | undefined;
  /** Passes information about the cluster to the program. Default false. */
  readonly provideClusterInfo?: boolean | undefined;
}

/** A legacy credential plug-in; only `oidc` is still in use. */
export interface AuthProviderSettings {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Address and credentials for one API server. A plain object that a program or test bed may create itself; `Connection.fromKubeConfig`
 * creates one from a kubeconfig.
 *
 * @see client-go rest.Config
 *
 */
export interface ConnectionSettings {
  /** `https://host:port`, optionally followed by a path under which the API is served. */
  readonly server: string;
  /** PEM certificates of the authorities that may have issued the server's certificate. Default: Node's own authorities. */
  readonly caData?: string | undefined;
  /** Client certificate, PEM. */
  readonly certData?: string | undefined;
  /** Private key of `certData`, PEM. */
  readonly keyData?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** File with the bearer token, reread after a minute or a refusal. Takes precedence over `token`. */
  readonly tokenFile?: string | undefined;
  /** User name for basic authentication, used with `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Credential program. Takes precedence over tokens and passwords, as does `authProvider`. */
  readonly exec?: ExecSettings | undefined;
  readonly authProvider?: AuthProviderSettings | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** Namespace of the kubeconfig's context, or of the pod. For information: the client never uses it as a default. */
  readonly namespace?: string | undefined;
  /** Accepts any server certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Host name expected in the server's certificate. Default: the server's host. */
  readonly tlsServerName?: string | undefined;
  /**
   * Proxy URL, `http://host:port`; `https` and `socks5` are also supported. Default: the value of `HTTPS_PROXY` or `HTTP_PROXY`,
   * depending on the server's scheme, unless `NO_PROXY` excludes the server or it is on this machine.
   *
   */
  readonly proxyUrl?: string | undefined;
  /** User agent. Default `kubewright/<version> (<platform>/<arch>)`. */
  readonly userAgent?: string | undefined;
}
