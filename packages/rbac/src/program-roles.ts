import type { Permission } from "@kubewright/apimachinery";
import { derivedPermissions, leasePermissions, reviews, shardPermissions } from "./derived.ts";
import { type Grant, grantsOf, isGranted, rulesOf } from "./grants.ts";
import { placedGrants } from "./placed.ts";
import type { ProgramDescription } from "./program-description.ts";
import { type RoleObject, RoleObjects, userRules } from "./role-objects.ts";

/**
 * Options for the generated roles.
 *
 * @see controller-tools pkg/rbac, kubebuilder scaffolds of config/rbac
 */
export interface RbacOptions {
  /**
   * Permissions recorded in tests, as returned by `observedPermissions`. Default: unknown, so no permission is reported
   * as excess.
   */
  readonly observed?: readonly Permission[] | undefined;
  /** Annotations for the program's own role, and for the roles for its users (admin, editor and viewer). Default: none. */
  readonly annotations?: Readonly<Partial<Record<"manager" | UserRole, RoleAnnotations>>> | undefined;
  /**
   * True to aggregate the roles for the program's users into the roles of the cluster, such as the viewer role into `view`. Default false.
   */
  readonly aggregate?: boolean | undefined;
  /** Kinds whose viewer roles are not aggregated into `view` because they contain secrets. Default: none. */
  readonly notInView?: readonly string[] | undefined;
  /**
   * Resources for which the program gets separate roles, keyed by the name of the role, such as `{ "secret-reader":
   * ["secrets"] }`. An overlay can bind such a role in certain namespaces. This is possible only for cluster-wide
   * grants without object names. Default: none.
   */
  readonly apart?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Annotations for a role, keyed by name. */
export type RoleAnnotations = Readonly<Record<string, string>>;
const userRoles = ["admin", "editor", "viewer"] as const;
/** A role for a program's users: `admin`, `editor` or `viewer`. */
export type UserRole = (typeof userRoles)[number];

/** A program's roles. */
export interface Rbac {
  /** Role objects, keyed by file name. */
  readonly objects: ReadonlyMap<string, readonly RoleObject[]>;
  /** Declared permissions that were not used in any test, such as `get secrets`. */
  readonly excess: readonly string[];
}

/**
 * Returns the roles that a program needs. They grant permissions that are derived from the program's description,
 * declared by the program, or recorded in tests. They list verbs and resources without wildcards. If a cache is limited
 * to certain namespaces, the permissions for its resources become Roles in those namespaces. The result also contains
 * admin, editor and viewer roles for each kind.
 *
 * @throws {Error} if a permission contains a wildcard or is empty, or an option names an unknown kind or resource
 * @see controller-tools pkg/rbac, kubebuilder scaffolds of config/rbac
 */
export function rbacOf(description: ProgramDescription, options: RbacOptions = {}): Rbac {
  const { observed, annotations = {}, apart = {} } = options;
  const { name, kinds, permissions, leaderElection, sharding, metrics, events } = description;
  const make = new RoleObjects(name);
  const objects = new Map<string, RoleObject[]>([["service_account.yaml", [make.serviceAccount()]]]);
  const places = placedGrants([...derivedPermissions(description), ...(observed ?? []), ...permissions], description);
  const taken = takeApart(places, apart);
  const roles = [...places].sort(([a = ""], [b = ""]) => (a < b ? -1 : 1));
  if (roles.length > 0) {
    objects.set(
      "role.yaml",
      roles.map(([namespace, grants]) =>
        annotated(make.role("manager-role", rulesOf(grants), namespace), annotations.manager),
      ),
    );
    objects.set(
      "role_binding.yaml",
      roles.map(([at]) => make.binding("manager-rolebinding", "manager-role", at)),
    );
  }
  for (const [role, grants] of taken) {
    const file = role.replaceAll("-", "_");
    objects.set(`${file}_role.yaml`, [make.role(`${role}-role`, rulesOf(grants))]);
    objects.set(`${file}_role_binding.yaml`, [make.binding(`${role}-rolebinding`, `${role}-role`)]);
  }
  if (leaderElection) {
    const { id, namespace = "system" } = leaderElection;
    const eventGrants = events === undefined ? [] : [{ group: events, resource: "events", verbs: ["create", "patch"] }];
    const rules = rulesOf([...leasePermissions(id), ...eventGrants].flatMap(grantsOf));
    objects.set("leader_election_role.yaml", [make.role("leader-election-role", rules, namespace)]);
    const binding = make.binding("leader-election-rolebinding", "leader-election-role", namespace);
    objects.set("leader_election_role_binding.yaml", [binding]);
  }
  if (sharding) {
    const { namespace = "system" } = sharding;
    const rules = rulesOf(shardPermissions.flatMap(grantsOf));
    objects.set("sharding_role.yaml", [make.role("sharding-role", rules, namespace)]);
    objects.set("sharding_role_binding.yaml", [make.binding("sharding-rolebinding", "sharding-role", namespace)]);
  }
  if (metrics.isAuthenticated) {
    objects.set("metrics_auth_role.yaml", [make.role("metrics-auth-role", rulesOf(reviews.flatMap(grantsOf)))]);
    objects.set("metrics_auth_role_binding.yaml", [make.binding("metrics-auth-rolebinding", "metrics-auth-role")]);
    const read = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
    objects.set("metrics_reader_role.yaml", [make.role("metrics-reader", read)]);
  }
  checkNotInView(options, kinds);
  for (const [file, own] of consoleObjects(description, make, options)) objects.set(file, own);
  for (const { group, plural, kind } of distinct(kinds))
    for (const user of userRoles) {
      const role = make.role(`${kind.toLowerCase()}-${user}-role`, userRules(group, plural, user));
      const counted = isCounted(options, kind, user) ? labelled(role, aggregation[user]) : role;
      objects.set(`${fileName(kind)}_${user}_role.yaml`, [annotated(counted, annotations[user])]);
    }
  return { objects, excess: observed ? excessOf(permissions, observed) : [] };
}

const viewer = "console-viewer";

/**
 * Returns the roles for a console, keyed by file name: a role with which the program authenticates viewers, and a
 * viewer account, which everyone who may create tokens for it can use. The account sees the objects of the program's
 * kinds, but never Secrets. A further role, which is not bound to anyone, also permits the console's actions.
 *
 * @param options `notInView` lists kinds that contain secrets; both roles exclude them
 */
function consoleObjects(
  { console, kinds }: Pick<ProgramDescription, "console" | "kinds">,
  make: RoleObjects,
  { notInView = [] }: { readonly notInView?: readonly string[] | undefined },
): ReadonlyMap<string, RoleObject[]> {
  if (!console) return new Map();
  const seen = kinds.filter(({ kind }) => !notInView.includes(kind));
  const rulesFor = (pathVerbs: readonly string[], verbs: readonly string[]) => {
    const objects = seen.map(({ group, plural }) => ({ group, resource: plural, verbs }));
    const events = { group: "", resource: "events", verbs: ["list"] };
    const paths = { nonResourceURLs: ["/debug/kubewright/*"], verbs: pathVerbs };
    return [paths, ...rulesOf([...objects, events].flatMap(grantsOf))];
  };
  // The names console_viewer_role.yaml and console_editor_role.yaml are the files of the roles for a kind named Console.
  return new Map([
    ["console_auth_role.yaml", [make.role("console-auth-role", rulesOf(reviews.flatMap(grantsOf)))]],
    ["console_auth_role_binding.yaml", [make.binding("console-auth-rolebinding", "console-auth-role")]],
    ["console_viewer.yaml", [make.serviceAccount(viewer)]],
    ["console_reader_role.yaml", [make.role(viewer, rulesFor(["get"], ["get", "list"]))]],
    ["console_reader_role_binding.yaml", [make.binding(`${viewer}-binding`, viewer, undefined, viewer)]],
    ["console_actions_role.yaml", [make.role("console-editor", rulesFor(["get", "post"], ["get", "list", "update"]))]],
  ]);
}

const annotated = (role: RoleObject, annotations: RoleAnnotations | undefined): RoleObject =>
  annotations ? { ...role, metadata: { ...role.metadata, annotations } } : role;

const labelled = (role: RoleObject, labels: Readonly<Record<string, string>>): RoleObject => ({
  ...role,
  metadata: { ...role.metadata, labels: { ...role.metadata.labels, ...labels } },
});

/** Labels that aggregate a role into one of the cluster's roles. */
const aggregation = {
  admin: { "rbac.authorization.k8s.io/aggregate-to-admin": "true" },
  editor: { "rbac.authorization.k8s.io/aggregate-to-edit": "true" },
  viewer: { "rbac.authorization.k8s.io/aggregate-to-view": "true" },
} as const;

const isCounted = ({ aggregate = false, notInView = [] }: RbacOptions, kind: string, user: UserRole): boolean =>
  aggregate && !(user === "viewer" && notInView.includes(kind));

function checkNotInView({ notInView = [] }: RbacOptions, kinds: ProgramDescription["kinds"]): void {
  const unknown = notInView.find((name) => !kinds.some(({ kind }) => kind === name));
  if (unknown !== undefined)
    throw new Error(
      `notInView: ${JSON.stringify(unknown)} is not one of the program's kinds; choose one of ${kinds.map((one) => one.kind)}`,
    );
}

/** Moves the grants for separate roles out of the cluster-wide grants. */
function takeApart(places: Map<string | undefined, Grant[]>, apart: NonNullable<RbacOptions["apart"]>) {
  return Object.entries(apart).map(([role, resources]): readonly [role: string, grants: Grant[]] => {
    const everywhere = places.get(undefined) ?? [];
    const isTaken = ({ resource, name }: Grant): boolean => name === undefined && resources.includes(resource);
    const grants = everywhere.filter(isTaken);
    const missing = resources.find((resource) => !grants.some((one) => one.resource === resource));
    if (missing !== undefined)
      throw new Error(
        `apart.${role}: ${JSON.stringify(missing)}: the program has no cluster-wide permission for this resource`,
      );
    const left = everywhere.filter((one) => !isTaken(one));
    if (left.length > 0) places.set(undefined, left);
    else places.delete(undefined);
    return [role, grants];
  });
}

/** Converts a kind to snake case: `CertificateRequest` becomes `certificate_request`. The result contains no dots or slashes. */
const fileName = (kind: string): string =>
  kind
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])(?=[A-Z][a-z])/g, "$1_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");

/** Returns each kind once. All versions of a kind share one set of roles. */
const distinct = (kinds: ProgramDescription["kinds"]): ProgramDescription["kinds"] =>
  kinds.filter(({ group, plural }, i) => kinds.findIndex((one) => one.group === group && one.plural === plural) === i);

/** Verbs that never occur in requests, because the API server checks them together with other verbs. */
const unseen = new Set(["bind", "escalate", "impersonate"]);

function excessOf(declared: readonly Permission[], observed: readonly Permission[]): string[] {
  const used = observed.flatMap(grantsOf);
  return declared
    .flatMap(grantsOf)
    .filter((grant) => !unseen.has(grant.verb) && !used.some((one) => isGranted(one, [grant])))
    .map(
      ({ verb, resource, group, name }) => `${verb} ${resource}${group ? `.${group}` : ""}${name ? ` ${name}` : ""}`,
    );
}
