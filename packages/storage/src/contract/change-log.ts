import type { StoredObject } from "./storage.ts";

/** An object with its key, in a snapshot. */
export interface LoggedObject {
  readonly key: string;
  readonly object: StoredObject;
  /** Expiry time, in milliseconds since 1970. */
  readonly expiresAtMs?: number | undefined;
}

/** A write in the log. */
export type LoggedChange =
  | ({ readonly type: "put"; readonly resourceVersion: number } & LoggedObject)
  | { readonly type: "delete"; readonly resourceVersion: number; readonly key: string };

/** State when the last process ended. */
export interface RestoredState {
  /** The newest assigned version. */
  readonly resourceVersion: number;
  /** Version of `objects`. */
  readonly forgottenThrough: number;
  readonly objects: Iterable<LoggedObject>;
  /** Changes after that version, oldest first. */
  readonly changes: Iterable<LoggedChange>;
}

/** Log to which writes are added before they take effect. An error makes the write fail. */
export interface ChangeLog {
  readonly restored: RestoredState;
  /** Sets the source of all objects, so that the log can drop the writes that led to them. */
  source(objects: () => Iterable<LoggedObject>): void;
  append(change: LoggedChange): void;
  close(): Promise<void>;
}
