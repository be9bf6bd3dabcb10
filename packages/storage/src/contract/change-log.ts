import type { StoredObject } from "./storage.ts";

/** An object with its key, as a snapshot holds it. */
export interface LoggedObject {
  readonly key: string;
  readonly object: StoredObject;
  /** When it ends by itself, in milliseconds since 1970. */
  readonly expiresAtMs?: number;
}

/** A write, as it is logged. */
export type LoggedChange =
  | ({ readonly type: "put"; readonly resourceVersion: number } & LoggedObject)
  | { readonly type: "delete"; readonly resourceVersion: number; readonly key: string };

/** What was there when the last process ended. */
export interface RestoredState {
  /** The newest version that was given. */
  readonly resourceVersion: number;
  /** `objects` are as of this version. */
  readonly forgottenThrough: number;
  readonly objects: Iterable<LoggedObject>;
  /** What happened after it, oldest first. */
  readonly changes: Iterable<LoggedChange>;
}

/** Where writes go before they count. What it throws fails the write. */
export interface ChangeLog {
  readonly restored: RestoredState;
  /** Where it may take all objects from, to forget the writes that led to them. */
  source(objects: () => Iterable<LoggedObject>): void;
  append(change: LoggedChange): void;
  close(): Promise<void>;
}
