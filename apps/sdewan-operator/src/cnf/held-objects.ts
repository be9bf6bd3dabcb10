import { createHash } from "node:crypto";
import type { ServiceName } from "../kinds/cnf-kind.ts";
import type { Change, Origin } from "./batch.ts";

interface Held {
  readonly print: string;
  readonly change: Omit<Change, "wanted">;
}

/** What one CNF pod is known to hold or not to hold, and which of it no restart has covered yet. */
export class HeldObjects {
  readonly #held = new Map<string, Held>();
  readonly #uncovered = new Map<ServiceName, Set<string>>();

  /** Whether the pod is known to be as the change wants it. */
  has(change: Change): boolean {
    return this.#held.get(keyOf(change))?.print === fingerprint(change.wanted);
  }

  /**
   * Notes what a write, or the finding that none was needed, says about the pod.
   *
   * @returns whether the change is in force; if not, a restart of its service is missing
   */
  note(change: Change, written: boolean): boolean {
    const { service } = change.kind;
    const known = change.inForce || this.has(change);
    if (written && service) this.#owedBy(service.name).add(keyOf(change));
    const covered = !service || (known && !this.#owedBy(service.name).has(keyOf(change)));
    if (written || covered) this.#hold(change);
    return covered;
  }

  /** A restart has succeeded that these changes waited for; it covers all else that was written before. */
  restarted(service: ServiceName, changes: readonly Change[]): void {
    this.#uncovered.delete(service);
    for (const change of changes) this.#hold(change);
  }

  /** The paths of what the pod is known to hold. */
  get paths(): ReadonlySet<string> {
    return new Set(this.#present().map(([, { change }]) => change.kind.path));
  }

  /** Forgets what is held at a path, but not by the pod itself any more. @returns which resources it is missing for */
  forgetMissing(path: string, names: ReadonlySet<unknown>): readonly Origin[] {
    const missing = this.#present().filter(([, { change }]) => change.kind.path === path && !names.has(change.name));
    for (const [key] of missing) this.#held.delete(key);
    return missing.map(([, { change }]) => change.origin);
  }

  #present(): [string, Held][] {
    return [...this.#held].filter(([, { print }]) => print !== absent);
  }

  #hold({ wanted, ...change }: Change): void {
    this.#held.set(keyOf(change), { print: fingerprint(wanted), change });
  }

  #owedBy(service: ServiceName): Set<string> {
    const keys = this.#uncovered.get(service) ?? new Set();
    this.#uncovered.set(service, keys);
    return keys;
  }
}

const keyOf = ({ kind, name }: Pick<Change, "kind" | "name">): string => `${kind.path}/${name}`;

const absent = "absent";

/** A short text that differs where wanted objects differ; secrets do not stay in memory for it. */
const fingerprint = (wanted: Change["wanted"]): string =>
  wanted === undefined ? absent : createHash("sha256").update(JSON.stringify(wanted)).digest("base64");
