import { type DeepReadonly, jsonEqual, keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { ResourceEventHandler } from "@kubewright/cache";
import type { ConfigMap } from "@kubewright/client/kinds";
import type { Change, ServerState } from "../server/server-state.ts";

type Seen = DeepReadonly<ConfigMap>;

const words = { ADDED: "added", MODIFIED: "updated", DELETED: "deleted" } as const;

/** How the server's log tells of a change, in the words of a handler. */
export const entryOf = ({ type, key, object }: Change): string =>
  `${words[type]} ${key} ${object.metadata.resourceVersion}`;

/** Listens as a handler does, and notes what no handler should hear. */
export class Historian {
  readonly name: string;
  readonly problems: string[] = [];
  /** What was told, without what was only told once more. */
  readonly journal: string[] = [];
  readonly #state: ServerState;
  readonly #resyncs: boolean;
  readonly #known = new Map<ObjectKey, Seen>();
  readonly #ended = new Set<string | undefined>();

  /** @param resyncs whether objects that did not change may be told of again */
  constructor(name: string, state: ServerState, resyncs: boolean) {
    this.name = name;
    this.#state = state;
    this.#resyncs = resyncs;
  }

  /** What the handler takes to be there now. */
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
      this.#complain(`updated ${shown(object)} from ${shown(old)}, but was told of ${shown(before)}`);
    this.#checkState(object, false);
    if (shown(old) === shown(object)) {
      // A server that went back may have given the same version to another state, so then it is told of again.
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
    if (!before) this.#complain(`deleted ${shown(object)} that was not there`);
    else if (isFinalStateUnknown && shown(before) !== shown(object))
      this.#complain(`deleted ${shown(object)}, but was last told of ${shown(before)}`);
    else if (before.metadata.uid !== object.metadata.uid)
      this.#complain(`deleted ${shown(object)}, but was told of its namesake ${shown(before)}`);
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

  /** An object does not come back, unless the server takes its deletion back. */
  #checkNotEnded(object: Seen): void {
    const { uid } = object.metadata;
    const wasTakenBack = this.#state.log.some(
      (change) => change.type === "DELETED" && change.object.metadata.uid === uid && this.#state.isUndone(change),
    );
    if (this.#ended.has(uid) && !wasTakenBack) this.#complain(`told of ${shown(object)} after its end`);
  }

  /** Every object that anybody hears of is, to the letter, what the server once had. */
  #checkState(object: Seen, isDeletion: boolean): void {
    const change = this.#changeTo(object);
    if (!change) this.#complain(`told of ${shown(object)}, which never was`);
    else if (isDeletion ? !this.#state.isLastState(change) : change.type === "DELETED")
      this.#complain(`told of ${shown(object)} as ${isDeletion ? "deleted" : "living"}`);
    else if (!isSame(object, change.object)) this.#complain(`told of ${shown(object)} with another content`);
  }

  #changeTo({ metadata }: Seen): Change | undefined {
    return this.#state.changeTo(metadata.uid ?? "", metadata.resourceVersion ?? "");
  }

  #note(what: string, object: Seen): void {
    this.journal.push(`${what} ${keyOf(object)} ${object.metadata.resourceVersion}`);
  }

  #complain(problem: string): void {
    this.problems.push(`${this.name}: ${problem}`);
  }
}

const shown = (object: Seen): string => `${keyOf(object)} (${object.metadata.uid}, ${object.metadata.resourceVersion})`;

const versionOf = ({ metadata }: Seen): bigint => BigInt(metadata.resourceVersion ?? "");

/** Whether what somebody was shown is what the server has. Fields of other managers are not kept in caches. */
export function isSame(seen: Seen, stored: ConfigMap): boolean {
  const { managedFields: _, ...metadata } = stored.metadata;
  return jsonEqual(seen, { ...stored, metadata });
}
