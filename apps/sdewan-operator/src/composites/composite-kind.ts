import type { DeepReadonly, DefinedKind, KubeObject } from "@kubewright/apimachinery";
import type { ConditionStatus } from "../api/conditions.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";

/** An object of a composite kind, as far as the reconciler looks into it. */
export interface CompositeObject extends KubeObject {
  spec?: object;
  status?: { message?: string | undefined } & ConditionStatus;
}

/** One as it was read. */
export type Composite = DeepReadonly<CompositeObject>;

/** A rule that a composite is made of. */
export interface Child {
  readonly kind: DefinedKind<RuleObject>;
  readonly name: string;
  readonly spec: Readonly<Record<string, string>>;
}

/** What is known of the world when a composite is looked at. */
export interface Surroundings {
  /** The IPv4 addresses of a name, lowest first. @throws {NameError} */
  addressesOf(name: string): readonly string[];
  /** Where the CNF's REST API is: its ports, and the addresses of its pods. */
  readonly api: { readonly ports: ReadonlySet<number>; readonly addresses: ReadonlySet<string> };
  /** The children that there are. */
  readonly existing: readonly DeepReadonly<RuleObject>[];
}

/** A status without its message: what children are made of. */
export type Facts = Readonly<Record<string, string | readonly string[] | undefined>>;

interface CompositeKindOptions<T extends CompositeObject> {
  readonly kind: DefinedKind<T>;
  /** The kinds of its children. */
  readonly owns: readonly DefinedKind<RuleObject>[];
  /** The DNS names that it depends on. */
  names(object: DeepReadonly<T>): readonly (string | undefined)[];
  /** What it comes to now. @throws {CompositeError} if it cannot be brought about */
  facts(object: DeepReadonly<T>, surroundings: Surroundings): Facts;
  /** The children that facts of an object of that name give; none of facts that lack something. */
  children(name: string, facts: Facts): readonly Child[];
  /** Those that the reference's operator makes of such facts, where they differ. Default: they do not. */
  referenceChildren?(name: string, facts: Facts): readonly Child[];
}

/** A composite kind: only what makes it different from the others. */
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

/** A composite cannot be brought about as things are. Its children stay as they are, unless it says otherwise. */
export class CompositeError extends Error {
  override readonly name = "CompositeError";
  readonly dropsChildren: boolean;

  constructor(message: string, { dropsChildren = false, ...options }: ErrorOptions & { dropsChildren?: boolean } = {}) {
    super(message, options);
    this.dropsChildren = dropsChildren;
  }
}
