import assert from "node:assert/strict";
import { type SimulatedCluster, simulate } from "@kubewright/simulation";
import { ConfigMap } from "kubewright/kinds";
import { expect, it } from "vitest";
import { Shop } from "./shop.ts";

/** Names in the registry. */
const names = new Set<string>();
let isAway = false;

async function answer({ method, url }: Request): Promise<Response> {
  if (isAway) return new Response(null, { status: 503 });
  const host = new URL(url).pathname.slice(1);
  if (method === "PUT") names.add(host);
  else names.delete(host);
  return new Response();
}

const registry = {
  name: "registry",
  fetch: (request: Request) =>
    request.url.startsWith("https://registry.example.com/")
      ? answer(request)
      : undefined,
  faults(): string {
    isAway = true;
    return "does not work";
  },
  heal(): void {
    isAway = false;
  },
  reset: (): void => names.clear(),
};

/** The registry has the names of the shops, and no others. */
async function isInSync(cluster: SimulatedCluster): Promise<void> {
  const objects = await cluster.objects();
  const hosts = objects.flatMap(({ kind, spec }) =>
    kind === "Shop" ? [(spec as Shop["spec"]).host] : [],
  );
  const left = [...names].filter((name) => !hosts.includes(name));
  assert.deepEqual(left, [], "names of former shops remain in the registry");
}

it.each(["shops", "drawers"])(
  "survives the faults of production: %s",
  { timeout: 900_000 },
  async (controller) => {
    const program = new URL(
      `./simulated.ts?controller=${controller}`,
      import.meta.url,
    );
    const { failure } = await simulate(program, {
      kinds: controller === "shops" ? [Shop, ConfigMap] : [Shop],
      seed: 1,
      // Settings with the names that users give to ConfigMaps.
      users: {
        Shop: (random) => {
          const host = `${Math.floor(random() * 100)}.example.com`;
          return { spec: { host, settings: "north" } };
        },
        ConfigMap: [{ data: { colour: "red" } }, { data: { colour: "blue" } }],
      },
      world: [registry],
      ...(controller === "shops" ? { holds: isInSync } : {}),
    });
    expect(failure).toBeUndefined();
  },
);
