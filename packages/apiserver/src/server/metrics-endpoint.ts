import type { Storage } from "@kubewright/storage";
import { methodNotAllowed, sendText } from "../endpoints/responses/responses.ts";
import type { LevelSeats, ObjectCount } from "../metrics/exposition.ts";
import type { RequestCounters } from "../metrics/request-counters.ts";
import type { DelegationTarget, GenericServer } from "./generic-server.ts";

/** Returns an endpoint that serves `/metrics`. It loads the metrics library on the first request. */
export function metricsEndpoint(
  counters: RequestCounters,
  servers: readonly GenericServer[],
  storage: Storage,
  nominalSeats: () => readonly LevelSeats[],
): DelegationTarget {
  const load = async () => {
    const { Exposition } = await import("../metrics/exposition.ts");
    return new Exposition(counters, () => objectCounts(servers, storage), nominalSeats);
  };
  let exposition: ReturnType<typeof load> | undefined;
  return {
    async serve(request) {
      if (request.info.path !== "/metrics") return false;
      if (request.method !== "GET" && request.method !== "HEAD") throw methodNotAllowed();
      exposition ??= load();
      const { contentType, text } = await exposition.then(async (loaded) => ({
        contentType: loaded.contentType,
        text: await loaded.text(),
      }));
      sendText(request, 200, text, contentType);
      return true;
    },
  };
}

async function objectCounts(servers: readonly GenericServer[], storage: Storage): Promise<ObjectCount[]> {
  const counts = new Map<string, ObjectCount>();
  for (const server of servers)
    for (const { resource } of server.resources.scopes()) {
      const { group, resource: plural } = resource;
      const prefix = `/${group || "core"}/${plural}/`;
      if (!counts.has(prefix)) counts.set(prefix, { group, resource: plural, count: await storage.count(prefix) });
    }
  return [...counts.values()];
}
