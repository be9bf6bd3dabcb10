/** The user to impersonate, if the API server allows it. @see client-go rest.ImpersonationConfig */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  /** Default: the groups that the server assigns to the user: `system:authenticated`, and those of a ServiceAccount. */
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials, as configured in a kubeconfig. @see client.authentication.k8s.io/v1 ExecCredential */
export interface ExecSettings {
  /** Version of `ExecCredential` for the program's input and output. */
  readonly apiVersion: string;
  /** A path, or a name that is looked up in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Hint that is added to the error if the program fails. */
  readonly installHint?: string | undefined;
  /**
   * `Never`, `IfAvailable` or `Always`: whether the program reads standard input. Ignored: the program never has standard input, and its
   * input states that.
   */
  readonly interactiveMode?: string | undefined;
  /** Passes the cluster to the program. Default false. */
  readonly provideClusterInfo?: boolean | undefined;
}

/** A legacy credential plug-in; only `oidc` is still in use. */
export interface AuthProviderSettings {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Address and credentials for one API server. A plain object, which a program or a test bed may make itself; `Connection.fromKubeConfig`
 * makes one from a kubeconfig.
 *
 * @see client-go rest.Config
 */
export interface ConnectionSettings {
  /** `https://host:port`, optionally with a path that precedes the API's own. */
  readonly server: string;
  /** PEM certificates of the authorities for the server's certificate. Default: those of Node. */
  readonly caData?: string | undefined;
  /** Client certificate, PEM. */
  readonly certData?: string | undefined;
  /** Private key of `certData`, PEM. */
  readonly keyData?: string | undefined;
  /** Bearer token. */
  readonly token?: string | undefined;
  /** File with the bearer token, reread after a minute or a refusal. Takes precedence over `token`. */
  readonly tokenFile?: string | undefined;
  /** User name for basic authentication, with `password`. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Credential program. Takes precedence over tokens and passwords, as does `authProvider`. */
  readonly exec?: ExecSettings | undefined;
  readonly authProvider?: AuthProviderSettings | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** Namespace of the kubeconfig's context, or of the pod. For information: the client never uses it as a default. */
  readonly namespace?: string | undefined;
  /** Accepts any certificate of the server. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** Host name expected in the server's certificate. Default: the server's host. */
  readonly tlsServerName?: string | undefined;
  /**
   * Proxy URL, `http://host:port`; https and socks5 as well. Default: that of `HTTPS_PROXY` or `HTTP_PROXY`, by the server's scheme,
   * unless `NO_PROXY` excludes the server or it is on this machine.
   */
  readonly proxyUrl?: string | undefined;
  /** Default `kubewright/<version> (<platform>/<arch>)`. */
  readonly userAgent?: string | undefined;
}
