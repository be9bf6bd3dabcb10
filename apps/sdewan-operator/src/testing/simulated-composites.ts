import type { Manager } from "@kubewright/manager";
import { everyNamespace } from "../cnf/cnf-scope.ts";
import { addIndexes } from "../cnf/indexes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { compositeControllers } from "../operator/composite-controllers.ts";
import { definitionsOf } from "../operator/readiness.ts";
import { Names } from "../resolve/names.ts";

/** Resolves a name with the resolver of the simulated world, over HTTP. */
async function resolve(name: string, signal: AbortSignal): Promise<string[]> {
  const response = await fetch(`https://dns.example/${name}`, { signal });
  if (response.ok) return (await response.json()) as string[]; // the simulated resolver's answer
  throw Object.assign(new Error(`getaddrinfo ${name}`), { code: response.status === 404 ? "ENOTFOUND" : "EAI_AGAIN" });
}

/** Entry point of the simulation: the controllers for composites, without the controllers for the rules that they create. */
export function setup(manager: Manager): void {
  const { cache, clock, logger } = manager;
  const checkIntervalMs = 30_000;
  addIndexes(cache, ruleKinds);
  const definitions = definitionsOf(manager, { intervalMs: checkIntervalMs, clock, logger });
  const names = new Names({ resolve, clock });
  const options = { names, endpoint: { scheme: "https" }, scope: everyNamespace, checkIntervalMs, clock } as const;
  for (const start of compositeControllers(manager, definitions, options).values()) void start();
}
