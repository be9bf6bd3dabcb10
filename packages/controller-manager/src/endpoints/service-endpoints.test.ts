import type { Pod, Service } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { endpointGroups } from "./service-endpoints.ts";

const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "shop" },
  spec: { selector: { app: "web" }, ports: [{ port: 80 }] },
};
const pod = (name: string, podIP: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "shop", labels: { app: "web" } },
  spec: { containers: [] },
  status: { podIP },
});

it("orders endpoints by pod name", () => {
  const pods = [pod("web-1", "10.0.0.1"), pod("web-0", "10.0.0.2"), pod("web-2", "10.0.0.3")];
  for (const listed of [pods, pods.toReversed()]) {
    const [group] = endpointGroups(service, listed);
    expect(group?.endpoints.map(({ ip }) => ip)).toEqual(["10.0.0.2", "10.0.0.1", "10.0.0.3"]);
  }
});
