import type { ProxyCertificate } from "@kubewright/aggregator";
import { readOptionFile } from "@kubewright/apiserver/server";
import { certificateAuthority } from "@kubewright/certificates";
import type { AuthenticationOptions } from "./authentication-options.ts";

/** How this server says to extension servers who asks. Names are kube-apiserver's flags in camel case. */
export interface FrontProxyOptions {
  /** PEM file: the certificate that extension servers know the server by. Needs `proxyClientKeyFile`. */
  readonly proxyClientCertFile?: string;
  /** PEM file. */
  readonly proxyClientKeyFile?: string;
}

type HeaderOptions = Pick<
  AuthenticationOptions,
  | "requestheaderAllowedNames"
  | "requestheaderUsernameHeaders"
  | "requestheaderUidHeaders"
  | "requestheaderGroupHeaders"
  | "requestheaderExtraHeadersPrefix"
>;

/** What the server shows to extension servers, and what they are told to trust. */
export interface FrontProxy {
  readonly certificate: ProxyCertificate | undefined;
  /** PEM: vouches for the certificate, where the server made it up. */
  readonly authority: string | undefined;
  readonly headers: HeaderOptions;
}

const madeUpName = "front-proxy-client";

/**
 * The certificate of the front proxy: that of the options, or one that is made up where they say nothing of a front proxy.
 *
 * @throws {Error} where one of two files is missing, and for files that cannot be read
 */
export function frontProxyOf(
  { proxyClientCertFile: certFile = "", proxyClientKeyFile: keyFile = "" }: FrontProxyOptions,
  authentication: AuthenticationOptions,
  identityDirectory: string | undefined,
): FrontProxy {
  if ((certFile === "") !== (keyFile === ""))
    throw new Error("proxy-client-cert-file and proxy-client-key-file must be specified together");
  if (certFile !== "") {
    const certificate = { certificate: readOptionFile(certFile), key: readOptionFile(keyFile) };
    return { certificate, authority: undefined, headers: authentication };
  }
  if (authentication.requestheaderClientCaFile)
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
