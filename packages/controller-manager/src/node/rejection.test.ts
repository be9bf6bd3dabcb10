import type { Pod } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { refusalOf } from "./rejection.ts";

const pod = (spec: object): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "main", image: "web" }], ...spec },
});

it("a node refuses another system's pods, and kernel parameters that are not a pod's own", () => {
  expect(refusalOf(pod({}))).toBeUndefined();
  expect(refusalOf(pod({ os: { name: "windows" } }))?.reason).toBe("PodOSNotSupported");
  const sysctls = (name: string) => ({ securityContext: { sysctls: [{ name, value: "1" }] } });
  expect(refusalOf(pod(sysctls("net/ipv4/tcp_syncookies")))).toBeUndefined();
  expect(refusalOf(pod(sysctls("kernel.msgmax")))).toEqual({
    reason: "SysctlForbidden",
    message: 'forbidden sysctl: "kernel.msgmax" not allowlisted',
  });
});
