import type { ProxyCertificate } from "@kubewright/aggregator";
import { readOptionFile } from "@kubewright/apiserver/server";
import { certificateAuthority } from "@kubewright/certificates";
import type { AuthenticationOptions } from "./authentication-options.ts";

/** Options for authenticating the server to extension servers, named like kube-apiserver's flags, but in camel case. */
export interface FrontProxyOptions {
  /** PEM file with the certificate that the server presents to extension servers. Requires `proxyClientKeyFile`. */
  readonly proxyClientCertFile?: string | undefined;
  /** PEM file with the key for `proxyClientCertFile`. */
  readonly proxyClientKeyFile?: string | undefined;
}

type HeaderOptions = Pick<
  AuthenticationOptions,
  | "requestheaderAllowedNames"
  | "requestheaderUsernameHeaders"
  | "requestheaderUidHeaders"
  | "requestheaderGroupHeaders"
  | "requestheaderExtraHeadersPrefix"
>;

/** The certificate that the server presents to extension servers, and the configuration that makes them trust it. */
export interface FrontProxy {
  readonly certificate: ProxyCertificate | undefined;
  /** CA of the certificate, in PEM format, if the server generated the certificate itself. */
  readonly authority: string | undefined;
  readonly headers: HeaderOptions;
}

const madeUpName = "front-proxy-client";

/**
 * Returns the front proxy configuration. The certificate is taken from the options or, if they do not configure a front
 * proxy, generated. A server that does not listen generates no certificate.
 *
 * @throws {Error} if only one of the two files is given, or a file cannot be read
 */
export function frontProxyOf(
  {
    proxyClientCertFile: certFile = "",
    proxyClientKeyFile: keyFile = "",
    listen = true,
  }: FrontProxyOptions & {
    readonly listen?: boolean | undefined;
  },
  authentication: AuthenticationOptions,
  identityDirectory: string | undefined,
): FrontProxy {
  if ((certFile === "") !== (keyFile === ""))
    throw new Error("proxy-client-cert-file and proxy-client-key-file must be specified together");
  if (certFile !== "") {
    const certificate = { certificate: readOptionFile(certFile), key: readOptionFile(keyFile) };
    return { certificate, authority: undefined, headers: authentication };
  }
  if (authentication.requestheaderClientCaFile || !listen)
    return { certificate: undefined, authority: undefined, headers: authentication };
  const authority = certificateAuthority("kubewright-front-proxy-ca", identityDirectory);
  return {
    certificate: authority.issueClient({ commonName: madeUpName }),
    authority: authority.certificate,
    headers: {
      requestheaderAllowedNames: [madeUpName],
      requestheaderUsernameHeaders: ["X-Remote-User"],
      requestheaderUidHeaders: ["X-Remote-Uid"],
      requestheaderGroupHeaders: ["X-Remote-Group"],
      requestheaderExtraHeadersPrefix: ["X-Remote-Extra-"],
    },
  };
}
