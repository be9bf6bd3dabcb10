/** Act as somebody else, if the API server allows it. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials, as kubeconfigs name it (client.authentication.k8s.io). */
export interface ExecSettings {
  readonly apiVersion: string;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | undefined;
  readonly installHint?: string | undefined;
  readonly interactiveMode?: string | undefined;
  readonly provideClusterInfo?: boolean | undefined;
}

/** An old-style credential plug-in; `oidc` is the one still in use. */
export interface AuthProviderSettings {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
}

/**
 * How to reach one API server, as whom. A plain object: a test bed or a program can make one by hand; `Connection.fromKubeConfig`
 * makes one out of a kubeconfig.
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
  readonly token?: string | undefined;
  /** A file that holds the token; read again as it ages. Goes before `token`. */
  readonly tokenFile?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly exec?: ExecSettings | undefined;
  readonly authProvider?: AuthProviderSettings | undefined;
  readonly impersonate?: Impersonation | undefined;
  /** The namespace of the kubeconfig's context or of the pod; only a hint for programs, the client never fills it in. */
  readonly namespace?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name expected in the server's certificate, if it is not the host's. */
  readonly tlsServerName?: string | undefined;
  /** `http://host:port` of an HTTP proxy. */
  readonly proxyUrl?: string | undefined;
  /** Default `kubewright/<version> (<platform>/<arch>)`. */
  readonly userAgent?: string | undefined;
}
