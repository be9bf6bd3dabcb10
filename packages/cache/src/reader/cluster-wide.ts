import { gvkKey, type Kind } from "@kubewright/apimachinery";
import { systemClock } from "@kubewright/clock";
import { errorText, silentLogger } from "@kubewright/log";
import type { ReflectorOptions } from "../reflector/reflector.ts";
import { ReflectorBackoff } from "../reflector/reflector-backoff.ts";
import { WatchErrorReports } from "../reflector/watch-error-reports.ts";
import type { ListWatchClient } from "../source/client-list-watch.ts";
import type { ClusterWide } from "./informer-group.ts";

type ClusterWideOptions = Pick<ReflectorOptions, "clock" | "logger" | "onError" | "random" | "backoff">;

/**
 * Asks the server whether a kind is in no namespace, until it answers or the signal aborts. Failures are reported as watch errors.
 *
 * @param namespaced where the kind is in no namespace, but must be: what is wrong then
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
        const error = new Error(`failed to learn whether ${gvkKey(kind)} is in namespaces: ${errorText(cause)}`, {
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
