import { inOrder } from "./in-order.ts";

export interface StoredObject {
  kind: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

interface Named {
  readonly key?: string;
  nodePort?: number;
}

const addedByAdmission = /^node\.kubernetes\.io\/(not-ready|unreachable)$|^kubernetes\.io\/pvc?-protection$/;

/** Returns the object that a dry-run create stored, without the fields that admission and the allocators of addresses and ports added. */
export function withoutAdditions(stored: StoredObject, asked: StoredObject): unknown {
  const uid = String(stored.metadata.uid);
  for (const name of ["uid", "creationTimestamp", "managedFields", "resourceVersion"]) delete stored.metadata[name];
  delete stored.status?.lastPhaseTransitionTime;
  removeAdded(stored.metadata, "finalizers");
  const { spec = {} } = stored;
  removeAdded(spec, "tolerations");
  removeAdded(spec, "taints");
  if (stored.kind === "Pod") removeUnrequested(spec, asked.spec, ["priority", "preemptionPolicy"]);
  if (stored.kind === "Service") {
    if (spec.clusterIP !== "None")
      removeUnrequested(spec, asked.spec, ["clusterIP", "clusterIPs", "healthCheckNodePort"]);
    const ports = (asked.spec?.ports ?? []) as readonly Named[];
    for (const [i, port] of ((spec.ports ?? []) as Named[]).entries())
      if (ports[i]?.nodePort === undefined) delete port.nodePort;
  }
  return inOrder(JSON.parse(JSON.stringify(stored).replaceAll(uid, "<uid>")));
}

function removeAdded(holder: Record<string, unknown>, name: string): void {
  const list = holder[name];
  if (!Array.isArray(list)) return;
  const own = list.filter(
    (item: string | Named) => !addedByAdmission.test(typeof item === "string" ? item : (item.key ?? "")),
  );
  if (own.length > 0) holder[name] = own;
  else if (own.length < list.length) delete holder[name];
}

function removeUnrequested(
  stored: Record<string, unknown>,
  asked: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
): void {
  for (const name of names) if (asked?.[name] === undefined) delete stored[name];
}
