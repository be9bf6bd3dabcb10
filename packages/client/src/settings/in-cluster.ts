import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import process from "node:process";
import type { ConnectionSettings } from "./connection-settings.ts";
import { KubeConfigError } from "./kubeconfig-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Reports whether this program runs in a pod with a service account. */
export function isInCluster(env: Environment = process.env, folder = serviceAccountFolder): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT) && existsSync(join(folder, "token"));
}

/**
 * Returns the settings of the API server that a pod receives, as the pod's service account.
 *
 * @throws {KubeConfigError} if this program does not run in a pod
 * @see client-go rest.InClusterConfig
 */
export function inClusterSettings(env: Environment = process.env, folder = serviceAccountFolder): ConnectionSettings {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  if (!host || !port)
    throw new KubeConfigError(
      "this program does not run in a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  const tokenFile = join(folder, "token");
  if (!existsSync(tokenFile)) throw new KubeConfigError(`this pod has no service account: ${tokenFile} does not exist`);
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tokenFile,
    caData: textOf(join(folder, "ca.crt")),
    namespace: textOf(join(folder, "namespace"))?.trim(),
  };
}

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
