import { FakeClock } from "@kubewright/clock/testing";
import type { StoredObject } from "@kubewright/storage";
import { expect, it } from "vitest";
import { type RemoteApiService, readApiService } from "../service/api-service.ts";
import { ExtensionEnd } from "../transport/extension-end.ts";
import { checkAvailability } from "./check-availability.ts";

const object = (rest: object): StoredObject => ({ apiVersion: "v1", kind: "A", metadata: { name: "b" }, ...rest });
const apiService = readApiService(
  object({ spec: { group: "g", version: "v1", service: { namespace: "a", name: "b" } } }),
) as RemoteApiService;
const service = (spec: object): StoredObject => object({ spec });
const listening = service({ ports: [{ name: "tls", port: 443 }] });
const ready = { addresses: ["10.0.0.1"] };
const notReady = { ...ready, conditions: { ready: false } };
const slice = (endpoints: object[], ports: object[] = [{ name: "tls", port: 8443 }]): StoredObject =>
  object({ endpoints, ports });
const nowhere = 'no endpoints available for service "b"';

it.each<[string, StoredObject | undefined, StoredObject[], string, string]>([
  ["no Service", undefined, [], "ServiceNotFound", 'service/b in "a" is not present'],
  [
    "no port",
    service({ ports: [{ port: 80 }] }),
    [],
    "ServicePortError",
    'service/b in "a" is not listening on port 443',
  ],
  ["no slices", listening, [], "EndpointsNotFound", 'cannot find endpointslices for service/b in "a"'],
  [
    "no ready one",
    listening,
    [slice([notReady])],
    "MissingEndpoints",
    'endpointslices for service/b in "a" have no addresses with port name "tls"',
  ],
  [
    "another port",
    listening,
    [slice([ready], [{ name: "x", port: 1 }])],
    "MissingEndpoints",
    'endpointslices for service/b in "a" have no addresses with port name "tls"',
  ],
  ["an address", listening, [slice([notReady]), slice([ready])], "FailedDiscoveryCheck", nowhere],
  ["an alias", service({ type: "ExternalName" }), [], "FailedDiscoveryCheck", nowhere],
])("with %s", async (_, found, slices, reason, message) => {
  const end = new ExtensionEnd(apiService, () => Promise.reject(new Error(nowhere)), undefined);
  const objects = { service: async () => found, endpointSlices: async () => slices };
  const { signal } = new AbortController();
  const checked = await checkAvailability(apiService, end, objects, new FakeClock(), signal);
  expect(checked).toEqual({ status: "False", reason, message });
});

it("is unknown if Services cannot be read", async () => {
  const end = new ExtensionEnd(apiService, () => Promise.reject(new Error(nowhere)), undefined);
  const objects = { service: () => Promise.reject(new Error("storage is away")), endpointSlices: async () => [] };
  const checked = await checkAvailability(apiService, end, objects, new FakeClock(), new AbortController().signal);
  expect(checked).toEqual({
    status: "Unknown",
    reason: "ServiceAccessError",
    message: 'service/b in "a" cannot be checked due to: storage is away',
  });
});
