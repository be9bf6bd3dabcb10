import { gvkKey, type Kind } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { ListWatchClient } from "./client-list-watch.ts";
import type { ClusterWide } from "./informer-group.ts";
import { ReflectorBackoff } from "./reflector-backoff.ts";
import type { ReflectorOptions } from "./reflector-options.ts";

type ClusterWideOptions = Pick<ReflectorOptions, "clock" | "logger" | "onError" | "random" | "backoff">;

/** What asks the server whether a kind's objects are in no namespace, again and again until it answers. */
export function clusterWide(
  mapper: NonNullable<ListWatchClient["mapper"]>,
  kind: Kind,
  options: ClusterWideOptions,
): ClusterWide {
  const { clock = systemClock, random, backoff } = options;
  return async (signal) => {
    const delays = new ReflectorBackoff(clock, { ...backoff, random: backoff?.random ?? random });
    while (!signal.aborted) {
      try {
        return (await mapper.mappingFor(kind)).scope === "Cluster";
      } catch (cause) {
        report(new Error(`failed to learn whether ${gvkKey(kind)} is in namespaces`, { cause }), options);
        await delays.wait(signal);
      }
    }
    return false;
  };
}

function report(err: Error, { logger = silentLogger, onError }: ClusterWideOptions): void {
  try {
    if (onError) onError(err);
    else logger.error({ err }, "failed to watch");
  } catch (thrown) {
    logger.error({ err: thrown }, "the watch error handler threw");
  }
}
