import { KubeConfigError } from "./kubeconfig-error.ts";

export type ClientNode = typeof import("@kubernetes/client-node");

/** Not a literal, because a bundler that followed it would add 16 MB to every program, for credentials that few programs need. */
const packageName = ["@kubernetes", "client-node"].join("/");

let load: () => Promise<ClientNode> = () => import(packageName);

/** Sets the loader of client-node: `@kubewright/client/exec` imports it in a way that bundlers follow. */
export function loadClientNodeBy(loader: () => Promise<ClientNode>): void {
  load = loader;
}

/**
 * Loads client-node. This costs 400 ms and 85 MiB, so it is done only for credentials that need it.
 *
 * @throws {KubeConfigError} if client-node is missing, as in a bundle
 */
export async function clientNode(): Promise<ClientNode> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new KubeConfigError(
      `the kubeconfig's user needs a credential program or an identity provider, which ${packageName} implements, but it is not available: add import "kubewright/exec" to the program before it is bundled`,
      { cause },
    );
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(packageName);
