import type { Clock } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { ReflectorBackoffOptions } from "./reflector-backoff.ts";
import type { ReflectedKind } from "./source-check.ts";

export interface ReflectorOptions {
  /** For messages. Default: the description of the kind. */
  readonly name?: string | undefined;
  /** Objects of another kind are logged and left out. Default: any kind will do. */
  readonly kind?: ReflectedKind | undefined;
  /** Stream the first state instead of listing it, where the source can. Default true. */
  readonly useWatchList?: boolean | undefined;
  /** Compare each streamed first state with a list at the same version, and throw if they differ. For tests. Default false. */
  readonly checkConsistency?: boolean | undefined;
  /** Objects in one page of a list. Default: 500, but all at once where the server can then answer from memory. */
  readonly pageSize?: number | undefined;
  /** Every watch asks for a random timeout between this and twice this. Default, and least, 5 minutes. */
  readonly minWatchTimeoutMs?: number | undefined;
  /** A watch that brings neither event nor bookmark for so long is replaced. Servers send a bookmark a minute. Default 2 minutes. */
  readonly stallMs?: number | undefined;
  /** How long internal errors in a watch are retried without listing again. Default 0. */
  readonly maxInternalErrorRetryMs?: number | undefined;
  /** How often {@link shouldResync} is asked. Default 0: never. */
  readonly resyncMs?: number | undefined;
  /** Whether the store is told of everything again now. Default: yes. */
  readonly shouldResync?: (() => boolean) | undefined;
  readonly backoff?: ReflectorBackoffOptions | undefined;
  /** Called with whatever ended a cycle; the next one follows after a delay. Default: it is logged. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** How often it is said that the streamed first state is not complete yet. Default 10 s. */
  readonly initialEventsWarningMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** A source of numbers in [0, 1), for tests. Default `Math.random`. */
  readonly random?: (() => number) | undefined;
}
