import { createHash } from "node:crypto";
import type { ServiceName } from "../uci/cnf-kind.ts";
import type { UciObject } from "../uci/uci-object.ts";
import type { Change, Origin } from "./batch.ts";

interface Held {
  readonly print: string;
  readonly change: Omit<Change, "wanted">;
  /** How the CNF shows it: values may come back in another form than they were sent in. */
  form: Form | undefined;
  /** The form it has in lists, where that is another one. */
  listed: string | undefined;
  /** A list did not have it, and it was not seen or written since. */
  lost: boolean;
  /** How many rounds in a row it was found changed. */
  rounds: number;
}

/** What a CNF shows of an object, as short texts that differ where it differs. */
interface Form {
  readonly whole: string;
  /** Of the fields that are not shown as they were sent, so that a change of these is noticed too. */
  readonly garbled: string;
}

/** Changes of one object. */
interface Changes {
  /** Number of those that are under way. */
  readonly open: number;
  /** Number of all changes that had ended when its last one did, that one included. */
  readonly lastEnd: number;
}

const noChanges: Changes = { open: 0, lastEnd: 0 };

/** What is known of what a pod holds at one path. */
export interface HeldCollection {
  readonly path: string;
  readonly objects: number;
  /** Those that a list did not have when it was last seen. */
  readonly missing: number;
  /** Those that were last seen otherwise than they were left. */
  readonly changed: number;
}

/** How an object is on a pod, as far as it is known. `written`: no restart of its service has covered it yet. */
export type HeldState = "held" | "missing" | "changed" | "written" | "absent";

/** Found changed so often in a row, an object is put right at each round; after that, less and less often. */
const promptRounds = 3;
const rarest = 64;

/** What one CNF pod is known to hold or not to hold, and which of it no restart has covered yet. */
export class HeldObjects {
  readonly #held = new Map<string, Held>();
  readonly #uncovered = new Map<ServiceName, Set<string>>();
  readonly #changes = new Map<string, Changes>();
  #ended = 0;

  /** Number of the changes that have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Notes that a change is under way. */
  begin(change: Change): void {
    const { open, lastEnd } = this.#changes.get(keyOf(change)) ?? noChanges;
    this.#changes.set(keyOf(change), { open: open + 1, lastEnd });
  }

  /** Notes that a change that was under way has ended, whatever it came to. */
  end(change: Change): void {
    const { open } = this.#changes.get(keyOf(change)) ?? noChanges;
    this.#changes.set(keyOf(change), { open: open - 1, lastEnd: ++this.#ended });
  }

  /** Whether the pod is known to be as the change wants it. */
  has(change: Change): boolean {
    return this.#held.get(keyOf(change))?.print === fingerprint(change.wanted);
  }

  /**
   * Notes what a write, or the finding that none was needed, says about the pod.
   *
   * @returns whether the change is in force; if not, a restart of its service is missing
   */
  note(change: Change, written: boolean, shown?: UciObject): boolean {
    const { service } = change.kind;
    const known = change.inForce || this.has(change);
    if (written && service) this.#owedBy(service.name).add(keyOf(change));
    const covered = !service || (known && !this.#owedBy(service.name).has(keyOf(change)));
    if (written || covered) this.#hold(change);
    const held = this.#held.get(keyOf(change));
    if (held && shown && held.print !== absent) held.form = formOf(change, shown);
    return covered;
  }

  /** Whether a pod shows an object as it was left there; undefined if nobody has seen it since. */
  isAsLeft(change: Change, stored: UciObject): boolean | undefined {
    const held = this.has(change) ? this.#held.get(keyOf(change)) : undefined;
    return held && isAsLeft(held, stored);
  }

  /** A restart has succeeded that these changes waited for; it covers all else that was written before. */
  restarted(service: ServiceName, changes: readonly Change[]): void {
    this.#uncovered.delete(service);
    for (const change of changes) this.#hold(change);
  }

  /** The resources whose objects the pod is known to hold. */
  get origins(): readonly Origin[] {
    return this.#present().map(([, { change }]) => change.origin);
  }

  /** The paths of what the pod is known to hold. */
  get paths(): ReadonlySet<string> {
    return new Set(this.#present().map(([, { change }]) => change.kind.path));
  }

  /**
   * Notes what is held at a path, but not by the pod itself any more.
   *
   * @param ended number of the changes that had ended when the pod was asked. Objects that changed since then are left out. Default: none
   *   is left out
   * @returns for which resources that is news
   */
  noteMissing(path: string, names: ReadonlySet<unknown>, ended?: number): readonly Origin[] {
    const news: Origin[] = [];
    for (const [key, held] of this.#at(path)) {
      if (this.#isChanging(key, ended)) continue;
      const isLost = !names.has(held.change.name);
      if (isLost && !held.lost) news.push(held.change.origin);
      held.lost = isLost;
    }
    return news;
  }

  /**
   * Finds what the pod shows otherwise than it was left there.
   *
   * @param stored what a list of the path shows
   * @param one asks for one object, whose form may be another than in a list
   * @param ended as for {@link noteMissing}
   * @returns which resources that concerns, but for those that the CNF keeps changing and whose turn it is not
   */
  async changedAt(
    path: string,
    stored: ReadonlyMap<unknown, readonly UciObject[]>,
    one: (name: string) => Promise<UciObject | undefined>,
    ended: number,
  ): Promise<readonly Origin[]> {
    const changed: Origin[] = [];
    for (const [key, held] of this.#at(path)) {
      const [object, ...duplicates] = stored.get(held.change.name) ?? [];
      if (!object || this.#isChanging(key, ended)) continue;
      const isAsLeft = duplicates.length === 0 && (await this.#isAsLeftIn(held, object, one));
      if (this.#isChanging(key, ended)) continue;
      if (isAsLeft) held.rounds = 0;
      else if (isTurn(held.rounds++)) changed.push(held.change.origin);
    }
    return changed;
  }

  async #isAsLeftIn(
    held: Held,
    listed: UciObject,
    one: (name: string) => Promise<UciObject | undefined>,
  ): Promise<boolean> {
    if (isAsLeft(held, listed) ?? held.change.same(listed, true)) {
      held.form ??= formOf(held.change, listed);
      return true;
    }
    if (!held.form || held.rounds > 0) return false;
    const shown = await one(held.change.name);
    if (!shown || formOf(held.change, shown).whole !== held.form.whole) return false;
    held.listed = formOf(held.change, listed).whole;
    return true;
  }

  /** How much there is at each path. */
  get collections(): readonly HeldCollection[] {
    const collections = new Map<string, { path: string; objects: number; missing: number; changed: number }>();
    for (const [, { change, lost, rounds }] of this.#present()) {
      const { path } = change.kind;
      const collection = collections.get(path) ?? { path, objects: 0, missing: 0, changed: 0 };
      collection.objects++;
      if (lost) collection.missing++;
      else if (rounds > 0) collection.changed++;
      collections.set(path, collection);
    }
    return [...collections.values()];
  }

  /** Of each service that a restart is owed, how many objects wait for it. */
  get uncovered(): ReadonlyMap<ServiceName, number> {
    return new Map([...this.#uncovered].flatMap(([name, keys]) => (keys.size > 0 ? [[name, keys.size]] : [])));
  }

  /** Nothing: nobody has asked the pod for it. */
  stateOf(path: string, name: string): HeldState | undefined {
    const key = keyOf({ kind: { path }, name });
    const isWritten = [...this.#uncovered.values()].some((keys) => keys.has(key));
    const held = this.#held.get(key);
    if (!held || isWritten) return isWritten ? "written" : undefined;
    if (held.print === absent) return "absent";
    if (held.lost) return "missing";
    return held.rounds > 0 ? "changed" : "held";
  }

  /** Reports whether an object has a change under way, or had one when only `ended` changes had ended. */
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

  #hold({ wanted, ...change }: Change): void {
    const print = fingerprint(wanted);
    const known = this.#held.get(keyOf(change));
    const { form, listed, rounds } = known?.print === print ? known : nothingSeen;
    this.#held.set(keyOf(change), { print, change, form, listed, rounds, lost: false });
  }

  #owedBy(service: ServiceName): Set<string> {
    const keys = this.#uncovered.get(service) ?? new Set();
    this.#uncovered.set(service, keys);
    return keys;
  }
}

const nothingSeen = { form: undefined, listed: undefined, rounds: 0 };

/** A form that was seen before is as left. Another one is, if what was asked for is in it, as far as that can be seen. */
function isAsLeft({ form, listed, change }: Held, stored: UciObject): boolean | undefined {
  if (!form) return undefined;
  const { whole, garbled } = formOf(change, stored);
  return form.whole === whole || listed === whole || (form.garbled === garbled && change.same(stored, true));
}

const isTurn = (rounds: number): boolean => {
  const over = rounds - promptRounds;
  return over < 0 || over % Math.min(2 ** Math.min(over, 10), rarest) === 0;
};

function formOf({ kind }: Pick<Change, "kind">, stored: UciObject): Form {
  const garbled = (kind.garbled ?? []).map((field) => stored[field] ?? null);
  return { whole: hashOf(inOrder(stored)), garbled: hashOf(garbled) };
}

/** The same whatever the order of its keys, which the CNF does not keep. */
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

/** A short text that differs where wanted objects differ; secrets do not stay in memory for it. */
const fingerprint = (wanted: Change["wanted"]): string => (wanted === undefined ? absent : hashOf(wanted));
