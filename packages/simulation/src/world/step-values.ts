import { isRecord, type KubeObject } from "@kubewright/apimachinery";
import { failures, type RequestFaults } from "../cluster/request-faults.ts";
import type { Random } from "../time/random.ts";

/** Namespace in which users create some objects and which a neighbour may delete. */
export const otherNamespace = "simulated";
/** Finalizer that neighbours set. */
export const foreignFinalizer = "simulation.kubewright.dev/foreign";

/** Returns a random failure and the requests that it affects. */
export function randomFault(random: Random): Parameters<RequestFaults["arm"]>[0] {
  const failure = random.one(failures);
  const canTakeEffect = failure === "timeout" || failure === "connectionLost" || failure === "internalError";
  const afterEffect = canTakeEffect && random.chance(0.5);
  const writesOnly = failure === "conflict" || failure === "refusedByAdmission" || random.chance(0.6);
  return { failure, afterEffect, writesOnly };
}

/** Returns labels for a neighbour to set on an object. The value null removes a label. */
export function randomLabels({ metadata }: KubeObject, random: Random): Readonly<Record<string, string | null>> {
  const name = random.one(Object.keys(metadata.labels ?? {}));
  if (name === undefined || random.chance(0.3)) return { neighbour: "was-here" };
  return { [name]: random.chance(0.5) ? null : "other" };
}

/** Returns only what users wrote in an object: omits the status, and metadata that the server or the program added. */
export function bare<T extends KubeObject>(object: T): T {
  const { name, namespace, labels, annotations } = object.metadata;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels ? { labels } : {}),
    ...(annotations ? { annotations } : {}),
  };
  return { ...object, metadata, status: undefined };
}

/** Formats a value, or an object's content, for a line of a story. */
export function valueText(value: unknown): string {
  const content = isRecord(value) && isRecord(value.metadata) ? contentOf(value) : value;
  const text = JSON.stringify(isRecord(content) && "spec" in content ? content.spec : content);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function contentOf(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...content } = object;
  return content;
}

/**
 * Returns the end of a story line about a request: the reason why the API server rejected it, or an empty string if it
 * was accepted.
 */
export const refusalText = (status: number, body: Readonly<Record<string, unknown>>): string =>
  status < 300 ? "" : ` → ${status} ${String(body.message ?? "")}`;
