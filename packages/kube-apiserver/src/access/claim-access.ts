import { type FieldError, fieldError, fieldPath, isRecord, jsonEqual } from "@kubewright/apimachinery";
import { serviceAccountOf } from "@kubewright/apiserver/authentication";
import { type AuthorizationAttributes, type Authorizer, forbiddenRequest } from "@kubewright/apiserver/authorization";
import type { AccessCheck, CheckedWrite, ReadonlyObject, WriteContext } from "@kubewright/apiserver/registry";

type Members = Readonly<Record<string, unknown>>;
type NamespaceLookup = (name: string) => Promise<ReadonlyObject | undefined>;

const adminLabel = "resource.kubernetes.io/admin-access";
const status = fieldPath("status");

/**
 * Returns the access checks for device claims, keyed by plural and group. Admin access is allowed only in namespaces
 * with the admin-access label. To allocate a claim or report a driver's devices, a user needs a second permission, in
 * addition to permission to write the status.
 *
 * @see kubernetes pkg/registry/resource AuthorizedForAdmin, AuthorizedForBinding, AuthorizedForDeviceStatus
 */
export function claimAccess(authorize: Authorizer, namespaces: NamespaceLookup): ReadonlyMap<string, AccessCheck> {
  return new Map<string, AccessCheck>([
    [
      "resourceclaims.resource.k8s.io",
      async (write) => {
        if (write.part !== "status")
          return write.old ? [] : adminErrors(devicesIn(write.object.spec), write, namespaces);
        return [
          ...(await adminStatusErrors(write, namespaces)),
          ...(await bindingErrors(write, authorize)),
          ...(await driverErrors(write, authorize)),
        ];
      },
    ],
    [
      "resourceclaimtemplates.resource.k8s.io",
      async (write) => {
        const spec = membersOf(write.object.spec).spec;
        return write.old ? [] : adminErrors(devicesIn(spec), write, namespaces);
      },
    ],
  ]);
}

const membersOf = (value: unknown): Members => (isRecord(value) ? value : {});
const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const devicesIn = (spec: unknown): Members => membersOf(membersOf(spec).devices);
const resultsOf = (object: ReadonlyObject | CheckedWrite["object"] | undefined): readonly Members[] =>
  listOf(devicesIn(membersOf(object?.status).allocation).results);

async function adminErrors(
  { requests }: Members,
  write: CheckedWrite,
  namespaces: NamespaceLookup,
): Promise<FieldError[]> {
  const at = listOf(requests).findIndex(({ exactly }) => membersOf(exactly).adminAccess === true);
  if (at < 0) return [];
  return labelErrors(fieldPath("spec", "devices", "requests").index(at).child("adminAccess"), write, namespaces);
}

async function adminStatusErrors(write: CheckedWrite, namespaces: NamespaceLookup): Promise<FieldError[]> {
  const isAdmin = ({ adminAccess }: Members): boolean => adminAccess === true;
  const at = resultsOf(write.object).findIndex(isAdmin);
  if (at < 0 || resultsOf(write.old).some(isAdmin)) return [];
  const path = status.child("allocation", "devices", "results").index(at).child("adminAccess");
  return labelErrors(path, write, namespaces);
}

async function labelErrors(
  path: ReturnType<typeof fieldPath>,
  { context }: CheckedWrite,
  namespaces: NamespaceLookup,
): Promise<FieldError[]> {
  const namespace = await namespaces(context.namespace);
  if (namespace?.metadata.labels?.[adminLabel] === "true") return [];
  const why = `admin access to devices requires the \`${adminLabel}: true\` label on the containing namespace`;
  return [fieldError.forbidden(path, why)];
}

async function bindingErrors({ object, old, context }: CheckedWrite, authorize: Authorizer): Promise<FieldError[]> {
  const [next, before] = [membersOf(object.status), membersOf(old?.status)];
  const isSame = (field: string): boolean => jsonEqual(next[field] ?? null, before[field] ?? null);
  if (isSame("allocation") && isSame("reservedFor")) return [];
  const verb = verbOf(context);
  const refusal = await refusalOf(authorize, {
    ...about(context),
    verb,
    subresource: "binding",
    namespace: "",
    name: "",
  });
  if (refusal === undefined) return [];
  const why = `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${refusal}`;
  return [fieldError.forbidden(status.child("allocation"), why)];
}

async function driverErrors({ object, old, context }: CheckedWrite, authorize: Authorizer): Promise<FieldError[]> {
  const isAllocated = isRecord(membersOf(object.status).allocation);
  const verb = verbOf(context);
  const isNear = isOnNode(context, nodeOf(object));
  const verbs = [...(isNear ? [`associated-node:${verb}`] : []), `arbitrary-node:${verb}`];
  const errors: FieldError[] = [];
  for (const name of changedDrivers(object, isAllocated ? old : undefined)) {
    let first: string | undefined;
    let allowed = false;
    for (const asked of verbs) {
      const refusal = await refusalOf(authorize, { ...about(context), verb: asked, subresource: "driver", name });
      allowed ||= refusal === undefined;
      first ??= refusal;
    }
    if (allowed) continue;
    const why = `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(" ")}]" permission: ${first}`;
    errors.push(fieldError.forbidden(status.child("devices"), why));
  }
  return errors;
}

/** Returns the drivers whose devices in the status a write adds, changes or removes. */
function changedDrivers(object: CheckedWrite["object"], old: ReadonlyObject | undefined): string[] {
  const keyOf = ({ driver, pool, device, shareID }: Members): string => JSON.stringify([driver, pool, device, shareID]);
  const devicesOf = (claim: ReadonlyObject | CheckedWrite["object"] | undefined): readonly Members[] =>
    listOf(membersOf(claim?.status).devices);
  const left = new Map(devicesOf(old).map((device) => [keyOf(device), device]));
  const drivers = new Set<string>();
  for (const device of devicesOf(object)) {
    const before = left.get(keyOf(device));
    left.delete(keyOf(device));
    if (!before || !jsonEqual(before, device)) drivers.add(textOf(device.driver));
  }
  for (const { driver } of left.values()) drivers.add(textOf(driver));
  return [...drivers].sort();
}

/**
 * Returns the name of the node to which a claim's allocation is restricted, or an empty string if it is not restricted to a single node.
 */
function nodeOf({ status: claimStatus }: CheckedWrite["object"]): string {
  const { nodeSelector } = membersOf(membersOf(claimStatus).allocation);
  const [term, ...otherTerms] = listOf(membersOf(nodeSelector).nodeSelectorTerms);
  const [field, ...otherFields] = listOf(term?.matchFields);
  const isOne = otherTerms.length === 0 && otherFields.length === 0 && listOf(term?.matchExpressions).length === 0;
  if (!field || !isOne || field.key !== "metadata.name" || field.operator !== "In") return "";
  return Array.isArray(field.values) && field.values.length === 1 ? textOf(field.values[0]) : "";
}

function isOnNode({ user }: WriteContext, node: string): boolean {
  const own = user.extra?.["authentication.kubernetes.io/node-name"] ?? [];
  return node !== "" && serviceAccountOf(user.name) !== undefined && own.length === 1 && own[0] === node;
}

const verbOf = ({ verb = "update" }: WriteContext): string => verb;

const about = ({ user, namespace }: WriteContext) => ({
  user,
  isResourceRequest: true,
  path: "",
  group: "resource.k8s.io",
  version: "v1",
  resource: "resourceclaims",
  namespace,
});

/**
 * Returns the message with which the server would reject a request with these attributes, or `undefined` if the request
 * is allowed.
 */
async function refusalOf(authorize: Authorizer, attributes: AuthorizationAttributes): Promise<string | undefined> {
  const { decision, reason, error } = await authorize(attributes);
  if (decision === "allow") return undefined;
  return forbiddenRequest(attributes, error ? (reason ? `${error}: ${reason}` : error) : reason).message;
}
