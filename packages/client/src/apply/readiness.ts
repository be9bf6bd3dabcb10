import { isNotFound, isRecord, type Kind, keyOf, type Unstructured } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { Client } from "../calls/client.ts";

/**
 * Returns the reason why an object is not ready, or `undefined` if it is ready. Objects without a status are always
 * considered ready.
 *
 * @see kubectl pkg/polymorphichelpers rollout_status, kstatus
 */
export function unreadyReason(object: Unstructured): string | undefined {
  const { metadata, kind } = object;
  if (metadata.deletionTimestamp) return "is being deleted";
  const status = recordOf(object.status);
  const spec = recordOf(object.spec);
  const { observedGeneration } = status;
  if (typeof observedGeneration === "number" && observedGeneration < (metadata.generation ?? 0))
    return "its controller has not observed the change yet";
  const own = Object.hasOwn(byKind, kind) ? byKind[kind] : undefined;
  return own ? own({ spec, status }) : byConditions(status);
}

type Fields = Readonly<Record<string, unknown>>;
interface Parts {
  readonly spec: Fields;
  readonly status: Fields;
}

const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const count = (value: unknown, missing = 0): number => (typeof value === "number" ? value : missing);

const byKind: Readonly<Record<string, (parts: Parts) => string | undefined>> = {
  CustomResourceDefinition: ({ status }) => (isTrue(status, "Established") ? undefined : "is not served yet"),
  APIService: ({ status }) => (isTrue(status, "Available") ? undefined : "is not available"),
  Namespace: ({ status }) => (status.phase === "Terminating" ? "is being deleted" : undefined),
  Deployment: (parts) =>
    parts.status.observedGeneration === undefined
      ? "its controller has not observed it yet"
      : replicas(parts, "updatedReplicas"),
  StatefulSet: (parts) =>
    parts.status.observedGeneration === undefined
      ? "its controller has not observed it yet"
      : replicas(parts, "readyReplicas"),
  DaemonSet: ({ status }) => {
    const wanted = count(status.desiredNumberScheduled);
    if (status.observedGeneration === undefined) return "its controller has not observed it yet";
    if (count(status.updatedNumberScheduled) < wanted)
      return `${count(status.updatedNumberScheduled)} of ${wanted} pods updated`;
    return count(status.numberAvailable) < wanted
      ? `${count(status.numberAvailable)} of ${wanted} pods available`
      : undefined;
  },
  Job: ({ status }) =>
    isTrue(status, "Complete") ? undefined : isTrue(status, "Failed") ? "has failed" : "is not complete",
  Pod: ({ status }) =>
    status.phase === "Succeeded" || isTrue(status, "Ready")
      ? undefined
      : `is ${String(status.phase ?? "Pending")}, not ready`,
  PersistentVolumeClaim: ({ status }) => (status.phase === "Bound" ? undefined : "is not bound"),
};

function replicas({ spec, status }: Parts, field: "updatedReplicas" | "readyReplicas"): string | undefined {
  const wanted = count(spec.replicas, 1);
  if (count(status[field]) < wanted)
    return `${count(status[field])} of ${wanted} replicas ${field === "readyReplicas" ? "ready" : "updated"}`;
  if (field === "updatedReplicas" && count(status.replicas) > wanted)
    return `${count(status.replicas) - wanted} old replicas left`;
  const available = count(status.availableReplicas);
  return available < wanted ? `${available} of ${wanted} replicas available` : undefined;
}

function byConditions(status: Fields): string | undefined {
  for (const type of ["Ready", "Available"]) {
    const found = condition(status, type);
    if (found && found.status !== "True") return `${type}: ${String(found.reason ?? found.status)}`;
  }
  return undefined;
}

function condition(status: Fields, type: string): Fields | undefined {
  const { conditions } = status;
  return Array.isArray(conditions) ? conditions.find((one) => isRecord(one) && one.type === type) : undefined;
}

const isTrue = (status: Fields, type: string): boolean => condition(status, type)?.status === "True";

/** Interval between polls. */
const intervalMs = 250;

interface WaitOptions {
  readonly clock: Clock;
  /** Deadline in monotonic milliseconds of the clock. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Polls an object until it is ready.
 *
 * @throws {Error} if the object is still not ready at the deadline (the message contains the reason), or has been
 * deleted
 */
export async function waitUntilReady(
  client: Client,
  kind: Kind<Unstructured>,
  object: Unstructured,
  { clock, deadlineMs, signal }: WaitOptions,
): Promise<void> {
  for (let seen = object; ; ) {
    const reason = unreadyReason(seen);
    if (reason === undefined) return;
    signal?.throwIfAborted();
    if (clock.monotonic() >= deadlineMs) throw new Error(`not ready in time: ${reason}`);
    await clock.sleep(intervalMs, signal);
    try {
      seen = await client.get(kind, keyOf(object), { signal });
    } catch (error) {
      if (isNotFound(error)) throw new Error("was deleted before it became ready", { cause: error });
      throw error;
    }
  }
}
