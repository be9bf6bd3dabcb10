import type { Writer } from "@kubewright/client";
import { SelfSubjectAccessReview } from "@kubewright/client/kinds";
import type { Grant } from "@kubewright/codegen/rbac";

/** One verb on one resource that a program needs. */
export interface NeededAccess extends Grant {
  /** Absent: all namespaces, or a cluster-scoped resource. */
  readonly namespace?: string | undefined;
}

/** Maximum number of concurrent reviews. */
const atOnce = 8;

/**
 * Asks the API server which of these permissions this program lacks. Each is reviewed once.
 *
 * @throws the API server's error if it does not support the review, or the reason of `signal`
 */
export async function missingAccess(
  client: Pick<Writer, "create">,
  needed: readonly NeededAccess[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const questions = new Map(needed.map((one) => [accessKey(one), one]));
  const missing = new Set<string>();
  const left = questions.entries(); // shared by the concurrent workers
  const ask = async (): Promise<void> => {
    for (const [key, one] of left) if (!(await isAllowed(client, one, signal))) missing.add(key);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, questions.size) }, ask));
  return missing;
}

/** Returns a key that is equal for equal permissions. */
export const accessKey = ({ group, resource, verb, name, namespace }: NeededAccess): string =>
  JSON.stringify([group, resource, verb, name, namespace]);

/** Returns a text such as `get secrets in namespace shop`. */
export function accessText({ group, resource, verb, name, namespace }: NeededAccess): string {
  const object = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${verb} ${resource}${group ? `.${group}` : ""}${object}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

async function isAllowed(
  client: Pick<Writer, "create">,
  { group, resource: named, verb, name, namespace }: NeededAccess,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource = "", subresource] = named.split("/");
  const resourceAttributes = {
    group,
    resource,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const review = { metadata: {}, spec: { resourceAttributes } };
  const { status } = await client.create(SelfSubjectAccessReview, review, { signal });
  return status?.allowed === true;
}
