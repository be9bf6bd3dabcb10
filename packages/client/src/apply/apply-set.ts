import { createHash } from "node:crypto";
import {
  groupKindKey,
  ignoreNotFound,
  isNoMatch,
  type Kind,
  kindOf,
  type Unstructured,
} from "@kubewright/apimachinery";
import type { Client } from "../calls/client.ts";

const annotation = {
  tooling: "applyset.kubernetes.io/tooling",
  groupKinds: "applyset.kubernetes.io/contains-group-kinds",
  namespaces: "applyset.kubernetes.io/additional-namespaces",
} as const;
const idLabel = "applyset.kubernetes.io/id";
export const memberLabel = "applyset.kubernetes.io/part-of";

const tooling = "kubewright/v1";

/** Identifies a set of objects that are applied together, so that objects removed from the set can be deleted. */
export interface ApplySetName {
  /** Name of the Secret that stores the set's contents. */
  readonly name: string;
  readonly namespace: string;
}

const parentKind: Kind<Unstructured> = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  scope: "Namespaced",
};

/**
 * A set of applied objects. A Secret without data records the members' kinds and namespaces. Each member is labeled
 * with the set's ID, so that removed members can be found.
 *
 * @see KEP-3659, kubectl pkg/cmd/apply ApplySet
 */
export class ApplySet {
  readonly #client: Client;
  readonly #name: ApplySetName;
  readonly id: string;

  constructor(client: Client, name: ApplySetName) {
    this.#client = client;
    this.#name = name;
    const { name: own, namespace } = name;
    const digest = createHash("sha256").update(`${own}.${namespace}.Secret.`).digest("base64url");
    this.id = `applyset-${digest}-v1`;
  }

  /** Returns the members' recorded kinds and namespaces. @throws {Error} if the Secret belongs to another tool */
  async contents(): Promise<SetContents> {
    const parent = await this.#client.get(parentKind, this.#name).catch(ignoreNotFound);
    if (!parent) return { groupKinds: [], namespaces: [] };
    const { labels = {}, annotations = {} } = parent.metadata;
    const owner = annotations[annotation.tooling];
    if (labels[idLabel] !== this.id || !owner?.startsWith("kubewright/"))
      throw new Error(
        `secret/${this.#name.name} in ${this.#name.namespace} ${owner ? `belongs to ${owner}` : "is not an applyset"}; choose another name`,
      );
    const list = (text: string | undefined): string[] => (text ?? "").split(",").filter(Boolean);
    return {
      groupKinds: list(annotations[annotation.groupKinds]),
      namespaces: list(annotations[annotation.namespaces]),
    };
  }

  /** Records the members' kinds and namespaces. Must be called before the members are applied, so that pruning can find all of them. */
  async record({ groupKinds, namespaces }: SetContents): Promise<void> {
    const { name, namespace } = this.#name;
    const additional = namespaces.filter((one) => one !== namespace);
    const annotations = {
      [annotation.tooling]: tooling,
      [annotation.groupKinds]: sorted(groupKinds).join(","),
      [annotation.namespaces]: sorted(additional).join(","),
    };
    const metadata = { name, namespace, labels: { [idLabel]: this.id }, annotations };
    await this.#client.apply(parentKind, { metadata }, { force: true });
  }

  /** Returns members of the recorded kinds that are not in `keep`, in reverse order of the recorded kinds. */
  async strays({ groupKinds, namespaces }: SetContents, keep: ReadonlySet<string>): Promise<Stray[]> {
    const all = new Set([this.#name.namespace, ...namespaces]);
    const found: Stray[] = [];
    for (const groupKind of sorted(groupKinds)) {
      const kind = await this.#servedKind(groupKind);
      if (!kind) continue; // the CRD and its objects were deleted
      for (const namespace of kind.scope === "Namespaced" ? all : [undefined]) {
        const list = await this.#client.list(kind, { namespace, labels: { [memberLabel]: this.id } });
        found.push(...list.filter(({ metadata }) => !keep.has(metadata.uid ?? "")).map((object) => ({ kind, object })));
      }
    }
    return found.reverse();
  }

  async #servedKind(groupKind: string): Promise<Kind<Unstructured> | undefined> {
    const [kind = "", ...group] = groupKind.split(".");
    try {
      const { gvk, gvr, scope } = await this.#client.mapper.mappingFor({ group: group.join("."), kind });
      return { ...gvk, plural: gvr.resource, scope };
    } catch (error) {
      if (isNoMatch(error)) return undefined;
      throw error;
    }
  }
}

export interface SetContents {
  /** Kinds of the members, such as `Deployment.apps`. */
  readonly groupKinds: readonly string[];
  readonly namespaces: readonly string[];
}

export interface Stray {
  readonly kind: Kind<Unstructured>;
  readonly object: Unstructured;
}

export const contentsOf = (objects: readonly Unstructured[]): SetContents => ({
  groupKinds: objects.map((object) => groupKindKey(kindOf(object))),
  namespaces: objects.flatMap(({ metadata }) => (metadata.namespace ? [metadata.namespace] : [])),
});

export const joined = (a: SetContents, b: SetContents): SetContents => ({
  groupKinds: sorted([...a.groupKinds, ...b.groupKinds]),
  namespaces: sorted([...a.namespaces, ...b.namespaces]),
});

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
