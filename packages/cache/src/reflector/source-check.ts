import { apiVersionOf, type GroupVersionKind, gvkKey } from "@kubewright/apimachinery";
import type { ListPage } from "../source/lister-watcher.ts";
import { metaIfAny } from "../store/object-meta.ts";

/** Reason for leaving an object out, for the log. */
export interface Refusal {
  readonly reason: string;
  readonly expected: string;
  readonly actual: string;
}

/** Checks whether a source delivers objects of the requested kind. */
export class SourceCheck {
  /** The kind as `apps/v1, Kind=Deployment`, or `<unspecified>`. */
  readonly description: string;
  readonly #apiVersion: string | undefined;
  readonly #kind: string | undefined;

  constructor(kind: GroupVersionKind | undefined) {
    this.description = kind ? gvkKey(kind) : "<unspecified>";
    this.#apiVersion = kind && apiVersionOf(kind);
    this.#kind = kind?.kind;
  }

  /** Returns the reason to leave an object out; `undefined` if it is accepted. */
  refusalOf(object: unknown): Refusal | undefined {
    if (!metaIfAny(object)?.name) return this.#refusal("it has no metadata", object);
    if (isTable(object)) return this.#refusal("tables do not contain objects", object);
    if (this.#kind === undefined) return undefined;
    const { apiVersion, kind } = typeOf(object);
    return kind === this.#kind && apiVersion === this.#apiVersion
      ? undefined
      : this.#refusal("it is of another kind", object);
  }

  /** @throws {Error} if a list is a `meta.k8s.io` Table, whose rows are not objects */
  refuseTable(list: ListPage<unknown>): void {
    if (isTable(list)) throw new Error(`unsupported list of ${list.apiVersion}, Kind=${list.kind}`);
  }

  #refusal(reason: string, object: unknown): Refusal {
    const { apiVersion, kind } = typeOf(object);
    return { reason, expected: this.description, actual: `${apiVersion}, Kind=${kind}` };
  }
}

function typeOf(object: unknown): { readonly apiVersion?: unknown; readonly kind?: unknown } {
  return typeof object === "object" && object !== null ? object : {};
}

function isTable(object: unknown): boolean {
  const { apiVersion, kind } = typeOf(object);
  return kind === "Table" && (apiVersion === "meta.k8s.io/v1" || apiVersion === "meta.k8s.io/v1beta1");
}
