import type { DeepReadonly, DefinedKind, KubeObject } from "@kubewright/apimachinery";
import type { ConditionStatus } from "../api/conditions.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";

/** The fields of composite objects that the reconciler uses. */
export interface CompositeObject extends KubeObject {
  spec?: object;
  status?: { message?: string | undefined } & ConditionStatus;
}

/** A composite as read from the cluster. */
export type Composite = DeepReadonly<CompositeObject>;

/** A rule that a composite expands into. */
export interface Child {
  readonly kind: DefinedKind<RuleObject>;
  readonly name: string;
  readonly spec: Readonly<Record<string, string>>;
}

/** External information on which a composite depends. */
export interface Environment {
  /**
   * Returns the IPv4 addresses of a name, lowest first.
   *
   * @throws {NameError} if the name has no addresses, or cannot be resolved
   */
  addressesOf(name: string): readonly string[];
  /** The CNF's REST API: its ports, and the addresses of its pods. */
  readonly api: { readonly ports: ReadonlySet<number>; readonly addresses: ReadonlySet<string> };
  /** The existing children. */
  readonly existing: readonly DeepReadonly<RuleObject>[];
}

/** A composite's status without its message: facts such as addresses, from which the children are created. */
export type Facts = Readonly<Record<string, string | readonly string[] | undefined>>;

interface CompositeKindOptions<T extends CompositeObject> {
  readonly kind: DefinedKind<T>;
  /** The kinds of the children. */
  readonly owns: readonly DefinedKind<RuleObject>[];
  /** Returns the DNS names that the object depends on. */
  names(object: DeepReadonly<T>): readonly (string | undefined)[];
  /**
   * Returns the current facts of the object.
   *
   * @throws {CompositeError} if the object cannot be applied
   */
  facts(object: DeepReadonly<T>, environment: Environment): Facts;
  /** Returns the children of an object with this name; empty if the facts are incomplete. */
  children(name: string, facts: Facts): readonly Child[];
  /** Returns the children that the reference operator creates. Default: the result of `children`. */
  referenceChildren?(name: string, facts: Facts): readonly Child[];
}

/** The parts of a composite kind that distinguish it from others. */
export interface CompositeKind<T extends CompositeObject = CompositeObject> extends Required<CompositeKindOptions<T>> {
  readonly finalizer: string;
}

export function compositeKind<T extends CompositeObject>(options: CompositeKindOptions<T>): CompositeKind<T> {
  return {
    referenceChildren: options.children,
    ...options,
    finalizer: `${options.kind.kind.toLowerCase()}.finalizers.sdewan.akraino.org`,
  };
}

/**
 * Thrown if a composite cannot currently be applied. Its children are left unchanged unless the error specifies that
 * they must be deleted.
 */
export class CompositeError extends Error {
  override readonly name = "CompositeError";
  readonly dropsChildren: boolean;

  constructor(message: string, { dropsChildren = false, ...options }: ErrorOptions & { dropsChildren?: boolean } = {}) {
    super(message, options);
    this.dropsChildren = dropsChildren;
  }
}
