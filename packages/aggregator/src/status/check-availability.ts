import { isRecord, quote } from "@kubewright/apimachinery";
import { transportErrorText } from "@kubewright/apiserver/webhook";
import type { Clock } from "@kubewright/clock";
import type { StoredObject } from "@kubewright/storage";
import { type ApiService, pathOf, type RemoteApiService } from "../service/api-service.ts";
import { statusCodeOf } from "../transport/bounded-get.ts";
import { type ExtensionEnd, shownAddress } from "../transport/extension-end.ts";

export interface Availability {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Reads Services and their endpoints. */
export interface ServiceObjects {
  service(namespace: string, name: string): Promise<StoredObject | undefined>;
  endpointSlices(namespace: string, name: string): Promise<readonly StoredObject[]>;
}

const timeoutMs = 5_000;
const attempts = 5;
const user = { name: "system:kube-aggregator", groups: ["system:masters"] };

/**
 * Checks whether an APIService is available: its Service must exist, have the APIService's port and an address, and the
 * extension server must respond to a discovery request. Sends five requests at the same time, one of which must
 * succeed.
 *
 * @see kube-aggregator pkg/controllers/status/remote AvailableConditionController
 */
export async function checkAvailability(
  apiService: RemoteApiService,
  end: ExtensionEnd,
  objects: ServiceObjects,
  clock: Clock,
  signal: AbortSignal,
): Promise<Availability> {
  const { namespace, name } = apiService.service;
  const known = await checkService(apiService.service, objects).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    const message = `service/${name} in ${quote(namespace)} cannot be checked due to: ${why}`;
    return { status: "Unknown", reason: "ServiceAccessError", message } as const;
  });
  if (known) return known;
  const other = new AbortController();
  const either = AbortSignal.any([other.signal, signal]);
  const tries = Array.from({ length: attempts }, () => askDiscovery(apiService, end, clock, either));
  try {
    await Promise.any(tries);
    return { status: "True", reason: "Passed", message: "all checks passed" };
  } catch (error) {
    const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
    const message = last instanceof Error ? last.message : String(last);
    return { status: "False", reason: "FailedDiscoveryCheck", message };
  } finally {
    other.abort();
  }
}

async function checkService(
  { namespace, name, port }: RemoteApiService["service"],
  objects: ServiceObjects,
): Promise<Availability | undefined> {
  const not = (reason: string, message: string): Availability => ({ status: "False", reason, message });
  const what = `service/${name} in ${quote(namespace)}`;
  const service = await objects.service(namespace, name);
  if (!service) return not("ServiceNotFound", `${what} is not present`);
  const spec = isRecord(service.spec) ? service.spec : {};
  if ((spec.type ?? "ClusterIP") !== "ClusterIP") return undefined;
  const found = recordsIn(spec.ports).find((each) => each.port === port);
  if (!found) return not("ServicePortError", `${what} is not listening on port ${port}`);
  const slices = await objects.endpointSlices(namespace, name);
  if (slices.length === 0) return not("EndpointsNotFound", `cannot find endpointslices for ${what}`);
  const portName = typeof found.name === "string" ? found.name : "";
  if (slices.some((slice) => hasAddress(slice, portName))) return undefined;
  return not("MissingEndpoints", `endpointslices for ${what} have no addresses with port name ${quote(portName)}`);
}

function hasAddress({ endpoints, ports }: StoredObject, portName: string): boolean {
  const isReady = recordsIn(endpoints).some(({ conditions }) => !isRecord(conditions) || conditions.ready !== false);
  return isReady && recordsIn(ports).some(({ name, port }) => (name ?? "") === portName && port !== undefined);
}

const recordsIn = (value: unknown): Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Sends one discovery request to the extension server. @throws {Error} with upstream's message, if the request fails */
async function askDiscovery(
  apiService: ApiService,
  end: ExtensionEnd,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const address = await end.address();
  const path = pathOf(apiService);
  const url = `https://${shownAddress(address)}${path}`;
  const failing = (why: string): Error => new Error(`failing or missing response from ${url}: ${why}`);
  const code = await statusCodeOf(end, { path, user, address, timeoutMs, clock, signal }).catch((error: unknown) => {
    const isLate = error instanceof Error && error.message === `no complete response within ${timeoutMs} ms`;
    const why = isLate
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : transportErrorText(error);
    throw failing(`Get ${quote(url)}: ${why}`);
  });
  if (code < 200 || code >= 300) throw failing(`bad status from ${url}: ${code}`);
}
