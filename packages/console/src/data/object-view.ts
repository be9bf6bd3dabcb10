import {
  checkObjectKey,
  type DescribedResource,
  groupKindKey,
  isNoMatch,
  isNotFound,
  joinKey,
  type Kind,
  type KubeObject,
  splitKey,
} from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Event } from "@kubewright/client/kinds";
import { errorText } from "@kubewright/log";
import type { DescribedController } from "@kubewright/manager";
import type { Gate, Viewer } from "../security/gate.ts";
import { redacted, redactedText } from "./redacted.ts";

/** A Kubernetes Event about an object. */
interface ShownEvent {
  readonly atMs: number;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

interface ObjectView {
  /** The parts of the object that the viewer may see. Undefined if the object no longer exists. */
  readonly object?: object | undefined;
  /** Events about the object. Undefined if the viewer may not list Events. */
  readonly events?: readonly ShownEvent[] | undefined;
}

export type ObjectResponse =
  | ({ readonly status: 200 } & ObjectView)
  | { readonly status: 400 | 403 | 404 | 502; readonly message: string };

const maxEvents = 100;
const longestMessage = 1_000;

/** Reads an object of a controller's kind, and returns the parts that the viewer is allowed to see. */
export async function objectView(
  parts: {
    readonly client: Pick<Client, "get" | "list">;
    readonly gate: Pick<Gate, "maySee">;
    readonly viewer: Viewer;
    readonly signal: AbortSignal;
  },
  controller: DescribedController,
  key: string,
): Promise<ObjectResponse> {
  const { client, gate, viewer, signal } = parts;
  const { for: main } = controller;
  if (!main) return { status: 404, message: `the controller ${controller.name} has no kind` };
  const named = keyOfKind(main, key);
  if (!named) return { status: 400, message: keyError(main, key) };
  const { namespace, name } = named;
  const { group, version, kind, plural, scope } = main;
  const access = { group, version, resource: plural, namespace, name };
  if (!(await gate.maySee(viewer, { verb: "get", ...access })))
    return { status: 403, message: `you may not get ${plural}${group ? `.${group}` : ""} ${key}` };
  const ofObject: Kind<KubeObject> = { group, version, kind, plural, scope };
  let object: KubeObject | undefined;
  try {
    object = await client.get(ofObject, joinKey(namespace, name), { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isNoMatch(error)) return { status: 404, message: `the API server does not serve ${groupKindKey(main)}` };
    // A server that does not serve the kind at all also responds `NotFound`.
    if (!isNotFound(error))
      return { status: 502, message: `cannot read the object: ${redactedText(errorText(error))}` };
  }
  const events = await eventsOf(parts, { kind, namespace, name });
  const shown = object
    ? { object: redacted({ apiVersion: group ? `${group}/${version}` : version, kind, ...plain(object) }, main.crd) }
    : {};
  return { status: 200, ...shown, ...(events ? { events } : {}) };
}

/** Returns the Events about the object. Undefined if the viewer or the program may not list them. */
async function eventsOf(
  { client, gate, viewer, signal }: Parameters<typeof objectView>[0],
  about: { readonly kind: string; readonly namespace: string; readonly name: string },
): Promise<readonly ShownEvent[] | undefined> {
  const namespace = about.namespace || "default"; // Events about cluster-scoped objects are in this namespace
  const access = { verb: "list", group: "", version: "v1", resource: "events", namespace, name: "" };
  if (!(await gate.maySee(viewer, access))) return undefined;
  const fields = { "involvedObject.kind": about.kind, "involvedObject.name": about.name };
  const list = await client.list(Event, { namespace, fields, limit: maxEvents, signal }).catch(() => undefined);
  return list?.map(({ type = "", reason = "", message = "", count, series, ...event }) => ({
    atMs: Date.parse(
      String(
        series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? "",
      ),
    ),
    type,
    reason,
    message: redactedText(message.slice(0, longestMessage * 2)).slice(0, longestMessage),
    count: series?.count ?? count ?? 1,
  }));
}

/**
 * Returns the parts of a key, or undefined if the key does not match the kind's scope. Without this check, the viewer's
 * access to a cluster-scoped kind could be checked in a namespace, and access to a namespaced kind in all namespaces.
 */
export function keyOfKind(
  { scope }: DescribedResource,
  key: string,
): { readonly namespace: string; readonly name: string } | undefined {
  try {
    const { namespace = "", name } = splitKey(key);
    checkObjectKey("", { namespace, name });
    return key.length <= 520 && (namespace === "") === (scope === "Cluster") ? { namespace, name } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a sentence that explains why {@link keyOfKind} returned undefined for a key. */
export function keyError({ scope }: DescribedResource, key: string): string {
  const want = scope === "Cluster" ? "name, because the kind is cluster-scoped" : "namespace/name";
  return `key: "${key.slice(0, 200)}" is not valid; use ${want}`;
}

/** Copies an object through JSON. */
const plain = (object: object): object => JSON.parse(JSON.stringify(object));
