import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import { systemRandom } from "@kubewright/clock";
import { expect, it } from "vitest";
import { admitted, objectOf, resourceOf } from "../testing/attributes.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { serviceRange } from "./service-range.ts";

const range = serviceRange("10.0.0.0/29"); // 10.0.0.1 to 10.0.0.6
const services = resourceOf("services");
const other = (spec: object, name = "other"): ReadonlyObject => objectOf({ spec }, { name, namespace: "default" });

/** Returns the resulting spec of a Service, or the reason for its rejection. */
async function specOf(spec: object, old?: object, others: readonly ReadonlyObject[] = []): Promise<unknown> {
  const plugin = serviceAddresses(async () => others, range, systemRandom);
  const object = objectOf({ spec: structuredClone(spec) });
  const more = { operation: old ? "UPDATE" : "CREATE", resource: services, object } as const;
  try {
    const made = await admitted(plugin, { ...more, ...(old ? { oldObject: objectOf({ spec: old }) } : {}) });
    return made?.spec;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

const families = { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
const at = (clusterIP: string) => ({ clusterIP, clusterIPs: [clusterIP], ...families });
const own = at("10.0.0.2");
const invalid = (field: string, value: string, text: string) =>
  `Service "web" is invalid: ${field}: Invalid value: ${value}: ${text}`;
const address = (ip: string, text: string) =>
  invalid("spec.clusterIPs", `["${ip}"]`, `failed to allocate IP ${ip}: ${text}`);
const outside = (ip: string) =>
  address(ip, `the provided IP (${ip}) is not in the valid range. The range of valid IPs is 10.0.0.0/29`);
const port = (nodePort?: number, more: object = {}) => ({
  port: 80,
  protocol: "TCP",
  ...(nodePort ? { nodePort } : {}),
  ...more,
});
const wrongPort = (nodePort: number, text: string) => invalid("spec.ports[0].nodePort", String(nodePort), text);
const validPorts = "provided port is not in the valid range. The range of valid ports is 30000-32767";

/** @see kubernetes pkg/registry/core/service/storage TestCreate, TestUpdate */
it.each<[string, object, object | undefined, object | string]>([
  ["the address it asks for", { clusterIP: "10.0.0.3" }, undefined, at("10.0.0.3")],
  ["the first address it asks for", { clusterIPs: ["10.0.0.3"] }, undefined, at("10.0.0.3")],
  ["the first of the range", { clusterIP: "10.0.0.1" }, undefined, at("10.0.0.1")],
  ["the last of the range", { clusterIP: "10.0.0.6" }, undefined, at("10.0.0.6")],
  ["an address beyond", { clusterIP: "10.0.0.9" }, undefined, outside("10.0.0.9")],
  ["the network's last", { clusterIP: "10.0.0.7" }, undefined, outside("10.0.0.7")],
  ["an address before", { clusterIP: "9.255.255.255" }, undefined, outside("9.255.255.255")],
  [
    "an allocated address",
    { clusterIP: "10.0.0.4" },
    undefined,
    address("10.0.0.4", "provided IP is already allocated"),
  ],
  ["its own address, which is also allocated to another", { ...at("10.0.0.4") }, at("10.0.0.4"), at("10.0.0.4")],
  ["its own address, now out of range", { ...at("10.9.0.4") }, at("10.9.0.4"), at("10.9.0.4")],
  ["none", { clusterIP: "None", selector: { a: "b" } }, undefined, { ...at("None"), selector: { a: "b" } }],
  [
    "none, and no selector",
    { clusterIP: "None" },
    undefined,
    { ...at("None"), ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" },
  ],
  ["none, no selector, and one family", { clusterIP: "None", ipFamilyPolicy: "SingleStack" }, undefined, at("None")],
  ["none, later", { clusterIP: "None" }, { clusterIP: "None", clusterIPs: ["None"] }, at("None")],
  ["the name of another", { type: "ExternalName" }, undefined, { type: "ExternalName" }],

  ["its previous address", {}, own, own],
  [
    "its previous address, with its families",
    {},
    { ...own, ipFamilyPolicy: "PreferDualStack" },
    { ...own, ipFamilyPolicy: "PreferDualStack" },
  ],
  ["another than it had", { clusterIP: "10.0.0.3", clusterIPs: ["10.0.0.2"] }, own, at("10.0.0.3")],
  ["another first than it had", { clusterIP: "10.0.0.2", clusterIPs: ["10.0.0.3"] }, own, at("10.0.0.3")],
  ["a new one, after a name", { clusterIP: "10.0.0.3" }, { type: "ExternalName" }, at("10.0.0.3")],
  ["a name, after an address", { type: "ExternalName" }, own, { type: "ExternalName" }],

  [
    "a port of nodes",
    { type: "NodePort", ...own, ports: [port(30_000)] },
    undefined,
    { type: "NodePort", ...own, ports: [port(30_000)] },
  ],
  [
    "the last port",
    { type: "NodePort", ...own, ports: [port(32_767)] },
    undefined,
    { type: "NodePort", ...own, ports: [port(32_767)] },
  ],
  ["a port before", { type: "NodePort", ...own, ports: [port(29_999)] }, undefined, wrongPort(29_999, validPorts)],
  ["a port beyond", { type: "LoadBalancer", ...own, ports: [port(32_768)] }, undefined, wrongPort(32_768, validPorts)],
  [
    "an allocated port",
    { type: "NodePort", ...own, ports: [port(31_000)] },
    undefined,
    wrongPort(31_000, "provided port is already allocated"),
  ],
  [
    "the port it had",
    { type: "NodePort", ...own, ports: [port()] },
    { type: "NodePort", ...own, ports: [port(30_005)] },
    { type: "NodePort", ...own, ports: [port(30_005)] },
  ],
  [
    "ports no longer used as node ports",
    { type: "ClusterIP", ...own, ports: [port(30_005)] },
    { type: "NodePort", ...own, ports: [port(30_005)] },
    { type: "ClusterIP", ...own, ports: [port()] },
  ],
  [
    "a port of nodes that it cannot have",
    { ...own, ports: [port(30_005)] },
    { ...own, ports: [port()] },
    { ...own, ports: [port(30_005)] },
  ],
  [
    "a balancer without ports of nodes",
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ...own, ports: [port()] },
    undefined,
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ...own, ports: [port()] },
  ],
  [
    "a policy that is for the outside",
    { type: "ClusterIP", externalTrafficPolicy: "Local", ...own },
    { type: "NodePort", externalTrafficPolicy: "Local", ...own },
    { type: "ClusterIP", ...own },
  ],
  [
    "a new policy that is for the outside",
    { type: "ClusterIP", externalTrafficPolicy: "Local", ...own },
    { type: "NodePort", externalTrafficPolicy: "Cluster", ...own },
    { type: "ClusterIP", externalTrafficPolicy: "Local", ...own },
  ],
  [
    "a policy of a balancer",
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, externalTrafficPolicy: "Local", ...own },
    { type: "NodePort", externalTrafficPolicy: "Local", ...own },
    { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, externalTrafficPolicy: "Local", ...own },
  ],
])("a Service has %s, or not", async (_what, spec, old, expected) => {
  const others = [other({ clusterIP: "10.0.0.4", ports: [port(31_000)] }), other({ clusterIP: "10.0.0.2" }, "web")];
  expect(await specOf(spec, old, others)).toEqual(expected);
});

it("a Service without an address gets the last free one, until there is none", async () => {
  const taken = [1, 2, 3, 5, 6].map((last) => other({ clusterIP: `10.0.0.${last}` }, `s${last}`));
  expect(await specOf({}, undefined, taken)).toEqual(at("10.0.0.4"));
  expect(await specOf({}, undefined, [...taken, other({ clusterIP: "10.0.0.4" })])).toContain(
    "failed to allocate a serviceIP: range is full",
  );
});

it("a Service without a port gets the last free one, until there is none", async () => {
  const all = Array.from({ length: 2_768 }, (_, index) => 30_000 + index);
  const using = (ports: readonly number[]) => [other({ ports: ports.map((each) => port(each)) })];
  for (const left of [30_000, 31_234, 32_767]) {
    const spec = await specOf(
      { type: "NodePort", ...own, ports: [port()] },
      undefined,
      using(all.filter((each) => each !== left)),
    );
    expect(spec).toMatchObject({ ports: [{ nodePort: left }] });
  }
  expect(await specOf({ type: "NodePort", ...own, ports: [port()] }, undefined, using(all))).toContain(
    "failed to allocate a nodePort: range is full",
  );
  const two = await specOf({ type: "NodePort", ...own, ports: [port(), port()] }, undefined, using(all.slice(2)));
  const given = (two as { ports: { nodePort: number }[] }).ports.map(({ nodePort }) => nodePort);
  expect(given.sort()).toEqual([30_000, 30_001]);
});

it.each([
  ["another group", { resource: resourceOf("services", "example.com") }],
  ["another kind", { resource: resourceOf("pods") }],
  ["its status", { resource: services, subresource: "status" }],
])("allocates nothing for %s", async (_what, more) => {
  const plugin = serviceAddresses(async () => [], range, systemRandom);
  expect(await admitted(plugin, { ...more, object: objectOf({ spec: {} }) })).toEqual(objectOf({ spec: {} }));
  const handled = (["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((each) => plugin.handles(each));
  expect(handled).toEqual(["CREATE", "UPDATE"]);
});
