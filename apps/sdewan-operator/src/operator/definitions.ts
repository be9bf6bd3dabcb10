import { isNotFound, type Kind, type KubeObject } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { oneLine } from "../cli/user-error.ts";

/** What is asked of a kind, however its objects look. */
export type DefinedKind = Pick<Kind<KubeObject>, "group" | "version" | "kind" | "plural">;

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

/**
 * Whether the cluster knows the operator's kinds. Looked at until it does, and then now and then; what is missing is said once,
 * and again when more is. A manager's runnable, of every replica.
 */
export class Definitions {
  readonly group = "others";
  readonly #options: DefinitionsOptions;
  readonly #complete = Promise.withResolvers<void>();
  /** Nothing before the first answer. */
  #missing: ReadonlySet<string> | undefined;

  constructor(options: DefinitionsOptions) {
    this.#options = options;
  }

  /** Resolves once all of them have been there at a time. */
  get complete(): Promise<void> {
    return this.#complete.promise;
  }

  /** @throws {Error} while the definition of a kind is not there */
  check(kind: DefinedKind): void {
    if (this.#missing === undefined) throw new Error("the cluster has not been asked yet");
    const name = nameOf(kind);
    if (this.#missing.has(name)) throw new Error(`the definition ${name} is missing: ${remedy}`);
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
  }

  async #look(): Promise<void> {
    const { kinds, served, logger } = this.#options;
    const known = await served();
    const absent = kinds.filter((kind) => !known.has(servedAs(kind)));
    const missing = new Set(absent.map(nameOf));
    const before = this.#missing ?? new Set();
    this.#missing = missing;
    // That some of them have come is no news: they come one after the other.
    if (!missing.isSubsetOf(before))
      logger.warn({ missing: [...missing], remedy }, "definitions are missing: waiting for them");
    else if (missing.size === 0 && before.size > 0) logger.info("all definitions are there");
    if (missing.size === 0) this.#complete.resolve();
  }
}

/** How {@link DefinitionsOptions.served} names a kind. */
export const servedAs = ({ group, version, plural }: DefinedKind): string => `${group}/${version} ${plural}`;

/** The name of a kind's definition. */
export const nameOf = ({ group, plural }: DefinedKind): string => `${plural}.${group}`;

/** Says in a line what ends a watch; that of a kind without a definition is told by {@link Definitions}. */
export function watchErrorLog(logger: Logger): (error: unknown) => void {
  return (error) => {
    const level = isNotFound(error) ? "debug" : "warn";
    logger[level]({ reason: oneLine(error) }, "a watch ended, and begins anew");
  };
}
