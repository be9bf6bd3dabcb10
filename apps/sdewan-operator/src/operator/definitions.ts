import { isNoMatch, isNotFound, type Kind } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { oneLine } from "../cli/user-error.ts";

/** What is asked of a kind, however its objects look. */
export type DefinedKind = Pick<Kind, "group" | "version" | "kind" | "plural">;

export interface DefinitionsOptions {
  readonly kinds: readonly DefinedKind[];
  /** What the cluster serves now, as `group/version plural`. */
  readonly served: () => Promise<ReadonlySet<string>>;
  readonly intervalMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

const remedy = "kubectl apply -k config/crd, in the operator's folder";
const missingMs = 2_000;

/** What is known of one kind. */
interface Knowledge {
  /** Resolves when the cluster serves the kind for the first time. */
  readonly served: PromiseWithResolvers<void>;
  /** Resolves when it is known whether the cluster serves the kind: twice in a row where it does not. */
  readonly known: PromiseWithResolvers<void>;
  /** Number of the last answers in a row that were without the kind. */
  absences: number;
  wasServed: boolean;
}

/**
 * Which of the operator's kinds the cluster serves, for parts that wait for one. The cluster is asked every two seconds while a kind is
 * missing, and otherwise every `intervalMs`. The log has one line about what is missing, and another when more is. A manager's runnable, of
 * every replica.
 */
export class Definitions {
  readonly group = "others";
  readonly #options: DefinitionsOptions;
  readonly #kinds: ReadonlyMap<string, Knowledge>;
  /** Nothing before the first answer. */
  #missing: ReadonlySet<string> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
    const nothing = (): Knowledge => ({
      served: Promise.withResolvers(),
      known: Promise.withResolvers(),
      absences: 0,
      wasServed: false,
    });
    this.#kinds = new Map(options.kinds.map((kind) => [nameOf(kind), nothing()]));
  }

  /** True once the cluster has been asked successfully. */
  get hasAnswered(): boolean {
    return this.#missing !== undefined;
  }

  /** Resolves once the cluster serves a kind, for the first time. */
  served(kind: DefinedKind): Promise<void> {
    return this.#of(kind).served.promise;
  }

  /** Reports whether the cluster has served a kind at any time. */
  wasServed(kind: DefinedKind): boolean {
    return this.#of(kind).wasServed;
  }

  /** Reports whether the cluster, when it was last asked, served a kind. One that is not the operator's counts as served. */
  isServed(kind: DefinedKind): boolean {
    return !this.#kinds.has(nameOf(kind)) || this.#missing?.has(nameOf(kind)) === false;
  }

  /** Reports whether the cluster does not serve a kind: whenever it was asked since the last time that it did, and more than once. */
  isMissing(kind: DefinedKind): boolean {
    return this.#of(kind).absences > 1;
  }

  /** Resolves once the answer of {@link isMissing} is final for now, when the signal aborts, and when the manager stops. */
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

  /** Returns what a person should know of a kind that is not served. */
  note(kind: DefinedKind): string | undefined {
    if (this.#missing === undefined) return "the cluster has not been asked yet whether it serves this kind";
    return this.isServed(kind) ? undefined : `not served, what needs it waits: ${remedy}`;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, intervalMs, logger } = this.#options;
    let hasFailed = false;
    while (!signal.aborted) {
      try {
        await this.#look();
        hasFailed = false;
      } catch (error) {
        if (!hasFailed) logger.warn({ reason: oneLine(error) }, "the cluster does not say which kinds it knows");
        hasFailed = true;
      }
      await clock.sleep(this.#missing?.size === 0 ? intervalMs : Math.min(missingMs, intervalMs), signal);
    }
    for (const { known } of this.#kinds.values()) known.resolve(); // nobody waits for an answer that will not come
  }

  async #look(): Promise<void> {
    const { kinds, served, logger } = this.#options;
    const all = await served();
    const absent = kinds.filter((kind) => !all.has(servedAs(kind)));
    const missing = new Set(absent.map(nameOf));
    const before = this.#missing ?? new Set();
    this.#missing = missing;
    // That some of them have come is no news: they come one after the other.
    if (!missing.isSubsetOf(before))
      logger.warn(
        { missing: [...missing], remedy },
        "definitions are missing: what needs them waits, and everything else works",
      );
    else if (missing.size === 0 && before.size > 0) logger.info("all definitions are there");
    for (const kind of kinds) this.#note(kind, missing.has(nameOf(kind)));
  }

  #note(kind: DefinedKind, isMissing: boolean): void {
    const knowledge = this.#of(kind);
    knowledge.absences = isMissing ? knowledge.absences + 1 : 0;
    if (!isMissing) {
      knowledge.wasServed = true;
      knowledge.served.resolve();
    }
    // A server that has just started may not have published all kinds yet.
    if (!isMissing || knowledge.absences > 1) knowledge.known.resolve();
  }

  #of(kind: DefinedKind): Knowledge {
    const knowledge = this.#kinds.get(nameOf(kind));
    if (!knowledge) throw new Error(`${nameOf(kind)} is not one of the kinds that are looked for`);
    return knowledge;
  }
}

/** How {@link DefinitionsOptions.served} names a kind. */
export const servedAs = ({ group, version, plural }: DefinedKind): string => `${group}/${version} ${plural}`;

/** The name of a kind's definition. */
export const nameOf = ({ group, plural }: DefinedKind): string => `${plural}.${group}`;

/** Says in a line what ends a watch; that of a kind without a definition is told by {@link Definitions}. */
export function watchErrorLog(logger: Logger): (error: unknown) => void {
  return (error) => {
    const level = isNotFound(error) || isNoMatch(error) ? "debug" : "warn";
    logger[level]({ reason: oneLine(error) }, "a watch ended, and begins anew");
  };
}
