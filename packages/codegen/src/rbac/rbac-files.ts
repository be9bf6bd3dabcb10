import type { Permission, ProgramDescription } from "../description/program-description.ts";
import type { GeneratedFile } from "../kinds/kind-files.ts";
import { kebab } from "../text/names.ts";
import { yamlText } from "../text/yaml.ts";
import { consoleObjects } from "./console-objects.ts";
import { derivedPermissions, leasePermissions, reviews } from "./derived.ts";
import { type Grant, grantsOf, isGranted, rulesOf } from "./grants.ts";
import { placedGrants } from "./placed.ts";
import { type RoleObject, RoleObjects, userRules } from "./role-objects.ts";

/**
 * What roles are made of beside the description, and how those for people are cut and marked.
 *
 * @see controller-tools pkg/rbac, kubebuilder scaffolds of config/rbac
 */
export interface RbacOptions {
  /** What tests saw the program do, of `observedPermissions`. Default: not known, so that nothing is in excess. */
  readonly observed?: readonly Permission[] | undefined;
  /** What roles carry for others to read: the program's own, and those of people for each kind. Default: nothing. */
  readonly annotations?: Readonly<Partial<Record<"manager" | UserRole, RoleAnnotations>>> | undefined;
  /** Whether the roles of people count in the cluster's own: editors' in `edit`, viewers' in `view`. Default false. */
  readonly aggregate?: boolean | undefined;
  /** Kinds with secrets in them, whose viewer roles do not count in `view`. Default: none. */
  readonly notInView?: readonly string[] | undefined;
  /**
   * Resources that the program is granted by a role apart, by its name: `{ "secret-reader": ["secrets"] }`, so that an overlay can bind that
   * one elsewhere. Of grants in the whole cluster, of no named objects. Default: none.
   */
  readonly apart?: Readonly<Record<string, readonly string[]>> | undefined;
}

type RoleAnnotations = Readonly<Record<string, string>>;
const userRoles = ["admin", "editor", "viewer"] as const;
type UserRole = (typeof userRoles)[number];

/** The roles of a program. */
export interface Rbac {
  /** By the name of their file. */
  readonly objects: ReadonlyMap<string, readonly RoleObject[]>;
  /** What is declared and no test has used, such as `get secrets`. */
  readonly excess: readonly string[];
}

/**
 * The roles that a program needs: what follows from its description, what tests saw it do, and what it declares. Verbs and resources
 * are named, never all; where a cache has namespaces, they are Roles in these. Then an admin, editor and viewer role for each kind.
 *
 * @throws {Error} if a permission has a wildcard, or names nothing; if an option names a kind or a resource that there is not
 * @see controller-tools pkg/rbac, kubebuilder scaffolds of config/rbac
 */
export function rbacOf(description: ProgramDescription, options: RbacOptions = {}): Rbac {
  const { observed, annotations = {}, apart = {} } = options;
  const { name, kinds, permissions, leaderElection, metrics, events } = description;
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
    const told = events === undefined ? [] : [{ group: events, resource: "events", verbs: ["create", "patch"] }];
    const rules = rulesOf([...leasePermissions(id), ...told].flatMap(grantsOf));
    objects.set("leader_election_role.yaml", [make.role("leader-election-role", rules, namespace)]);
    const binding = make.binding("leader-election-rolebinding", "leader-election-role", namespace);
    objects.set("leader_election_role_binding.yaml", [binding]);
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

/** {@link rbacOf} as files of the folder `rbac`, with what kustomize reads of them. */
export function rbacFiles(description: ProgramDescription, options: RbacOptions = {}): GeneratedFile[] {
  const { objects } = rbacOf(description, options);
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: [...objects.keys()],
  };
  return [
    ...[...objects].map(([path, own]) => ({ path, text: yamlText(own) })),
    { path: "kustomization.yaml", text: yamlText([kustomization]) },
  ];
}

const annotated = (role: RoleObject, annotations: RoleAnnotations | undefined): RoleObject =>
  annotations ? { ...role, metadata: { ...role.metadata, annotations } } : role;

const labelled = (role: RoleObject, labels: Readonly<Record<string, string>>): RoleObject => ({
  ...role,
  metadata: { ...role.metadata, labels: { ...role.metadata.labels, ...labels } },
});

/** What makes a role count in one of the cluster's own. */
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
      `notInView: ${JSON.stringify(unknown)}: is no kind of the program: ${kinds.map((one) => one.kind)}`,
    );
}

/** Takes them out of the grants in the whole cluster. */
function takeApart(places: Map<string | undefined, Grant[]>, apart: NonNullable<RbacOptions["apart"]>) {
  return Object.entries(apart).map(([role, resources]): readonly [role: string, grants: Grant[]] => {
    const everywhere = places.get(undefined) ?? [];
    const isTaken = ({ resource, name }: Grant): boolean => name === undefined && resources.includes(resource);
    const grants = everywhere.filter(isTaken);
    const missing = resources.find((resource) => !grants.some((one) => one.resource === resource));
    if (missing !== undefined)
      throw new Error(
        `apart.${role}: ${JSON.stringify(missing)}: the program is granted nothing of it in the whole cluster`,
      );
    const left = everywhere.filter((one) => !isTaken(one));
    if (left.length > 0) places.set(undefined, left);
    else places.delete(undefined);
    return [role, grants];
  });
}

const fileName = (kind: string): string => kebab(kind).replaceAll("-", "_");

/** A kind of several versions has its roles once. */
const distinct = (kinds: ProgramDescription["kinds"]): ProgramDescription["kinds"] =>
  kinds.filter(({ group, plural }, i) => kinds.findIndex((one) => one.group === group && one.plural === plural) === i);

/** Verbs that no request has: what they allow is asked within others. */
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
