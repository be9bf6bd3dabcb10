import { gvkKey, type Kind } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { errorText, silentLogger } from "@kubewright/log";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { ReflectorBackoff, WatchErrorReports } from "../reflector/retrying.ts";
import type { ListWatchClient } from "../source/client-list-watch.ts";
import type { ClusterWide } from "./informer-group.ts";

type ClusterWideOptions = Pick<ReflectorOptions, "clock" | "logger" | "onError" | "random" | "backoff">;

/**
 * Returns a function that asks the server whether a kind is cluster-scoped, until the server answers or the signal aborts. Failures are
 * reported as watch errors.
 *
 * @param namespaced makes the error to throw if the kind must be namespaced, but is cluster-scoped
 */
export function clusterWide(
  mapper: NonNullable<ListWatchClient["mapper"]>,
  kind: Kind,
  options: ClusterWideOptions,
  namespaced?: () => Error,
): ClusterWide {
  const { clock = systemClock, random, backoff, logger = silentLogger, onError } = options;
  return async (signal, noteError) => {
    const errors = new WatchErrorReports({ logger, onError });
    const delays = new ReflectorBackoff(clock, { ...backoff, random: backoff?.random ?? random });
    while (!signal.aborted) {
      let isWhole: boolean;
      try {
        isWhole = (await mapper.mappingFor(kind)).scope === "Cluster";
      } catch (cause) {
        const error = new Error(`failed to find out whether ${gvkKey(kind)} is namespaced: ${errorText(cause)}`, {
          cause,
        });
        noteError(error);
        errors.report(error);
        await delays.wait(signal);
        continue;
      }
      if (!isWhole || !namespaced) return isWhole;
      const refusal = namespaced();
      errors.report(refusal);
      throw refusal;
    }
    return false;
  };
}
