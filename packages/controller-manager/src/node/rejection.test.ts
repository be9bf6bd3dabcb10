import type { Node, Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { refusalOf, rejectionOn } from "./rejection.ts";

const pod = (spec: object): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "main", image: "web" }], ...spec },
});

it("a node refuses pods of another operating system, and kernel parameters that are not per pod", () => {
  expect(refusalOf(pod({}))).toBeUndefined();
  expect(refusalOf(pod({ os: { name: "windows" } }))?.reason).toBe("PodOSNotSupported");
  const sysctls = (name: string) => ({ securityContext: { sysctls: [{ name, value: "1" }] } });
  expect(refusalOf(pod(sysctls("net/ipv4/tcp_syncookies")))).toBeUndefined();
  expect(refusalOf(pod(sysctls("kernel.msgmax")))).toEqual({
    reason: "SysctlForbidden",
    message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
  });
});

const onPort = pod({ containers: [{ name: "main", image: "web", ports: [{ containerPort: 80, hostPort: 80 }] }] });
it.each<[string, NonNullable<Node["status"]>, Pod, Pod[], string | undefined]>([
  ["has room for all", { allocatable: { pods: "2" } }, pod({}), [pod({})], undefined],
  ["has room for no more", { allocatable: { pods: "1" } }, pod({}), [pod({})], "OutOfpods"],
  ["has not reported its capacity", {}, pod({}), [pod({})], undefined],
  ["has not reported its capacity, but has the port in use", {}, onPort, [onPort], "NodePorts"],
])("a node rejects an assigned pod, or not: %s", (_what, status, each, neighbours, reason) => {
  const node: Node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status };
  expect(rejectionOn(node, each, neighbours)?.reason).toBe(reason);
  if (reason) expect(rejectionOn(node, each, neighbours)?.message).toBe(`Predicate ${reason} failed`);
});
