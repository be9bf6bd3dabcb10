import { isRecord, jsonEqual, type Unstructured, unstructured } from "@kubewright/apimachinery";

import { type Clock, sleepOn, systemClock } from "@kubewright/clock";
import type { ControllerInspection, ReconcileRecord } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { onOneLine } from "../command/printable.ts";

export interface StatusLoopsOptions {
  readonly manager: Pick<Manager, "inspect" | "describe" | "apiReader">;
  /** Called with each warning, including its final line break. */
  readonly warn: (text: string) => void;
  readonly clock?: Clock | undefined;
}

/** Consecutive reconciles of one object, each of which was caused by a change to the object and wrote it again. */
interface Loop {
  readonly sinceMs: number;
  readonly count: number;
}

interface Loops {
  /** Number of the reconcile that was examined last. */
  last: number;
  readonly byKey: Map<string, Loop>;
  /** Fields that have already been named in a warning. */
  readonly named: Set<string>;
}

/** The kind that a controller reconciles, as returned by `manager.describe`. */
type Reconciled = NonNullable<ReturnType<Manager["describe"]>["controllers"][number]["for"]>;

const lookEveryMs = 1_000;
/** Thresholds for a warning. They are not reached by a controller that records only a few steps in the status. */
const fewestReconciles = 30;
const shortestMs = 5_000;
const sampleEveryMs = 50;
/** Number of versions of an object to compare, and maximum number of reads to obtain them. */
const samples = 4;
const maxReads = 40;
const maxFields = 3;
const maxWarnings = 5;

/**
 * Detects endless loops in which each reconcile writes a different value, such as the current time, to the object and
 * thereby causes the next reconcile. Warns once for each field and controller.
 */
export class StatusLoops {
  readonly #manager: StatusLoopsOptions["manager"];
  readonly #warn: StatusLoopsOptions["warn"];
  readonly #clock: Clock;
  readonly #controllers = new Map<string, Loops>();

  constructor({ manager, warn, clock = systemClock }: StatusLoopsOptions) {
    this.#manager = manager;
    this.#warn = warn;
    this.#clock = clock;
  }

  /** Checks once a second until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const kinds = new Map(
      this.#manager.describe().controllers.flatMap((one) => (one.for ? [[one.name, one.for] as const] : [])),
    );
    while (!signal.aborted) {
      for (const [name, kind] of kinds) await this.#look(name, kind, signal);
      await this.#sleep(lookEveryMs, signal);
    }
  }

  async #look(name: string, kind: Reconciled, signal: AbortSignal): Promise<void> {
    const known = this.#controllers.get(name) ?? { last: -1, byKey: new Map(), named: new Set() };
    this.#controllers.set(name, known);
    if (known.named.size >= maxWarnings) return;
    for (const record of newestLast(this.#manager, name)) {
      if (record.number <= known.last) continue;
      known.last = record.number;
      const { sinceMs, count } = known.byKey.get(record.key) ?? { sinceMs: record.atMs, count: 0 };
      if (continues(record, kind)) known.byKey.set(record.key, { sinceMs, count: count + 1 });
      else known.byKey.delete(record.key);
    }
    const now = this.#clock.now();
    for (const [key, { sinceMs, count }] of known.byKey) {
      if (signal.aborted || count < fewestReconciles || now - sinceMs < shortestMs) continue;
      known.byKey.delete(key); // counting starts over, without a warning
      const fields = await this.#changing(kind, key, signal);
      const fresh = [...fields.keys()].filter((field) => !known.named.has(field));
      if (fresh.length === 0) continue;
      for (const field of fresh) known.named.add(field);
      const shown = fresh.slice(0, maxFields).map((field) => `    ${field}${fields.get(field)}\n`);
      const more = fresh.length > maxFields ? `    and ${fresh.length - maxFields} more fields\n` : "";
      const seconds = ((now - sinceMs) / 1_000).toFixed(1);
      this.#warn(
        `  warning: controller ${onOneLine(name)} reconciled ${onOneLine(key)} ${count} times in ${seconds} s, because each reconcile changes what the previous one wrote:\n` +
          `${shown.join("")}${more}    write a field only if its meaning has changed; to check at intervals, return { requeueAfterMs }\n`,
      );
      return; // the next check examines the controller's other objects
    }
  }

  /**
   * Returns the fields that change with every version of the object, with two of their values for each. Empty if the object does not
   * change.
   */
  async #changing(kind: Reconciled, key: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const versions: Unstructured[] = [];
    for (let reads = 0; reads < maxReads && versions.length < samples && !signal.aborted; reads++) {
      const object = await this.#read(kind, key, signal);
      if (!object) return new Map();
      if (object.metadata.resourceVersion !== versions.at(-1)?.metadata.resourceVersion) versions.push(object);
      await this.#sleep(sampleEveryMs, signal);
    }
    if (versions.length < 3 || new Set(versions.map(({ metadata }) => metadata.uid)).size > 1) return new Map();
    const compared = versions.map(comparable);
    const [first = new Map<string, string>(), ...rest] = compared
      .slice(1)
      .map((version, at) => new Map(changes(compared[at], version)));
    return new Map([...first].filter(([field]) => rest.every((step) => step.has(field))));
  }

  async #read(kind: Reconciled, key: string, signal: AbortSignal): Promise<Unstructured | undefined> {
    const { group, version, scope } = kind;
    const apiVersion = group ? `${group}/${version}` : version;
    try {
      return await this.#manager.apiReader.get(unstructured({ apiVersion, kind: kind.kind, scope }), key, { signal });
    } catch {
      return undefined; // deleted, or the server did not respond; if the loop continues, a later check reads the object again
    }
  }

  /** Waits for some time without keeping the process alive. */
  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const after: Clock["after"] = (time, callback) => this.#clock.after(time, callback, { unref: true });
    return sleepOn({ after }, ms, signal);
  }
}

function newestLast(manager: StatusLoopsOptions["manager"], name: string): readonly ReconcileRecord[] {
  const states = manager.inspect({ name, limit: 500 }).map(({ state }): Partial<ControllerInspection> => state);
  return states.flatMap(({ reconciles = [] }) => reconciles).toReversed();
}

/** Returns true if only a change to the object itself caused the reconcile, and the reconcile then wrote the object. */
function continues({ key, causes, writes }: ReconcileRecord, { kind, group, plural }: Reconciled): boolean {
  const source = group ? `${kind}.${group}` : kind;
  const resource = group ? `${plural}.${group}` : plural;
  return (
    causes.length > 0 &&
    causes.every((cause) => cause.type === "update" && cause.source === source && cause.key === key) &&
    writes.some((one) => one.key === key && one.error === undefined && one.resource.replace(/\/.*/, "") === resource)
  );
}

/** Yields the fields that differ, with both values. */
function* changes(before: unknown, after: unknown, field = ""): Generator<readonly [field: string, values: string]> {
  if (jsonEqual(before, after)) return;
  if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      yield* changes(before[name], after[name], field === "" ? name : `${field}.${name}`);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [at, item] of before.entries()) yield* changes(item, after[at], `${field}[${at}]`);
  } else yield [shortened(onOneLine(field), 200), `: ${valueText(before)}, then ${valueText(after)}`];
}

/** Returns the object without the fields that every write changes. */
function comparable({ metadata, ...rest }: Unstructured): object {
  const { resourceVersion, generation, managedFields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

const valueText = (value: unknown): string =>
  Array.isArray(value) ? `${value.length} items` : shortened(onOneLine(JSON.stringify(value) ?? "absent"), 60);

const shortened = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)}…` : text);
