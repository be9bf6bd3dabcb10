import type { InProcessHandle } from "@kubewright/apiserver/http";
import { stringify } from "yaml";

/** The settings with which a user connects to the server, as plain values and PEM strings. */
export interface ServerConnection {
  /** URL of the server, such as `https://127.0.0.1:6443`. Without TLS, it starts with `http:`. */
  readonly server: string;
  /** Answers the user's requests in this process. Present only if the server does not listen. */
  readonly handle?: InProcessHandle | undefined;
  /** CA of the server's certificate, in PEM format; absent without TLS. */
  readonly caData?: string | undefined;
  readonly certData?: string | undefined;
  readonly keyData?: string | undefined;
  readonly token?: string | undefined;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Returns a kubeconfig with one cluster, one user and one context. */
export function kubeconfigText(connection: ServerConnection, user: string, name = "kubewright"): string {
  const { server, caData, certData, keyData, token } = connection;
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, ...(caData ? { "certificate-authority-data": base64(caData) } : {}) } }],
    users: [
      {
        name: user,
        user:
          certData && keyData
            ? { "client-certificate-data": base64(certData), "client-key-data": base64(keyData) }
            : { token },
      },
    ],
    contexts: [{ name, context: { cluster: name, user, namespace: "default" } }],
    "current-context": name,
  });
}
