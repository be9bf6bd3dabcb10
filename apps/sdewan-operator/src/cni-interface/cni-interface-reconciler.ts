import { type DeepReadonly, ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import type { Reader, Writer } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { type Clock, systemClock } from "@kubewright/clock";
import type { ReconcileContext, Request, Result } from "@kubewright/controller";
import { CniInterface } from "../api/cni-interface.ts";
import { isPaused, pausedMessage } from "../api/pause.ts";
import type { InterfaceStatus } from "../api/status.ts";
import { interfaceNamePattern } from "../api/values.ts";
import type { CnfApi, CnfInterface } from "../cnf/cnf-api.ts";
import { codeOf, isUnreachable, messageOf } from "../cnf/cnf-error.ts";
import { type CnfScope, everyNamespace } from "../cnf/cnf-scope.ts";
import { lifeOf } from "../cnf/pod-state.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { CnfMasks } from "../masking/cnf-masks.ts";
import { masked } from "../masking/mask.ts";
import {
  conditionsOf,
  type Health,
  inForce,
  noCnf,
  notReady,
  Reason,
  responding,
  unreachable,
} from "../reporting/conditions.ts";
import { type EventReporter, silentReporter } from "../reporting/event-reporter.ts";
import { reportNotReady } from "../reporting/not-ready-events.ts";
import { Attempts } from "./attempts.ts";
import { KnownInterfaces } from "./known-interfaces.ts";
import { type Action, actionOf, refusalOf } from "./refusal.ts";
import { selectedPods } from "./selection.ts";

export interface CniInterfaceReconcilerOptions {
  readonly pool: SessionPool;
  /** Interval at which the status is updated. */
  readonly checkIntervalMs: number;
  /** CNFs that may be switched. Default: any. */
  readonly scope?: CnfScope;
  /** Hides secrets in CNFs' error messages. */
  readonly masks: CnfMasks;
  /** Creates Events about interfaces. Default: no Events. */
  readonly reporter?: EventReporter;
  readonly clock?: Clock;
}

interface Switching {
  readonly api: CnfApi;
  readonly pod: DeepReadonly<Pod>;
  /** ID of the object that requests the switch. */
  readonly id: string;
  /** Identifies what is attempted: the interface, its pod and the target state. */
  readonly what: string;
  readonly name: string;
  readonly action: Action;
}

/** Thrown if a pod's CNF does not list its interfaces. The message contains no secrets. */
class InspectError extends Error {
  override readonly name = "InspectError";
}

/** Time after which no further pod is checked for an object. */
const maxInspectMs = 30_000;

const unavailable: InterfaceStatus = { status: "Not Available" };

/** Reports the state of a CNF pod's interface in the status, and brings the interface to the desired state. */
export class CniInterfaceReconciler {
  readonly #options: CniInterfaceReconcilerOptions;
  readonly #attempts: Attempts;
  readonly #known = new KnownInterfaces();

  constructor(options: CniInterfaceReconcilerOptions) {
    this.#options = options;
    this.#attempts = new Attempts(options.clock ?? systemClock);
  }

  /** Reconciles one CniInterface. Pass this function to a controller. */
  readonly reconcile = async (
    request: Request,
    { client, log, signal }: Pick<ReconcileContext, "client" | "log" | "signal">,
  ): Promise<Result | undefined> => {
    const object = await client.get(CniInterface, request).catch(ignoreNotFound);
    if (!object || object.metadata.deletionTimestamp) {
      this.#attempts.forget(request);
      return undefined;
    }
    const seen = await this.#inspect(object, client).catch((error: unknown) => {
      signal.throwIfAborted();
      const message = error instanceof InspectError ? error.message : masked(messageOf(error), []);
      const { cause = error } = error instanceof InspectError ? error : {};
      log.warn({ reason: message }, "cannot read a CNF's interfaces");
      return { message, isUnreachable: isUnreachable(cause), hasResponded: codeOf(cause) !== undefined };
    });
    await this.#writeStatus(object, seen, client);
    return { requeueAfterMs: this.#options.checkIntervalMs };
  };

  async #writeStatus(object: DeepReadonly<CniInterface>, observation: Observation, writer: Writer): Promise<void> {
    const { reporter = silentReporter, clock = systemClock } = this.#options;
    const health = healthOf(observation);
    const { status } = object;
    const { fields, isUpToDate } = fieldsOf(status ?? {}, statusOf(observation));
    const conditions = conditionsOf(object.metadata.generation, status, health, clock.now());
    if (isUpToDate && conditions.isUpToDate) return;
    // The object was deleted in the meantime and needs no status.
    await writer.status.patch(CniInterface, keyOf(object), { ...fields, ...conditions.status }).catch(ignoreNotFound);
    reportNotReady(reporter, object, status, health);
    if (observation.switched)
      reporter.report(object, "Applied", `${object.spec?.name} is switched ${observation.switched}`);
  }

  async #inspect(object: DeepReadonly<CniInterface>, reader: Reader): Promise<Observation> {
    const { name = "" } = object.spec ?? {};
    if (!isInterfaceName(name)) return { message: "spec.name: not a valid network interface name" };
    const { namespace } = object.metadata;
    const { scope = everyNamespace } = this.#options;
    if (!scope.allows(namespace, namespace)) return { message: scope.reason };
    let failure: InspectError | undefined;
    const pods = await selectedPods(object, reader);
    const { clock = systemClock } = this.#options;
    const endMs = clock.monotonic() + maxInspectMs;
    for (const pod of pods) {
      if (clock.monotonic() > endMs) break; // leave time for other objects
      try {
        const observation = await this.#inspectOn(pod, object, reader);
        if (observation) return observation;
      } catch (reason) {
        failure ??= new InspectError(await this.#maskedMessage(pod, reason, reader), { cause: reason }); // another pod may have the interface
      }
    }
    if (failure) throw failure;
    if (clock.monotonic() > endMs)
      return {
        message: `the selected CNF pods took more than ${maxInspectMs / 1_000} s to list their interfaces`,
      };
    if (isPaused(object)) return { isPaused: true };
    if (actionOf(object) !== "up" || pods.length === 0) return {};
    return {
      message: `${name} was not switched up: no selected pod lists it, and none has an attached network with this interface`,
      hasResponded: true,
    };
  }

  /** Switches a pod's interface if necessary, then reads it. Returns undefined if the pod does not have the interface. */
  async #inspectOn(
    pod: DeepReadonly<Pod>,
    object: DeepReadonly<CniInterface>,
    reader: Reader,
  ): Promise<Observation | undefined> {
    const { name = "" } = object.spec ?? {};
    const action = isPaused(object) ? undefined : actionOf(object);
    const seen = await this.#options.pool.request(pod, (api) => interfaceIn(api, name));
    if (seen) this.#known.note(pod, name);
    if (!action) return seen ? { seen, isPaused: isPaused(object) } : undefined;
    const id = keyOf(object);
    if (seen?.status?.toLowerCase() === action) {
      this.#attempts.forget(id);
      return { seen };
    }
    if (!seen && !(action === "up" && this.#known.has(pod, name))) return undefined;
    const message = await refusalOf(action, object, pod, seen, reader);
    if (message !== undefined) return { seen, message, isRefused: true };
    const what = [lifeOf(pod), object.metadata.generation, name, action].join(" ");
    const held = this.#attempts.held(id, what);
    if (held !== undefined) return { seen, message: held, isRefused: true };
    const api = await this.#options.pool.apiOf(pod);
    return this.#switch({ api, pod, id, what, name, action }, seen, reader);
  }

  /** Returns an error from a pod's CNF, without secrets. */
  async #maskedMessage(pod: DeepReadonly<Pod>, error: unknown, reader: Reader): Promise<string> {
    const hide = await this.#options.masks.of(reader, pod);
    return masked(hide(messageOf(error)), []);
  }

  async #switch(
    { api, pod, id, what, name, action }: Switching,
    before: CnfInterface | undefined,
    reader: Reader,
  ): Promise<Observation> {
    try {
      await api.setInterface(name, action);
      const seen = await interfaceIn(api, name);
      const isUp = seen?.status?.toLowerCase() === "up";
      if (action === "down" || isUp) {
        this.#attempts.forget(id);
        return { seen, switched: action };
      }
      const message = `${name} was not switched up: the CNF accepted the request, but does not report ${name} as up`;
      this.#attempts.failed(id, what, message);
      return { seen, message, isRefused: true };
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      const message = `${name} was not switched ${action}: ${await this.#maskedMessage(pod, error, reader)}`;
      this.#attempts.failed(id, what, message, error);
      return { seen: before, message, isRefused: true };
    }
  }
}

const interfaceIn = async (api: CnfApi, name: string): Promise<CnfInterface | undefined> =>
  (await api.interfaces()).find((each) => each.name === name);

/** Reports whether a string is a valid interface name. The CRD checks the same pattern, unless an older CRD is installed. */
const isInterfaceName = (name: string): boolean => new RegExp(interfaceNamePattern).test(name);

function statusOf({ seen, message }: Observation): InterfaceStatus {
  const reason = message === undefined ? {} : { message };
  if (!seen) return { ...unavailable, ...reason };
  const { status, mac_address, ip_address, received_packets, send_packets } = seen;
  return {
    status: status ?? "Not Available",
    ...(mac_address === undefined ? {} : { mac_address }),
    ...(ip_address === undefined ? {} : { ip_address: [...ip_address] }),
    ...(received_packets === undefined ? {} : { received_packets }),
    ...(send_packets === undefined ? {} : { send_packets }),
    ...reason,
  };
}

/** Returns a status without its conditions, with `null` for fields to remove, and whether the stored status already has these values. */
function fieldsOf(
  current: DeepReadonly<InterfaceStatus>,
  next: InterfaceStatus,
): { readonly fields: Record<string, unknown>; readonly isUpToDate: boolean } {
  const names = ["status", "mac_address", "ip_address", "received_packets", "send_packets", "message"] as const;
  return {
    fields: Object.fromEntries(names.map((name) => [name, next[name] ?? null])),
    isUpToDate: names.every((name) => JSON.stringify(current[name]) === JSON.stringify(next[name])),
  };
}

/** Observed state of the interface, and the reason if this is not the desired state. */
interface Observation {
  readonly seen?: CnfInterface | undefined;
  readonly message?: string;
  /** State to which the operator has just switched the interface. */
  readonly switched?: Action;
  /** True if the interface is not in the desired state. */
  readonly isRefused?: boolean;
  /** True if the CNF responds, even with an error. */
  readonly hasResponded?: boolean;
  /** True if the CNF does not respond. */
  readonly isUnreachable?: boolean;
  /** True if the interface is only shown, not switched. */
  readonly isPaused?: boolean;
}

/** Returns the conditions for an observation. */
function healthOf({ seen, message, isRefused, hasResponded, isUnreachable, isPaused }: Observation): Health {
  const failed = message ?? "";
  if (isPaused) return { ready: notReady(Reason.paused, pausedMessage), reachable: seen ? responding : undefined };
  if (isUnreachable) return { ready: notReady(Reason.unreachable, failed), reachable: unreachable(failed) };
  if (isRefused) return { ready: notReady(Reason.refused, failed), reachable: responding };
  if (seen) return { ready: inForce, reachable: responding };
  const missing = message ?? "None of the selected ready pods has this interface";
  return { ready: notReady(Reason.waiting, missing), reachable: hasResponded ? responding : noCnf };
}
