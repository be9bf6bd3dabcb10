import { labelSelectorFrom } from "@kubewright/apimachinery";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { ParamKind, ParamRef } from "./policy-types.ts";

/** Reads objects that policies use as parameters. */
export interface ParamReader {
  resourceOf(kind: ParamKind): ServedResource | undefined;
  get(resource: ServedResource, namespace: string, name: string): Promise<ReadonlyObject | undefined>;
  list(resource: ServedResource, namespace: string): Promise<readonly ReadonlyObject[]>;
}

/** Thrown if a policy or its binding contains a mistake. */
export class PolicyConfigurationError extends Error {
  override readonly name = "PolicyConfigurationError";
}

/**
 * Returns the resource that contains a policy's parameter objects, or `undefined` for a policy without parameters.
 *
 * @throws {PolicyConfigurationError} if the server does not serve the parameters' kind
 */
export function paramResource(kind: ParamKind | undefined, reader: ParamReader): ServedResource | undefined {
  if (!kind) return undefined;
  const resource = reader.resourceOf(kind);
  if (resource) return resource;
  const { apiVersion = "", kind: name = "" } = kind;
  const shown = apiVersion.includes("/") ? apiVersion : `/${apiVersion}`;
  throw new PolicyConfigurationError(`failed to find resource referenced by paramKind: '${shown}, Kind=${name}'`);
}

/**
 * Returns the parameter objects that a binding selects, or `[undefined]` if the policy or the binding has no
 * parameters. The policy is evaluated once per parameter object.
 *
 * @throws {PolicyConfigurationError} if required parameters are missing, or the reference to them is not valid
 *
 * @see apiserver pkg/admission/plugin/policy/generic CollectParams
 */
export async function collectParams(
  resource: ServedResource | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  reader: ParamReader,
): Promise<readonly (ReadonlyObject | undefined)[]> {
  if (!resource || !ref) return [undefined];
  const { name = "", selector, parameterNotFoundAction } = ref;
  const place = namespaceOf(resource, ref, namespace);
  const found =
    name !== ""
      ? [await reader.get(resource, place, name)].filter((one) => one !== undefined)
      : selected(await reader.list(resource, place), selector);
  if (found.length === 0 && parameterNotFoundAction === "Deny")
    throw new PolicyConfigurationError("no params found for policy binding with `Deny` parameterNotFoundAction");
  return found;
}

function namespaceOf(resource: ServedResource, ref: ParamRef, namespace: string): string {
  if (resource.scope === "Cluster") {
    if (ref.namespace)
      throw new PolicyConfigurationError("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
    return "";
  }
  const place = ref.namespace || namespace;
  if (place === "")
    throw new PolicyConfigurationError(
      "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  return place;
}

function selected(objects: readonly ReadonlyObject[], spec: ParamRef["selector"]): ReadonlyObject[] {
  const selector = labelSelectorFrom(spec ?? {});
  return objects.filter(({ metadata }) => selector.matches(metadata.labels));
}
