import { isForbidden } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { SubjectAccessReview } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import type { NeededAccess } from "@kubewright/rbac";

/** Result of checking a service account's permissions against the program's needs. */
export interface Preflight {
  readonly needed: number;
  /** Missing permissions, such as `get secrets in shop`. */
  readonly refused: readonly string[];
  /** Reason why the permissions could not be checked. */
  readonly unknown?: string | undefined;
}

/** Maximum number of attempts. Several are needed because authorizers notice new roles with a delay. */
const attempts = 10;
const againAfterMs = 500;
const atOnce = 8;

/** Checks with SubjectAccessReviews that the service account has each permission that the program needs. */
export async function preflight(
  client: Client,
  account: { readonly namespace: string; readonly name: string },
  needed: readonly NeededAccess[],
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<Preflight> {
  const { namespace, name } = account;
  const user = `system:serviceaccount:${namespace}:${name}`;
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  const mayDo = async (one: NeededAccess): Promise<boolean> => {
    const spec = { user, groups, resourceAttributes: attributesOf(one) };
    const { status } = await client.create(SubjectAccessReview, { metadata: {}, spec }, { signal });
    return status?.allowed === true;
  };
  let open = needed;
  try {
    for (let attempt = 0; attempt < attempts && open.length > 0; attempt++) {
      if (attempt > 0) await clock.sleep(againAfterMs, signal);
      open = await refusedOf(open, mayDo);
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const unknown = error instanceof Error ? error.message : String(error);
    return { needed: needed.length, refused: [], unknown };
  }
  return { needed: needed.length, refused: open.map(accessText) };
}

const attributesOf = ({ group, resource, subresource, verb, name, namespace }: NeededAccess) => ({
  group,
  resource,
  verb,
  ...(subresource === undefined ? {} : { subresource }),
  ...(name === undefined ? {} : { name }),
  ...(namespace === undefined ? {} : { namespace }),
});

async function refusedOf(
  needed: readonly NeededAccess[],
  mayDo: (one: NeededAccess) => Promise<boolean>,
): Promise<NeededAccess[]> {
  const refused: NeededAccess[] = [];
  for (let at = 0; at < needed.length; at += atOnce) {
    const some = needed.slice(at, at + atOnce);
    const answers = await Promise.all(some.map(mayDo));
    refused.push(...some.filter((_one, i) => !answers[i]));
  }
  return refused;
}

/** Describes a permission, such as `get secrets/status.apps "a" in shop`. */
function accessText({ verb, resource, subresource, group, name, namespace }: NeededAccess): string {
  const what = `${resource}${subresource ? `/${subresource}` : ""}${group ? `.${group}` : ""}`;
  return `${verb} ${what}${name ? ` ${JSON.stringify(name)}` : ""}${namespace ? ` in ${namespace}` : ""}`;
}
