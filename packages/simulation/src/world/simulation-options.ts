import type { ClusterObject } from "../cluster/cluster-object.ts";
import type { FaultClass } from "../schedule/schedule.ts";
import type { UserKind } from "../users/user-kind.ts";
import type { UserValues } from "../users/user-objects.ts";

/**
 * Name of a check. All checks apply to a settled world, except `active`, which applies to a whole run; see {@link
 * SimulationOptions.without}.
 */
export type CheckName = "active" | "quiet" | "idempotent" | "history" | "deletion" | "healing" | "fenced" | "clean";

/** Describes a run in which the program wrote nothing, which makes the other checks meaningless. */
export const inactiveText = (played: number): string =>
  `active: the program wrote nothing in ${played} schedules; check that its controllers watch the simulated kinds, and that the users' objects cause it to act`;

/** A write to an object in the simulated cluster. */
export interface SimulatedWrite {
  /** `program`, `user`, `neighbour`, or `garbage collector`. */
  readonly by: string;
  readonly verb: string;
  /** Resource such as `deployments.apps`, followed by `/status` or another subresource, if any. */
  readonly resource: string;
  /** The object after the write; absent if it was deleted. */
  readonly object?: ClusterObject | undefined;
  readonly old?: ClusterObject | undefined;
}

/** Access to the simulated cluster. */
export interface SimulatedCluster {
  /** Returns all objects of the kinds that users or the program wrote. */
  objects(): Promise<readonly ClusterObject[]>;
  /**
   * Returns one object by its kind and key, such as `get("Deployment", "default/north")`, or undefined if it does not
   * exist.
   */
  get(kind: string, key: string): Promise<ClusterObject | undefined>;
}

/** A fake of a system outside the cluster that the program accesses with `fetch`. */
export interface OutsideWorld {
  readonly name: string;
  /** Returns the response to a request, or undefined if the address belongs to a different system. */
  readonly fetch?: ((request: Request) => Promise<Response> | undefined) | undefined;
  /**
   * Injects a failure, and may return a description of it. Called at some steps, with a function that returns random
   * numbers in [0, 1).
   */
  readonly faults?: ((random: () => number) => string | undefined) | undefined;
  /**
   * Returns the state outside the cluster: a map from keys to values. If this function is given, `history` compares
   * that state with the state that the program creates for the same objects in a fresh cluster, and `deletion` requires
   * that nothing remains. In `remembers`, the name of the fake serves as a kind.
   */
  readonly state?: (() => Readonly<Record<string, unknown>>) | undefined;
  /** Ends all faults. Called before the world must settle. */
  readonly heal?: (() => void) | undefined;
  /** Resets all state. Called before each schedule, and before the program runs in a fresh cluster. */
  readonly reset?: (() => void) | undefined;
}

/** A program's permissions, such as a ClusterRole. */
export interface SimulatedRole {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[] | undefined;
    readonly verbs: readonly string[];
  }[];
}

/** Options for `simulate`. */
export interface SimulationOptions {
  /** Kinds whose objects users create. The simulated cluster serves their CRDs. */
  readonly kinds: readonly UserKind[];
  /**
   * Additional CRDs to serve, for kinds that the program uses but users do not create: objects, or URLs of files and folders with
   * manifests. Other manifests in these files are ignored, as are files and folders that do not exist.
   */
  readonly crds?: readonly (object | URL)[] | undefined;
  /** Number of schedules. The environment variable `KUBEWRIGHT_SCHEDULES` takes precedence. Default 20. */
  readonly schedules?: number | undefined;
  /** Number of the first schedule. Default 0. */
  readonly from?: number | undefined;
  /** Seed. The environment variable `KUBEWRIGHT_SEED` takes precedence. Default: a random number, which is printed. */
  readonly seed?: number | undefined;
  /** Values of the objects that users create, keyed by kind. Default: samples of the kinds' schemas. */
  readonly users?: Readonly<Record<string, UserValues>> | undefined;
  /**
   * Properties that users never change: a map from kinds to paths such as `spec.schedule`. Default: users change each
   * property of the schema.
   */
  readonly constant?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * State that may depend on the past. If this is a list of kinds, only the existence of their objects and keys is
   * compared, not the values. If it is a map from kinds to fields, such as `{ Backup: ["status.id"] }`, these fields
   * are not compared; with `["*"]`, objects of the kind may also be missing or left over.
   */
  readonly remembers?: readonly string[] | Readonly<Record<string, readonly string[]>> | undefined;
  /** Fakes of all systems outside the cluster. Any other use of the network is refused. Default: none. */
  readonly world?: readonly OutsideWorld[] | undefined;
  /**
   * True to run all built-in controllers and a simulated node, so that Deployments become available and Jobs run. Objects that only these
   * controllers write, such as Pods, are not compared. Default: only objects of deleted owners and namespaces are deleted.
   */
  readonly controllers?: boolean | undefined;
  /**
   * The program's permissions. With `"generated"`, the program has exactly the permissions in its generated roles
   * (`kubewright generate`), which include permissions recorded by its tests in `config/rbac/observed.json`. With a
   * ClusterRole, it has exactly the permissions in that role's rules, in all namespaces. A request that the role does
   * not allow violates `clean`. Default: all permissions.
   */
  readonly role?: "generated" | SimulatedRole | undefined;
  /** Checks that do not apply, each with the reason. */
  readonly without?: Partial<Readonly<Record<CheckName, string>>> | undefined;
  /** Classes of faults to disable, with the reason for each. */
  readonly withoutFaults?: Partial<Readonly<Record<FaultClass, string>>> | undefined;
  /** Additional checks, called when the world has settled. If it throws, the schedule fails. */
  readonly holds?: ((cluster: SimulatedCluster) => void | Promise<void>) | undefined;
  /** Additional check, called at each write. If it throws, the schedule fails. */
  readonly always?: ((write: SimulatedWrite) => void) | undefined;
  /**
   * False to report a failing schedule without shortening it, which is faster. Default true: the simulation removes
   * steps that are not needed.
   */
  readonly shorten?: boolean | undefined;
  /** Receives progress and the report, as lines of text. Default: `console.log`. */
  readonly print?: ((line: string) => void) | undefined;
}
