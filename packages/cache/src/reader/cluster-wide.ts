import { gvkKey, type Kind } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import { ReflectorBackoff } from "../reflector/reflector-backoff.ts";
import type { ReflectorOptions } from "../reflector/reflector-options.ts";
import { WatchErrorReports } from "../reflector/watch-error-reports.ts";
import type { ListWatchClient } from "../source/client-list-watch.ts";
import type { ClusterWide } from "./informer-group.ts";

type ClusterWideOptions = Pick<ReflectorOptions, "clock" | "logger" | "onError" | "random" | "backoff">;

/** What asks the server whether a kind's objects are in no namespace, again and again until it answers. */
export function clusterWide(
  mapper: NonNullable<ListWatchClient["mapper"]>,
  kind: Kind,
  options: ClusterWideOptions,
): ClusterWide {
  const { clock = systemClock, random, backoff, logger = silentLogger, onError } = options;
  return async (signal, noteError) => {
    const errors = new WatchErrorReports({ logger, onError });
    const delays = new ReflectorBackoff(clock, { ...backoff, random: backoff?.random ?? random });
    while (!signal.aborted) {
      try {
        return (await mapper.mappingFor(kind)).scope === "Cluster";
      } catch (cause) {
        const error = new Error(`failed to learn whether ${gvkKey(kind)} is in namespaces: ${textOf(cause)}`, {
          cause,
        });
        noteError(error);
        errors.report(error);
        await delays.wait(signal);
      }
    }
    return false;
  };
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
