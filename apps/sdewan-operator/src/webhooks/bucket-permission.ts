import { type DeepReadonly, type DefinedKind, jsonEqual, type KubeObject } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import {
  type AdmissionContext,
  type AdmissionResponse,
  admissionHandler,
  allowed,
  denied,
  errored,
  type Webhook,
} from "@kubewright/webhook";
import { group, orderAnnotation } from "../api/group.ts";
import { apiKinds } from "../kinds/api-kinds.ts";
import { orderProblem } from "../uci/order.ts";
import { bucketLabel } from "./bucket-grant.ts";
import { touchedNote } from "./notes.ts";
import { type Reviewed, reviewed } from "./reviewed.ts";
import { mayUse } from "./role-grants.ts";
import { isUpkeep } from "./upkeep.ts";

const path = "/validate-sdewan-bucket-permission";
const administrators = "system:masters";
const operations = ["CREATE", "UPDATE", "DELETE"] as const;

/**
 * Returns the webhook that checks bucket permissions: users need a role whose annotation grants both the old and the
 * new bucket of a resource. The webhook also rejects malformed orders, and rules that `checks.guard` rejects. Only the
 * operator may write its own annotations or make a resource a child of a composite, because the composite would then
 * change and delete the resource, and could not be deleted before the resource.
 *
 * @param operatorUser returns the operator's user name in the API server
 * @param checks additional checks for objects that are created or updated. Default: none
 */
export function bucketPermission(operatorUser: () => Promise<string>, checks: Checks = {}): Webhook {
  const rules = apiKinds.map((kind) => ({ kind, operations }));
  const name = "validate-sdewan-bucket.akraino.org";
  return admissionHandler(path, { type: "validating", name, rules }, async (context) => {
    const response = await decide(context, operatorUser, checks.guard);
    if (response.allowed && checks.warnings) await warn(context, checks.warnings);
    return response;
  });
}

/** Checks for an object whose spec, labels or order a write changes. */
export interface Checks {
  readonly warnings?: Warnings;
  readonly guard?: Guard;
}

/** Returns the reason why an object must not be written, if any. */
export type Guard = (
  reader: Reader,
  kind: DefinedKind,
  object: DeepReadonly<KubeObject>,
) => Promise<string | undefined>;

/** Returns warnings about an object. */
export type Warnings = (
  reader: Reader,
  kind: DefinedKind,
  object: DeepReadonly<KubeObject>,
) => Promise<readonly string[]>;

/** Adds warnings to the response if a write changes the spec, the labels or the order of the object. */
async function warn({ request, client, warn: add }: AdmissionContext, warnings: Warnings): Promise<void> {
  await reviewed(
    request,
    apiKinds,
    async ({ kind, objects }) => {
      const [object, before] = objects();
      if (object && isNew(object, before)) for (const text of await warnings(client, kind, object)) add(text);
      return allowed();
    },
    (error) => errored(400, error),
  );
}

/** Reports whether a write changes the effect of an object on packets. */
const isNew = (object: DeepReadonly<KubeObject>, before: DeepReadonly<KubeObject> | undefined): boolean =>
  !object.metadata.deletionTimestamp && !(before && jsonEqual(essenceOf(object), essenceOf(before)));

/** Returns the parts of an object on which its effect on packets depends. */
const essenceOf = (object: DeepReadonly<KubeObject>): unknown => ({
  spec: "spec" in object ? object.spec : undefined,
  labels: object.metadata.labels,
  order: object.metadata.annotations?.[orderAnnotation],
});

async function decide(
  context: AdmissionContext,
  operatorUser: () => Promise<string>,
  guard: Guard | undefined,
): Promise<AdmissionResponse> {
  const { request } = context;
  if (request.kind.group !== group) return errored(400, `The group is not ${group}`);
  const decideReviewed = (about: Reviewed<DefinedKind>) => decideOn(context, about, operatorUser, guard);
  return await reviewed(request, apiKinds, decideReviewed, (error) => errored(400, error));
}

async function decideOn(
  context: AdmissionContext,
  { kind, objects }: Reviewed<DefinedKind>,
  operatorUser: () => Promise<string>,
  guard: Guard | undefined,
): Promise<AdmissionResponse> {
  const { request, user } = context;
  if (!operations.some((each) => each === request.operation))
    return denied(`We don't support operation type: ${request.operation}`);
  const [object, before] = objects();
  const malformed = object && newOrderProblem(object, before);
  if (malformed !== undefined) return errored(422, malformed);
  const note = object && touchedNote(object, before);
  if (note && user.username !== (await operatorUser()))
    return denied(`Annotation '${note}' is reserved for the operator: do not set, change or remove it`);
  const owner = object && newOwner(object, before);
  if (owner !== undefined && user.username !== (await operatorUser()))
    return denied(`A controller reference to ${owner} is reserved for the operator: remove it`);
  const objection = object && isNew(object, before) ? await guard?.(context.client, kind, object) : undefined;
  if (objection !== undefined) return denied(objection);
  if (user.groups.includes(administrators))
    return { allowed: true, result: { code: 200, reason: "Allowed as cluster admin" } };
  if (isUpkeep(request, kind)) return allowed();
  return await decideOnBuckets(context, [object, before]);
}

async function decideOnBuckets(
  { request, user, client, log, signal }: AdmissionContext,
  objects: readonly (DeepReadonly<KubeObject> | undefined)[],
): Promise<AdmissionResponse> {
  const { namespace, resource } = request;
  const buckets = new Set(objects.flatMap((object) => object?.metadata.labels?.[bucketLabel] || []));
  for (const bucket of buckets)
    if (!(await mayUse(client, { user, namespace, resource: resource.resource, bucket }, signal))) {
      log.info({ user: user.username, bucket }, "bucket refused");
      return denied(`User(${user.username}) don't have the permission`);
    }
  return allowed();
}

/** Returns the error for a malformed order that a request would set. A malformed order that is already stored does not prevent other changes. */
function newOrderProblem(
  object: DeepReadonly<KubeObject>,
  before: DeepReadonly<KubeObject> | undefined,
): string | undefined {
  const problem = orderProblem(object);
  return before && orderProblem(before) === problem ? undefined : problem;
}

/** Returns the operator's object that a request would make the controller of another object, if any. */
function newOwner(object: DeepReadonly<KubeObject>, before: DeepReadonly<KubeObject> | undefined): string | undefined {
  const known = new Set(before ? managersOf(before).map(({ uid }) => uid) : []);
  const added = managersOf(object).find(({ uid }) => !known.has(uid));
  return added && `${added.kind} ${added.name}`;
}

const managersOf = ({ metadata }: DeepReadonly<KubeObject>) =>
  (metadata.ownerReferences ?? []).filter(
    ({ controller, apiVersion }) => controller && apiVersion.startsWith(`${group}/`),
  );
