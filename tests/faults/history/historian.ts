import { type DeepReadonly, jsonEqual, keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";
import type { ConfigMap } from "@kubewright/client/kinds";
import type { Change, ServerState } from "../server/server-state.ts";

type Seen = DeepReadonly<ConfigMap>;

const words = { ADDED: "added", MODIFIED: "updated", DELETED: "deleted" } as const;

/** Returns the entry of a change, as a handler would note it. */
export const entryOf = ({ type, key, object }: Change): string =>
  `${words[type]} ${key} ${object.metadata.resourceVersion}`;

/** A handler that records its events, and complains about illegal ones. */
export class Historian {
  readonly name: string;
  readonly problems: string[] = [];
  /** The events, without repetitions by a resync. */
  readonly changes: string[] = [];
  readonly #state: ServerState;
  readonly #resyncs: boolean;
  readonly #known = new Map<ObjectKey, Seen>();
  readonly #ended = new Set<string | undefined>();

  /** @param resyncs true if unchanged objects may be reported again */
  constructor(name: string, state: ServerState, resyncs: boolean) {
    this.name = name;
    this.#state = state;
    this.#resyncs = resyncs;
  }

  /** The objects that exist from the handler's point of view. */
  get objects(): readonly Seen[] {
    return [...this.#known.values()];
  }

  get handler(): Required<ResourceEventHandler<ConfigMap>> {
    return {
      added: (object) => this.#added(object),
      updated: (old, object) => this.#updated(old, object),
      deleted: (object, isFinalStateUnknown) => this.#deleted(object, isFinalStateUnknown),
    };
  }

  #added(object: Seen): void {
    this.#note("added", object);
    if (this.#known.has(keyOf(object))) this.#complain(`added ${shown(object)} twice`);
    this.#checkState(object, false);
    this.#checkNotEnded(object);
    this.#know(object);
  }

  #updated(old: Seen, object: Seen): void {
    const before = this.#known.get(keyOf(object));
    if (!before) this.#complain(`updated ${shown(object)} before it was added`);
    else if (shown(before) !== shown(old))
      this.#complain(`updated ${shown(object)} from ${shown(old)}, but last saw ${shown(before)}`);
    this.#checkState(object, false);
    if (shown(old) === shown(object)) {
      // A server that went back in time may have assigned the same version to another state, which is then reported again.
      if (!this.#resyncs && this.#state.restoredAt === 0) this.#complain(`updated ${shown(object)} without a change`);
      return;
    }
    this.#note("updated", object);
    if (versionOf(object) < versionOf(old) && !this.#state.isUndone(this.#changeTo(old)))
      this.#complain(`updated ${shown(object)} back from ${shown(old)}`);
    if (old.metadata.uid !== object.metadata.uid) {
      this.#end(old);
      this.#checkNotEnded(object);
    }
    this.#know(object);
  }

  #deleted(object: Seen, isFinalStateUnknown: boolean): void {
    this.#note("deleted", object);
    const before = this.#known.get(keyOf(object));
    if (!before) this.#complain(`deleted ${shown(object)} that did not exist`);
    else if (isFinalStateUnknown && shown(before) !== shown(object))
      this.#complain(`deleted ${shown(object)}, but last saw ${shown(before)}`);
    else if (before.metadata.uid !== object.metadata.uid)
      this.#complain(`deleted ${shown(object)}, but saw another object of that name: ${shown(before)}`);
    this.#checkState(object, !isFinalStateUnknown);
    this.#end(object);
    this.#known.delete(keyOf(object));
  }

  #know(object: Seen): void {
    this.#known.set(keyOf(object), object);
  }

  #end({ metadata }: Seen): void {
    this.#ended.add(metadata.uid);
  }

  /** A deleted object does not return, unless the server reverts its deletion. */
  #checkNotEnded(object: Seen): void {
    const { uid } = object.metadata;
    const wasReverted = this.#state.log.some(
      (change) => change.type === "DELETED" && change.object.metadata.uid === uid && this.#state.isUndone(change),
    );
    if (this.#ended.has(uid) && !wasReverted) this.#complain(`saw ${shown(object)} after its deletion`);
  }

  /** Every reported object must equal a state that the server once had. */
  #checkState(object: Seen, isDeletion: boolean): void {
    const change = this.#changeTo(object);
    if (!change) this.#complain(`saw ${shown(object)}, which never existed`);
    else if (isDeletion ? !this.#state.isLastState(change) : change.type === "DELETED")
      this.#complain(`saw ${shown(object)} as ${isDeletion ? "deleted" : "existing"}`);
    else if (!isSame(object, change.object)) this.#complain(`saw ${shown(object)} with different content`);
  }

  #changeTo({ metadata }: Seen): Change | undefined {
    return this.#state.changeTo(metadata.uid ?? "", metadata.resourceVersion ?? "");
  }

  #note(what: string, object: Seen): void {
    this.changes.push(`${what} ${keyOf(object)} ${object.metadata.resourceVersion}`);
  }

  #complain(problem: string): void {
    this.problems.push(`${this.name}: ${problem}`);
  }
}

const shown = (object: Seen): string => `${keyOf(object)} (${object.metadata.uid}, ${object.metadata.resourceVersion})`;

const versionOf = ({ metadata }: Seen): bigint => BigInt(metadata.resourceVersion ?? "");

/** Reports whether an object equals the stored one. Caches do not keep the fields of other managers. */
export function isSame(seen: Seen, stored: ConfigMap): boolean {
  const { managedFields: _, ...metadata } = stored.metadata;
  return jsonEqual(seen, { ...stored, metadata });
}
