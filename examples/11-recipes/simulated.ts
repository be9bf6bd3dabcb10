import type { Manager } from "kubewright";
import { addShopController } from "./controller.ts";
import { addDrawers } from "./own-writes.ts";
import type { Registry } from "./registry.ts";

/** Calls the registry over HTTP, which the simulation answers. */
async function call(method: string, host: string, signal: AbortSignal) {
  const url = `https://registry.example.com/${host}`;
  const { ok, status } = await fetch(url, { method, signal });
  if (!ok) throw new Error(`${method} ${url}: ${status}`);
}

const registry: Registry = {
  enter: (host, signal) => call("PUT", host, signal),
  remove: (host, signal) => call("DELETE", host, signal),
};

const programs = new Map<string | null, (manager: Manager) => void>([
  ["shops", (manager) => addShopController(manager, registry)],
  ["drawers", addDrawers],
]);

/** Entry point of the simulation. The query of its URL selects a controller. */
export const setup = programs.get(
  new URL(import.meta.url).searchParams.get("controller"),
);
