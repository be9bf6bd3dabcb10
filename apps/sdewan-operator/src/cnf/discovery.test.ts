import { Deployment, Pod, Secret } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { endpointAnnotation } from "../api/group.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { networks, putCnf, putPod } from "../testing/fixtures.ts";
import { cnfViewOf } from "./cnf-view.ts";
import { AmbiguousCnfError, deploymentOf, findCnf } from "./discovery.ts";
import { endpointOf } from "./endpoint.ts";
import { attachedNetworks, interfaceOfNetwork } from "./networks.ts";
import { lifeOf } from "./pod-state.ts";

const labels = { sdewanPurpose: "edge7" };

function clusterWithCnf() {
  const cluster = new FakeCluster();
  putCnf(cluster, "edge7", ["10.0.0.1", "10.0.0.2"]);
  const pod = cluster.peek(Pod, "cnfs/edge7-0");
  if (!pod) throw new Error("no pod");
  return { cluster, pod };
}

describe("findCnf", () => {
  it("follows owner references from the Deployment of a purpose to its pods, and ignores other objects with the label", async () => {
    const { cluster } = clusterWithCnf();
    cluster.put(Pod, { metadata: { name: "stray", namespace: "cnfs", labels } });
    const cnf = await findCnf(cluster.client, "edge7");
    expect(cnf?.pods.map(({ metadata }) => metadata.name)).toEqual(["edge7-0", "edge7-1"]);
  });

  it("omits pods that are terminating or have ended", async () => {
    const { cluster, pod } = clusterWithCnf();
    cluster.put(Pod, { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } });
    const other = cluster.peek(Pod, "cnfs/edge7-1");
    if (other) cluster.put(Pod, { ...other, status: { phase: "Failed" } });
    expect((await findCnf(cluster.client, "edge7"))?.pods).toEqual([]);
  });

  it("finds no CNF without a Deployment, and refuses to choose between two", async () => {
    const { cluster } = clusterWithCnf();
    expect(await findCnf(cluster.client, "edge8")).toBeUndefined();
    expect(await findCnf(cluster.client, undefined)).toBeUndefined();
    cluster.put(Deployment, { metadata: { name: "twin", namespace: "elsewhere", labels } });
    await expect(findCnf(cluster.client, "edge7")).rejects.toThrow(AmbiguousCnfError);
    await expect(findCnf(cluster.client, "edge7")).rejects.toThrow(
      "More than one deployment exists: cnfs/edge7, elsewhere/twin",
    );
  });
});

it.each(["..", "a/b", "%2e"])("treats an owner with an impossible name as absent: %s", async (name) => {
  const { cluster, pod } = clusterWithCnf();
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name, uid: "u", controller: true }];
  const stray = cluster.put(Pod, { ...pod, metadata: { ...pod.metadata, name: "stray", ownerReferences } });
  expect(await deploymentOf(cluster.client, stray)).toBeUndefined();
});

describe("endpointOf", () => {
  it("has the pod's address and the password from the Secret that its label names", async () => {
    const { cluster, pod } = clusterWithCnf();
    expect(await endpointOf(cluster.client, pod, { scheme: "https" })).toEqual({
      url: "https://10.0.0.1",
      address: "10.0.0.1",
      password: "pass",
      ca: undefined,
    });
    cluster.remove(Secret, "cnfs/account");
    expect(await endpointOf(cluster.client, pod, { scheme: "http", port: 8080 })).toMatchObject({
      url: "http://10.0.0.1:8080",
      password: "",
    });
  });

  it("has the pod's DNS name if its label names a certificate Secret, and the scheme and port of its annotation", async () => {
    const { cluster, pod } = clusterWithCnf();
    const data = { "ca.crt": Buffer.from("PEM").toString("base64") };
    cluster.put(Secret, { metadata: { name: "cert", namespace: "cnfs" }, data });
    const named = {
      ...pod,
      metadata: {
        ...pod.metadata,
        labels: { ...pod.metadata.labels, "cnf-cert-secret": "cert" },
        annotations: { [endpointAnnotation]: "https:8443" },
      },
    };
    expect(await endpointOf(cluster.client, named, { scheme: "http" })).toMatchObject({
      url: "https://10-0-0-1.cnfs.pod.cluster.local:8443",
      address: "10.0.0.1",
      ca: "PEM",
    });
    named.metadata.annotations[endpointAnnotation] = "https://evil.example.com";
    await expect(endpointOf(cluster.client, named, { scheme: "http" })).rejects.toThrow(/must be scheme and port/);
  });
});

describe("a pod with an IPv6 address", () => {
  const withAddresses = (...ips: string[]) => {
    const { cluster, pod } = clusterWithCnf();
    return {
      cluster,
      pod: { ...pod, status: { ...pod.status, podIP: ips[0] ?? "", podIPs: ips.map((ip) => ({ ip })) } },
    };
  };
  const named = <P extends { readonly metadata: object }>(pod: P): P => ({
    ...pod,
    metadata: { ...pod.metadata, labels: { "cnf-cert-secret": "cert" } },
  });

  it("has the address in brackets in its URL", async () => {
    const { cluster, pod } = withAddresses("fd00::1", "10.0.0.7");
    expect(await endpointOf(cluster.client, pod, { scheme: "https", port: 8443 })).toMatchObject({
      url: "https://[fd00::1]:8443",
      address: "fd00::1",
    });
    expect(new URL("https://[fd00::1]:8443").hostname).toBe("[fd00::1]");
  });

  it("has a host name made from the IPv4 address if a certificate needs a name", async () => {
    const { cluster, pod } = withAddresses("fd00::1", "10.0.0.7");
    expect(await endpointOf(cluster.client, named(pod), { scheme: "https" })).toMatchObject({
      url: "https://10-0-0-7.cnfs.pod.cluster.local",
      address: "10.0.0.7",
    });
    const only = withAddresses("fd00::1");
    expect(await endpointOf(only.cluster.client, named(only.pod), { scheme: "https" })).toMatchObject({
      url: "https://fd00--1.cnfs.pod.cluster.local",
      address: "fd00::1",
    });
  });

  it("has only its IPv4 address in the list of an application", async () => {
    const { cluster } = clusterWithCnf();
    const put = (name: string, ...ips: string[]) =>
      cluster.put(Pod, {
        metadata: { name, namespace: "apps", labels: { app: "shop" } },
        status: { phase: "Running", podIP: ips[0] ?? "", podIPs: ips.map((ip) => ({ ip })) },
      });
    put("a", "fd00::9", "10.1.0.9");
    put("b", "fd00::8");
    put("c", "10.1.0.7", "fd00::7");
    const cnf = await findCnf(cluster.client, "edge7");
    if (!cnf) throw new Error("no CNF");
    const addresses = await cnfViewOf(cluster.client, cnf.pods[0]).addressesOf({ matchLabels: { app: "shop" } }, "");
    expect(addresses).toEqual(["10.1.0.7", "10.1.0.9"]);
  });
});

describe("endpointOf a pod with a forged address", () => {
  it.each([
    ["169.254.169.254", undefined],
    ["0.0.0.0", undefined],
    ["255.255.255.255", undefined],
    ["fe80::1", undefined],
    ["::", undefined],
    ["::ffff:169.254.169.254", undefined],
    ["fd00:ec2::254", undefined],
    ["metadata.google.internal", undefined],
    ["10.0.0.1/../x", undefined],
    ["fd00::1", "169.254.169.254"],
  ])("throws, and sends no password there: %s %s", async (podIP, second) => {
    const { cluster, pod } = clusterWithCnf();
    const podIPs = second === undefined ? [] : [{ ip: podIP }, { ip: second }];
    const labels = { ...pod.metadata.labels, ...(second === undefined ? {} : { "cnf-cert-secret": "cert" }) };
    const moved = { ...pod, metadata: { ...pod.metadata, labels }, status: { ...pod.status, podIP, podIPs } };
    await expect(endpointOf(cluster.client, moved, { scheme: "http" })).rejects.toThrow(
      "which cannot be a pod address",
    );
  });
});

describe("networks", () => {
  it("returns the interface of the first network of a name, and accepts booleans in both notations", () => {
    const attached = attachedNetworks({ "k8s.plugin.opnfv.org/nfn-network": networks });
    expect(interfaceOfNetwork(attached, "ovn-net2")).toBe("net2");
    expect(() => interfaceOfNetwork(attached, "other")).toThrow("No matched network in annotation: other");
    expect(() => attachedNetworks(undefined)).toThrow(/has no annotation/);
    expect(() => attachedNetworks({ "k8s.plugin.opnfv.org/nfn-network": "{" })).toThrow(/is not JSON/);
  });

  it.each(["", "net1;reboot", "net 1", "-j", "../net1", "net1\n", "a-name-of-16-chars"])(
    "rejects the interface name %j",
    (interfaceName) => {
      const text = JSON.stringify({ interface: [{ name: "ovn-net1", interface: interfaceName }] });
      const attached = attachedNetworks({ "k8s.plugin.opnfv.org/nfn-network": text });
      expect(() => interfaceOfNetwork(attached, "ovn-net1")).toThrow(
        `the interface of the network ovn-net1 is ${JSON.stringify(interfaceName)}, which is not the name of an interface`,
      );
    },
  );
});

describe("cnfViewOf", () => {
  it("lists the addresses of an application's pods in numeric order, once each, without CNFs and terminating pods", async () => {
    const { cluster } = clusterWithCnf();
    const put = (name: string, podIP: string | undefined, more: object = {}) =>
      cluster.put(Pod, {
        metadata: { name, namespace: "apps", labels: { app: "shop" }, ...more },
        status: { phase: "Running", ...(podIP === undefined ? {} : { podIP }) },
      });
    put("a", "10.1.0.10");
    put("b", "10.1.0.9");
    put("c", "10.1.0.9");
    put("d", undefined);
    put("e", "10.1.0.11", { deletionTimestamp: "2026-01-01T00:00:00Z" });
    put("f", "10.1.0.12", { labels: { app: "shop", ...labels } });
    put("g", "10.1.0.13", { namespace: "other" });
    const cnf = await findCnf(cluster.client, "edge7");
    if (!cnf) throw new Error("no CNF");
    const view = cnfViewOf(cluster.client, cnf.pods[0]);
    const selector = { matchExpressions: [{ key: "app", operator: "In", values: ["shop"] }] };
    expect(await view.addressesOf(selector, "apps")).toEqual(["10.1.0.9", "10.1.0.10"]);
    expect(await view.addressesOf(selector, "")).toEqual(["10.1.0.9", "10.1.0.10", "10.1.0.13"]);
    const wrong = { matchExpressions: [{ key: "app", operator: "Is" }] };
    await expect(view.addressesOf(wrong, "")).rejects.toThrow(/operator/);
  });
});

describe("lifeOf", () => {
  it("changes with each start of a container, and only then", () => {
    const { cluster, pod } = clusterWithCnf();
    const before = lifeOf(pod);
    putPod(cluster, "edge7", 0, "10.0.0.1", 0);
    expect(lifeOf(cluster.peek(Pod, "cnfs/edge7-0") ?? pod)).toBe(before);
    putPod(cluster, "edge7", 0, "10.0.0.1", 1);
    expect(lifeOf(cluster.peek(Pod, "cnfs/edge7-0") ?? pod)).not.toBe(before);
  });
});
