/** Whom to act as, if the API server allows it. @see client-go rest.ImpersonationConfig */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  /** Default: those that the server knows of the user: `system:authenticated`, and those of a ServiceAccount. */
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials, as a kubeconfig names it. @see client.authentication.k8s.io/v1 ExecCredential */
export interface ExecSettings {
  /** The version of `ExecCredential` that the program is told and answers. */
  readonly apiVersion: string;
  /** A path, or a name to be found in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the environment of this process. */
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** Added to the error if the program fails. */
  readonly installHint?: string | undefined;
  /** Whether it would ask on standard input: `Never`, `IfAvailable` or `Always`. It is given none, whatever this says, and told so. */
  readonly interactiveMode?: string | undefined;
  /** Tell the program which cluster the credentials are for. Default false. */
  readonly provideClusterInfo?: boolean | undefined;
}

/** An old-style credential plug-in; `oidc` is the one still in use. */
export interface AuthProviderSettings {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * How to reach one API server, and as whom. A plain object, which a program or a test bed may make by hand; `Connection.fromKubeConfig`
 * makes one from a kubeconfig.
 *
 * @see client-go rest.Config
 */
export interface ConnectionSettings {
  /** `https://host:port`, perhaps with a path in front of the API's own. */
  readonly server: string;
  /** Certificates of the authorities that the server's certificate is checked against, PEM. Default: those Node knows. */
  readonly caData?: string | undefined;
  /** Our certificate, PEM, for authentication by certificate. */
  readonly certData?: string | undefined;
  /** The private key of `certData`, PEM. */
  readonly keyData?: string | undefined;
  /** A bearer token. */
  readonly token?: string | undefined;
  /** A file that holds the bearer token, read again after a minute or a refusal. Goes before `token`. */
  readonly tokenFile?: string | undefined;
  /** With `password`, for basic authentication. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Goes before tokens and passwords, as does `authProvider`. */
  readonly exec?: ExecSettings | undefined;
  readonly authProvider?: AuthProviderSettings | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The namespace of the kubeconfig's context, or of the pod. A hint for programs: the client never fills it in. */
  readonly namespace?: string | undefined;
  /** Accept any certificate of the server. Default false. */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name expected in the server's certificate. Default: the host's. */
  readonly tlsServerName?: string | undefined;
  /**
   * `http://host:port` of a proxy; https and socks5 as well. Default: that of `HTTPS_PROXY` or `HTTP_PROXY`, by the server's scheme, unless
   * `NO_PROXY` excludes the server or it is on this machine.
   */
  readonly proxyUrl?: string | undefined;
  /** Default `kubewright/<version> (<platform>/<arch>)`. */
  readonly userAgent?: string | undefined;
}
