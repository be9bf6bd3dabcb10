import { KubeConfigError } from "./kubeconfig-error.ts";

export type ClientNode = typeof import("@kubernetes/client-node");

/** No literal: a bundler that followed it would add 16 MB to every program, for credentials that few ask for. */
const packageName = ["@kubernetes", "client-node"].join("/");

let load: () => Promise<ClientNode> = () => import(packageName);

/** Where client-node is loaded from: `@kubewright/client/exec` names it in a way that bundlers follow. */
export function loadClientNodeBy(loader: () => Promise<ClientNode>): void {
  load = loader;
}

/**
 * Importing it costs 400 ms and 85 MiB, so that happens only for credentials that need it.
 *
 * @throws {KubeConfigError} where it is not there, as in a bundle
 */
export async function clientNode(): Promise<ClientNode> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new KubeConfigError(
      `the kubeconfig's user needs a credential program or an identity provider, and ${packageName}, which knows how, is not there: add import "kubewright/exec" to the program before it is bundled`,
      { cause },
    );
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  error.code === "ERR_MODULE_NOT_FOUND" &&
  error.message.includes(packageName);
