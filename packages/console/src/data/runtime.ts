import { apiVersionOf, type DescribedResource } from "@kubewright/apimachinery";
import type { CachedKindInspection } from "@kubewright/cache";
import type { ControllerInspection } from "@kubewright/controller";
import type { DescribedController, Inspection, InspectionDetail, Manager } from "@kubewright/manager";
import type { ControllerNumbers } from "./history.ts";

/** Reports whether a value is the state of a controller. */
const isController = (state: object): state is ControllerInspection =>
  "queueLength" in state && "maxConcurrentReconciles" in state && "totals" in state;

const isCache = (state: object): state is { readonly kinds: readonly CachedKindInspection[] } =>
  "kinds" in state && Array.isArray(state.kinds);

const isServer = (state: object): state is WebhookServerState => "callsInFlight" in state;

/** State of the webhook server. */
interface WebhookServerState {
  readonly port?: number | undefined;
  readonly callsInFlight: number;
}

/** Reports whether a value is the state of a server with a certificate. */
const hasCertificate = (state: object): state is { readonly certificate: { readonly notAfter: string } } =>
  "certificate" in state && typeof state.certificate === "object" && state.certificate !== null;

/** Current state of a manager's runnables. */
export interface Runtime {
  readonly controllers: readonly ControllerNumbers[];
  readonly caches: readonly CachedKindInspection[];
  readonly webhooks: WebhookServerState | undefined;
  /** Certificates, one for each server. */
  readonly certificates: readonly { readonly name: string; readonly notAfter: string }[];
}

export function runtimeOf(manager: Pick<Manager, "inspect">): Runtime {
  const states = manager.inspect();
  return {
    controllers: states.flatMap(({ name, state }) => (isController(state) ? { name, ...numbersOf(state) } : [])),
    caches: states.flatMap(({ state }) => (isCache(state) ? state.kinds : [])),
    webhooks: states.map(({ state }) => state).find(isServer),
    certificates: states.flatMap(({ name, state }) =>
      hasCertificate(state) ? [{ name, notAfter: state.certificate.notAfter }] : [],
    ),
  };
}

/** Returns the state of a controller, or undefined if no controller has the given name. */
export const controllerState = (
  manager: Pick<Manager, "inspect">,
  name: string,
  detail: InspectionDetail,
): ControllerInspection | undefined => inspectedController(manager, name, detail)?.state;

/** Returns the state of a controller and the group in which it runs, or undefined if no controller has the given name. */
export function inspectedController(
  manager: Pick<Manager, "inspect">,
  name: string,
  detail: InspectionDetail,
): (Omit<Inspection, "state"> & { readonly state: ControllerInspection }) | undefined {
  for (const { state, ...found } of manager.inspect({ name, ...detail }))
    if (isController(state)) return { ...found, state };
  return undefined;
}

export const describedController = (
  manager: Pick<Manager, "describe">,
  name: string,
): DescribedController | undefined => manager.describe().controllers.find((controller) => controller.name === name);

/** Returns a controller's state without the parts that contain information about individual objects. */
export function numbersOf(state: ControllerInspection): Omit<ControllerNumbers, "name"> {
  const { queueLength, running, held, failing, maxConcurrentReconciles, hasStarted, totals } = state;
  const { hasSynced, gaveUp, paused, p99Ms, hung, unsynced } = state;
  const known = p99Ms === undefined ? {} : { p99Ms };
  const health = { hasSynced, gaveUp, paused, hung, unsynced, ...known };
  return { queueLength, running, held, failing, maxConcurrentReconciles, hasStarted, ...health, totals };
}

/** Returns the name of a kind's cache. */
export const nameInCache = (kind: DescribedResource): string => `${apiVersionOf(kind)}, Kind=${kind.kind}`;

/**
 * Reports whether a cache contains a kind or its metadata. Compares whole names, because one kind's name may be a
 * prefix of another's.
 */
export const isCacheOf = (kind: DescribedResource, { name }: Pick<CachedKindInspection, "name">): boolean =>
  name.replace(/ \(.*/, "") === nameInCache(kind);
