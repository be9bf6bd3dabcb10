import type { ObjectKey } from "@kubewright/apimachinery";
import type { CnfKind } from "../../uci/cnf-kind.ts";
import type { Order, OrderedKind } from "../../uci/order.ts";
import type { UciObject } from "../../uci/uci-object.ts";

/** The custom resource to which an object on a CNF belongs. */
export interface Origin {
  readonly kind: string;
  readonly key: ObjectKey;
}

/** The desired state of one object on a CNF. */
export interface Change {
  readonly origin: Origin;
  readonly kind: Pick<CnfKind, "path" | "rank" | "service"> &
    Partial<Pick<CnfKind, "garbled" | "kernelRules" | "placingService">> &
    OrderedKind;
  readonly name: string;
  /** The former name of the object. The object with this name is deleted after the rest of the change has been made. */
  readonly formerName?: string | undefined;
  /** The whole object; undefined to delete it. */
  readonly desired: UciObject | undefined;
  /**
   * Reports whether the stored object equals the desired object. `sent` is true if this session last sent the same
   * desired object.
   */
  readonly same: (stored: UciObject, sent: boolean) => boolean;
  /** Reports whether the stored object may be deleted, for a deletion or a former name. Default: always. */
  readonly mayErase?: (stored: UciObject) => boolean;
  /**
   * True if no service restart is needed when the CNF already has the desired state, because the caller knows that an earlier
   * restart has activated it.
   */
  readonly inForce: boolean;
  /** True to only report changes by others on the CNF. Default: revert them. */
  readonly leavesDrift?: boolean;
  /** Position of the object in its collection. Undefined if the order has no effect. */
  readonly order?: Order | undefined;
  /** The version of the resource that requests the change. Default: the change is never rolled back. */
  readonly revision?: Revision;
  /** Called before the desired object is written. If it rejects, the change fails with its error, and nothing is written. */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
  /** Called when the CNF may receive the change: before each write, and before a restart that applies the change. */
  readonly onSent?: () => void;
}

/** A resource's version, and a way to restore one of the resource's former objects. */
export interface Revision {
  readonly uid: string;
  /** Text that differs whenever the resource requests something different. */
  readonly text: string;
  /**
   * Returns a change that puts an object on the CNF instead of the one that the resource describes now.
   *
   * @param object the object; undefined to delete the resource's object
   * @param inForce see {@link Change.inForce}
   */
  readonly restore: (object: UciObject | undefined, order: Order | undefined, inForce: boolean) => Change;
}

/** Result of a change. */
export type Written =
  | {
      readonly changed: boolean;
      /** True if the object was missing on the CNF, or differed from the state in which the operator left it. */
      readonly drifted?: boolean;
      /**
       * True if the object had the desired state, but was in the wrong position because someone moved it or other
       * objects.
       */
      readonly displaced?: boolean;
      /** True if the object had the desired state, but was rewritten to move it after other objects. */
      readonly moved?: boolean;
      /** Object as the CNF last returned it, in response to a read or write. */
      readonly shown?: UciObject | undefined;
    }
  | { readonly error: unknown };

/**
 * The objects in a collection in order, keyed by name. On the reference CNF, several objects may have the same name.
 */
export type Stored = ReadonlyMap<string, readonly UciObject[]>;

/** Returns an object's name, or `""` if the CNF did not return it as text. */
export const nameOf = ({ name }: UciObject): string => (typeof name === "string" ? name : "");
