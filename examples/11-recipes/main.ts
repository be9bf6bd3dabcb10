import { Manager, type ManagerOptions } from "kubewright";
import { addShopController } from "./controller.ts";
import type { Registry } from "./registry.ts";

/**
 * Runs the program until the signal aborts. Without `options.connection`, it
 * uses the same cluster as kubectl.
 */
export async function main(
  options: ManagerOptions,
  registry: Registry,
  signal: AbortSignal,
): Promise<void> {
  const manager = new Manager({ fieldOwner: "shop-controller", ...options });
  addShopController(manager, registry);
  await manager.run(signal);
}
