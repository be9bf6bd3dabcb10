import type { Status } from "@kubewright/apimachinery";

/**
 * Version number of the file format. A recording is gzipped NDJSON: a header, followed by objects, lists and
 * reconciles. Each object and each list occurs only once, before it is first used. A program that restarts may append
 * another header with further objects and reconciles.
 *
 * An object, a patch or the body of a subresource is `{"object":HASH,"value":…}`. A list is
 * `{"list":HASH,"items":[HASH,…],"metadata":…}`.
 */
export const formatNumber = 1;

export interface HeaderLine {
  readonly kubewright: "recording";
  readonly format: number;
  /** Name of the program. */
  readonly name: string;
  /** Time at which the recording was written, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** The error with which a call or reconcile ended. */
export interface ErrorRecord {
  readonly name: string;
  readonly message: string;
  /** Property `code` of the error. */
  readonly code?: string | number | undefined;
  /** Status of a `StatusError`. */
  readonly status?: Status | undefined;
}

export const stepVerbs = [
  ...(["get", "list", "getText", "create", "update", "patch", "apply", "delete", "deleteCollection"] as const),
  ...(["observe", "now", "monotonic", "sleep"] as const),
] as const;

/** A step taken by a reconciler: reading, writing, making an observation, reading the clock, or waiting. */
export interface StepRecord {
  readonly verb: (typeof stepVerbs)[number];
  /** Version and kind, such as `apps/v1/Deployment`. */
  readonly kind?: string | undefined;
  /** True if the kind is limited to metadata. */
  readonly isPartial?: true | undefined;
  readonly subResource?: string | undefined;
  /** Key of the object. The name in it is empty if the server generates the name. */
  readonly key?: string | undefined;
  /** Name of an observation. */
  readonly name?: string | undefined;
  /** The call's options, with selectors in text form. */
  readonly options?: object | undefined;
  /** Hash of the body that a write sent. */
  readonly body?: string | undefined;
  /** Hash of the object or list that the call returned. */
  readonly answer?: string | undefined;
  /** True if the returned value was frozen, like objects from a cache. */
  readonly isFrozen?: true | undefined;
  /** Value returned by an observation or a read of text, a time in milliseconds, or the duration of a wait. */
  readonly value?: unknown;
  readonly error?: ErrorRecord | undefined;
  /** Positions of the step's start and end in the sequence of the reconcile's events. If the end is absent, the step did not finish. */
  readonly at: readonly [start: number, end?: number];
}

/** A reconcile. Times are in milliseconds since the epoch. */
export interface ReconcileLine {
  /** Number of the reconcile, unique in the process. */
  readonly reconcile: number;
  readonly controller: string;
  /** The request: a key, or any JSON value. */
  readonly request: unknown;
  readonly causes: readonly {
    readonly source: string;
    readonly type: string;
    readonly key: string;
    readonly resourceVersion?: string | undefined;
  }[];
  readonly atMs: number;
  readonly tookMs: number;
  readonly reconcileID?: string | undefined;
  readonly steps: readonly StepRecord[];
  /** Result of a successful reconcile. */
  readonly result?: object | undefined;
  readonly error?: ErrorRecord | undefined;
  /** True if the error means that the reconcile is not retried. */
  readonly isTerminal?: true | undefined;
  /** Reason why the reconcile cannot be replayed. */
  readonly unusable?: string | undefined;
}

/** Prefix of the text that replaces a secret. */
export const redactedPrefix = "hmac-";
