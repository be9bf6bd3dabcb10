import { isNoMatch, isNotFound, type Kind } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { oneLine } from "../cli/user-error.ts";

/** The part of a kind that does not depend on the type of its objects. */
export type DefinedKind = Pick<Kind, "group" | "version" | "kind" | "plural">;

export interface DefinitionsOptions {
  readonly kinds: readonly DefinedKind[];
  /** Returns the kinds that the cluster serves, as `group/version plural`. */
  readonly served: () => Promise<ReadonlySet<string>>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const remedy = "kubectl apply -k config/crd, in the operator's folder";
const missingMs = 2_000;

/** Tracks whether the cluster serves one kind. */
interface KindState {
  /** Resolves when the cluster serves the kind for the first time. */
  readonly served: PromiseWithResolvers<void>;
  /**
   * Resolves when it is known whether the cluster serves the kind. A kind counts as missing only after two consecutive responses without
   * it.
   */
  readonly known: PromiseWithResolvers<void>;
  /** Number of consecutive responses without the kind. */
  absences: number;
  wasServed: boolean;
}

/**
 * Tracks which of the operator's kinds the cluster serves, for components that wait for them. Queries the cluster every
 * two seconds while a kind is missing, otherwise every `intervalMs`. Logs one line about the missing kinds, and another
 * one when more kinds are missing. Every replica adds it to its manager as a runnable.
 */
export class Definitions {
  readonly group = "others";
  readonly #options: DefinitionsOptions;
  readonly #kinds: ReadonlyMap<string, KindState>;
  /** Missing kinds. Undefined before the first response. */
  #missing: ReadonlySet<string> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    const initial = (): KindState => ({
      served: Promise.withResolvers(),
      known: Promise.withResolvers(),
      absences: 0,
      wasServed: false,
    });
    this.#kinds = new Map(options.kinds.map((kind) => [nameOf(kind), initial()]));
  }

  /** True once the cluster has responded. */
  get hasResponse(): boolean {
    return this.#missing !== undefined;
  }

  /** Resolves once the cluster serves a kind for the first time. */
  served(kind: DefinedKind): Promise<void> {
    return this.#of(kind).served.promise;
  }

  /** Reports whether the cluster has ever served a kind. */
  wasServed(kind: DefinedKind): boolean {
    return this.#of(kind).wasServed;
  }

  /** Reports whether the cluster served a kind in its last response. Kinds that do not belong to the operator count as served. */
  isServed(kind: DefinedKind): boolean {
    return !this.#kinds.has(nameOf(kind)) || this.#missing?.has(nameOf(kind)) === false;
  }

  /** Reports whether the cluster does not serve a kind. A kind counts as missing if at least the last two responses did not contain it. */
  isMissing(kind: DefinedKind): boolean {
    return this.#of(kind).absences > 1;
  }

  /** Resolves once it is known whether the kind is missing (see {@link isMissing}), when the signal aborts, or when the manager stops. */
  known(kind: DefinedKind, signal?: AbortSignal): Promise<void> {
    const { promise } = this.#of(kind).known;
    if (!signal) return promise;
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener("abort", end);
        resolve();
      };
      if (signal.aborted) return resolve();
      signal.addEventListener("abort", end);
      promise.then(end);
    });
  }

  /** Returns a human-readable note about a kind that is not served. */
  note(kind: DefinedKind): string | undefined {
    if (this.#missing === undefined) return "it is not known yet whether the cluster serves this kind";
    return this.isServed(kind) ? undefined : `not served; components that need this kind are waiting: ${remedy}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#options;
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        await this.#check();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) logger.warn({ reason: oneLine(error) }, "cannot read the cluster's kinds");
        hasFailed = true;
      }
      await clock.sleep(this.#missing?.size === 0 ? intervalMs : Math.min(missingMs, intervalMs), signal);
    }
    for (const { known } of this.#kinds.values()) known.resolve(); // release callers that wait for a response
  }

  async #check(): Promise<void> {
    const { kinds, served, logger } = this.#options;
    const all = await served();
    const absent = kinds.filter((kind) => !all.has(servedAs(kind)));
    const missing = new Set(absent.map(nameOf));
    const before = this.#missing ?? new Set();
    this.#missing = missing;
    // Kinds appear one after another, so a shorter list is not logged.
    if (!missing.isSubsetOf(before))
      logger.warn(
        { missing: [...missing], remedy },
        "CRDs are missing: components that need them are waiting; all others work",
      );
    else if (missing.size === 0 && before.size > 0) logger.info("all CRDs exist");
    for (const kind of kinds) this.#note(kind, missing.has(nameOf(kind)));
  }

  #note(kind: DefinedKind, isMissing: boolean): void {
    const kindState = this.#of(kind);
    kindState.absences = isMissing ? kindState.absences + 1 : 0;
    if (!isMissing) {
      kindState.wasServed = true;
      kindState.served.resolve();
    }
    // A server that has just started may not have published all kinds yet.
    if (!isMissing || kindState.absences > 1) kindState.known.resolve();
  }

  #of(kind: DefinedKind): KindState {
    const kindState = this.#kinds.get(nameOf(kind));
    if (!kindState) throw new Error(`${nameOf(kind)} is not one of the tracked kinds`);
    return kindState;
  }
}

/** Returns a kind's name as used in the result of {@link DefinitionsOptions.served}. */
export const servedAs = ({ group, version, plural }: DefinedKind): string => `${group}/${version} ${plural}`;

/** Returns the name of a kind's CustomResourceDefinition. */
export const nameOf = ({ group, plural }: DefinedKind): string => `${plural}.${group}`;

/**
 * Returns a function that logs the end of a watch on one line. It does not log the end of a watch on a kind without a
 * CRD, because {@link Definitions} reports such kinds.
 */
export function watchErrorLog(logger: Logger): (error: unknown) => void {
  return (error) => {
    const level = isNotFound(error) || isNoMatch(error) ? "debug" : "warn";
    logger[level]({ reason: oneLine(error) }, "a watch ended; restarting it");
  };
}
