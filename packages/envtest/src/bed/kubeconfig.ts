import type { TestConnection } from "./test-bed.ts";

/** Returns a kubeconfig for kubectl and other programs. It contains a private key, so write it to a file with mode 0600. */
export function kubeconfigText(connection: TestConnection, userName: string): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const { server, caData, certData, keyData, token, namespace = "default" } = connection;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "envtest",
    contexts: [{ name: "envtest", context: { cluster: "envtest", user: userName, namespace } }],
    clusters: [{ name: "envtest", cluster: { server, "certificate-authority-data": base64(caData) } }],
    users: [
      {
        name: userName,
        user: {
          ...(certData ? { "client-certificate-data": base64(certData) } : {}),
          ...(keyData ? { "client-key-data": base64(keyData) } : {}),
          ...(token ? { token } : {}),
        },
      },
    ],
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
