import type { StoredObject } from "./storage.ts";

/** An object in a snapshot, with its key. */
export interface LoggedObject {
  readonly key: string;
  readonly object: StoredObject;
  /** Time at which the object expires, in milliseconds since 1970. */
  readonly expiresAtMs?: number | undefined;
}

/** A write in the log. */
export type LoggedChange =
  | ({ readonly type: "put"; readonly resourceVersion: number } & LoggedObject)
  | { readonly type: "delete"; readonly resourceVersion: number; readonly key: string };

/** The state of the storage when the previous process ended. */
export interface RestoredState {
  /** The newest resource version that was assigned. */
  readonly resourceVersion: number;
  /** Resource version of the state in `objects`. */
  readonly forgottenThrough: number;
  readonly objects: Iterable<LoggedObject>;
  /** Changes after `forgottenThrough`, oldest first. */
  readonly changes: Iterable<LoggedChange>;
}

/** A log to which each write is added before it takes effect. If the log throws an error, the write fails. */
export interface ChangeLog {
  readonly restored: RestoredState;
  /** Sets the function that returns all current objects, so that the log can replace older writes with a snapshot. */
  source(objects: () => Iterable<LoggedObject>): void;
  append(change: LoggedChange): void;
  close(): Promise<void>;
}
