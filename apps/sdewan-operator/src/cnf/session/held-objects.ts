import { createHash } from "node:crypto";
import type { RuleService, ServiceName } from "../../uci/cnf-kind.ts";
import { displacedInLanes, lanesOf, type Order } from "../../uci/order.ts";
import type { UciObject } from "../../uci/uci-object.ts";
import type { Change, Origin } from "./change.ts";

interface Held {
  readonly print: string;
  readonly change: Omit<Change, "desired">;
  /**
   * Fingerprint of the object as returned by the CNF. The CNF may return values in a different form than the form in which the operator
   * sent them.
   */
  form: Form | undefined;
  /** Fingerprint of the object as lists return it, if that differs from `form`. */
  listed: string | undefined;
  /** True if the object was missing from a list and has not been found or written since. */
  lost: boolean;
  /** Number of consecutive checks that found the object changed, or in the wrong position. */
  rounds: number;
  /** True if the last check found the object in the wrong position. */
  isDisplaced: boolean;
}

/** Fingerprints of an object as the CNF returns it; they differ if the objects differ. */
interface Form {
  readonly whole: string;
  /** Fingerprint of the fields that the CNF does not return as they were sent. The fingerprint changes if these fields change. */
  readonly garbled: string;
}

/** Changes to one object. */
interface Changes {
  /** Number of changes in progress. */
  readonly open: number;
  /**
   * Number of changes to any object that had ended by the end of the last change to this object, including that change.
   */
  readonly lastEnd: number;
}

const noChanges: Changes = { open: 0, lastEnd: 0 };

/** Counts of the objects that a pod is known to have at one path. */
export interface HeldCollection {
  readonly path: string;
  readonly objects: number;
  /** Number of objects missing from the last list. */
  readonly missing: number;
  /** Number of objects that were found changed when last read. */
  readonly changed: number;
  /** Number of objects that were in the wrong position when last read. */
  readonly displaced: number;
}

/**
 * Known state of an object on a pod. `written` means that the object was written but its service has not been restarted
 * since.
 */
export type HeldState = "held" | "missing" | "changed" | "displaced" | "written" | "absent";

/**
 * Number of consecutive checks in which a changed object is reverted every time. After that, it is reverted at
 * increasing intervals.
 */
const promptRounds = 3;
const maxRoundsBetween = 64;

/** Tracks which objects a CNF pod has, which ones are missing, and which ones still require a service restart. */
export class HeldObjects {
  readonly #held = new Map<string, Held>();
  readonly #uncovered = new Map<ServiceName, Set<string>>();
  readonly #changes = new Map<string, Changes>();
  /** Keys of the objects that the pod is known to have, grouped by the service that applies them. */
  readonly #ofService = new Map<ServiceName, Set<string>>();
  #ended = 0;

  /** Number of ended changes. */
  get ended(): number {
    return this.#ended;
  }

  /** Records that a change is in progress. */
  begin(change: Change): void {
    const { open, lastEnd } = this.#changes.get(keyOf(change)) ?? noChanges;
    this.#changes.set(keyOf(change), { open: open + 1, lastEnd });
  }

  /** Records that a change has ended, regardless of its result. */
  end(change: Change): void {
    const { open } = this.#changes.get(keyOf(change)) ?? noChanges;
    this.#changes.set(keyOf(change), { open: open - 1, lastEnd: ++this.#ended });
  }

  /** Reports whether the pod is known to be in the state that the change requests. */
  has(change: Change): boolean {
    return this.#held.get(keyOf(change))?.print === fingerprint(change.desired);
  }

  /**
   * Records the pod's state after a write, or after the operator has found that no write is necessary.
   *
   * @returns true if the change has taken effect, or false if its service must restart
   */
  note(change: Change, written: boolean, shown?: UciObject): boolean {
    const service = this.serviceOf(change.kind, change.desired === undefined);
    const known = change.inForce || this.has(change);
    if (written && service) this.#uncoveredOf(service.name).add(keyOf(change));
    const covered = !service || (known && !this.#uncoveredOf(service.name).has(keyOf(change)));
    if (written || covered) this.#hold(change);
    const held = this.#held.get(keyOf(change));
    if (held && shown && held.print !== absent) held.form = formOf(change, shown);
    return covered;
  }

  /** Returns the service that must restart after an object is written or deleted. */
  serviceOf({ service, placingService }: Change["kind"], isDeletion = false): RuleService | undefined {
    if (service || !placingService || isDeletion) return service;
    return (this.#ofService.get(placingService.name)?.size ?? 0) > 0 ? placingService : undefined;
  }

  /** Returns the positions of the objects that the pod is known to have at a path. */
  ordersAt(path: string): ReadonlyMap<string, Order> {
    return new Map(this.#at(path).flatMap(([, { change }]) => (change.order ? [[change.name, change.order]] : [])));
  }

  /** Records that an object was rewritten only to move it. Its service must restart. */
  noteMoved(kind: Change["kind"], name: string): void {
    const service = this.serviceOf(kind);
    if (service) this.#uncoveredOf(service.name).add(keyOf({ kind, name }));
  }

  /**
   * Records that the pod may have lost an object. @returns the resource that the object belongs to, if the pod was known to have the object
   */
  noteLost(kind: Change["kind"], name: string): Origin | undefined {
    const held = this.#held.get(keyOf({ kind, name }));
    if (!held || held.print === absent) return undefined;
    held.lost = true;
    return held.change.origin;
  }

  /**
   * Reports whether a pod still returns an object as the operator last wrote it. Undefined if the object has not been
   * read since that write.
   */
  isUnchanged(change: Change, stored: UciObject): boolean | undefined {
    const held = this.has(change) ? this.#held.get(keyOf(change)) : undefined;
    return held && isUnchanged(held, stored);
  }

  /**
   * Records a successful restart of the service for which these changes were waiting. The restart also covers all
   * earlier writes.
   */
  restarted(service: ServiceName, changes: readonly Change[]): void {
    this.#uncovered.delete(service);
    for (const change of changes) this.#hold(change);
  }

  /** The resources whose objects the pod is known to have. */
  get origins(): readonly Origin[] {
    return this.#present().map(([, { change }]) => change.origin);
  }

  /** The paths of the objects that the pod is known to have. */
  get paths(): ReadonlySet<string> {
    return new Set(this.#present().map(([, { change }]) => change.kind.path));
  }

  /**
   * Records the objects that should exist at a path but are missing.
   *
   * @param ended number of changes that had ended when the pod was queried. Objects that have changed since then are skipped. Default: no
   * objects are skipped
   * @returns the resources whose objects were not yet known to be lost
   */
  noteMissing(path: string, names: ReadonlySet<unknown>, ended?: number): readonly Origin[] {
    const newlyMissing: Origin[] = [];
    for (const [key, held] of this.#at(path)) {
      if (this.#isChanging(key, ended)) continue;
      const isLost = !names.has(held.change.name);
      if (isLost && !held.lost) newlyMissing.push(held.change.origin);
      held.lost = isLost;
    }
    return newlyMissing;
  }

  /**
   * Finds the objects that the pod returns in a different state from the one that the operator last wrote.
   *
   * @param stored objects in a list of the path
   * @param one reads a single object, because its form may differ from its form in a list
   * @param ended see {@link noteMissing}
   * @param displaced names of the objects that are in the wrong position
   * @returns the resources of these objects, except objects that the CNF keeps changing and that are not due for another repair
   */
  async changedAt(
    path: string,
    stored: ReadonlyMap<unknown, readonly UciObject[]>,
    one: (name: string) => Promise<UciObject | undefined>,
    ended: number,
    displaced: ReadonlySet<string> = new Set(),
  ): Promise<readonly Origin[]> {
    const changed: Origin[] = [];
    for (const [key, held] of this.#at(path)) {
      const [object, ...duplicates] = stored.get(held.change.name) ?? [];
      if (!object || this.#isChanging(key, ended)) continue;
      const isUnchanged = duplicates.length === 0 && (await this.#isUnchangedIn(held, object, one));
      if (this.#isChanging(key, ended)) continue;
      held.isDisplaced = displaced.has(held.change.name);
      if (isUnchanged && !held.isDisplaced) held.rounds = 0;
      else if (isDue(held.rounds++)) changed.push(held.change.origin);
    }
    return changed;
  }

  async #isUnchangedIn(
    held: Held,
    listed: UciObject,
    one: (name: string) => Promise<UciObject | undefined>,
  ): Promise<boolean> {
    if (isUnchanged(held, listed) ?? held.change.same(listed, true)) {
      held.form ??= formOf(held.change, listed);
      return true;
    }
    if (!held.form || held.rounds > 0) return false;
    const shown = await one(held.change.name);
    if (!shown || formOf(held.change, shown).whole !== held.form.whole) return false;
    held.listed = formOf(held.change, listed).whole;
    return true;
  }

  /** Returns the names of objects that someone has moved. @param stored all objects at the path, in order */
  displacedAt(path: string, stored: ReadonlyMap<string, readonly UciObject[]>): ReadonlySet<string> {
    const [held] = this.#at(path);
    if (!held) return new Set();
    const objects = new Map([...stored].flatMap(([name, [object]]) => (object ? [[name, object]] : [])));
    return displacedInLanes(lanesOf(held[1].change.kind, this.ordersAt(path), objects), [...stored.keys()]);
  }

  /**
   * Returns the names of foreign objects located between the operator's own objects at a path. Omits objects that determine their own
   * position.
   *
   * @param stored all objects at the path, in order
   */
  othersBetween(path: string, stored: ReadonlyMap<string, readonly UciObject[]>): readonly string[] {
    const orders = this.ordersAt(path);
    const own = new Map(this.#at(path).map(([, { change }]) => [change.name, change.kind]));
    const isOrdered = (name: string): boolean =>
      orders.has(name) && !(stored.get(name) ?? []).some((object) => own.get(name)?.hasPosition?.(object));
    const names = [...stored.keys()];
    const inner = names.slice(names.findIndex(isOrdered), names.findLastIndex(isOrdered) + 1);
    return inner.filter((name) => !own.has(name));
  }

  /** Object counts for each path. */
  get collections(): readonly HeldCollection[] {
    const collections = new Map<
      string,
      HeldCollection & { objects: number; missing: number; changed: number; displaced: number }
    >();
    for (const [, { change, lost, rounds, isDisplaced }] of this.#present()) {
      const { path } = change.kind;
      const collection = collections.get(path) ?? { path, objects: 0, missing: 0, changed: 0, displaced: 0 };
      collection.objects++;
      if (lost) collection.missing++;
      else if (isDisplaced) collection.displaced++;
      else if (rounds > 0) collection.changed++;
      collections.set(path, collection);
    }
    return [...collections.values()];
  }

  /** Number of objects that are waiting for a restart, keyed by service. */
  get uncovered(): ReadonlyMap<ServiceName, number> {
    return new Map([...this.#uncovered].flatMap(([name, keys]) => (keys.size > 0 ? [[name, keys.size]] : [])));
  }

  /** Returns the known state of an object, or undefined if no change to the object was requested. */
  stateOf(path: string, name: string): HeldState | undefined {
    const key = keyOf({ kind: { path }, name });
    const isWritten = [...this.#uncovered.values()].some((keys) => keys.has(key));
    const held = this.#held.get(key);
    if (!held || isWritten) return isWritten ? "written" : undefined;
    if (held.print === absent) return "absent";
    if (held.lost) return "missing";
    if (held.isDisplaced) return "displaced";
    return held.rounds > 0 ? "changed" : "held";
  }

  /**
   * Reports whether a change to the object is in progress, or was in progress at the time when `ended` changes had
   * ended.
   */
  #isChanging(key: string, ended: number | undefined): boolean {
    const { open, lastEnd } = this.#changes.get(key) ?? noChanges;
    return ended !== undefined && (open > 0 || lastEnd > ended);
  }

  #at(path: string): [string, Held][] {
    return this.#present().filter(([, { change }]) => change.kind.path === path);
  }

  #present(): [string, Held][] {
    return [...this.#held].filter(([, { print }]) => print !== absent);
  }

  #hold({ desired, ...change }: Change): void {
    const print = fingerprint(desired);
    const key = keyOf(change);
    const known = this.#held.get(key);
    const { service } = change.kind;
    if (service) {
      const keys = this.#ofService.get(service.name) ?? new Set();
      this.#ofService.set(service.name, keys);
      if (print === absent) keys.delete(key);
      else keys.add(key);
    }
    const { form, listed, rounds } = known?.print === print ? known : nothingSeen;
    this.#held.set(key, { print, change, form, listed, rounds, lost: false, isDisplaced: false });
  }

  #uncoveredOf(service: ServiceName): Set<string> {
    const keys = this.#uncovered.get(service) ?? new Set();
    this.#uncovered.set(service, keys);
    return keys;
  }
}

const nothingSeen = { form: undefined, listed: undefined, rounds: 0 };

/**
 * Reports whether an object is unchanged: either the CNF has returned this form before, or the new form contains the
 * desired values, as far as the CNF returns them.
 */
function isUnchanged({ form, listed, change }: Held, stored: UciObject): boolean | undefined {
  if (!form) return undefined;
  const { whole, garbled } = formOf(change, stored);
  return form.whole === whole || listed === whole || (form.garbled === garbled && change.same(stored, true));
}

const isDue = (rounds: number): boolean => {
  const over = rounds - promptRounds;
  return over < 0 || over % Math.min(2 ** Math.min(over, 10), maxRoundsBetween) === 0;
};

function formOf({ kind }: Pick<Change, "kind">, stored: UciObject): Form {
  const garbled = (kind.garbled ?? []).map((field) => stored[field] ?? null);
  return { whole: hashOf(inOrder(stored)), garbled: hashOf(garbled) };
}

/** Returns the value with sorted keys, because the CNF does not preserve their order. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, inOrder(member)]);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
};

const hashOf = (value: unknown): string => createHash("sha256").update(JSON.stringify(value)).digest("base64");

const keyOf = ({ kind, name }: { readonly kind: Pick<Change["kind"], "path">; readonly name: string }): string =>
  `${kind.path}/${name}`;

const absent = "absent";

/**
 * Returns a fingerprint that differs for different objects. It is stored instead of the object, to keep secrets out of
 * memory.
 */
const fingerprint = (desired: Change["desired"]): string => (desired === undefined ? absent : hashOf(desired));
