import { Pod, Service } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { clusterNames } from "./cluster-names.ts";

const signal = new AbortController().signal;
const namespace = "default";

function start() {
  const cluster = new FakeCluster();
  const requests: string[] = [];
  const resolve = clusterNames(cluster.client, async (name) => {
    requests.push(name);
    return ["192.0.2.1"];
  });
  const put = (spec: Service["spec"]) => cluster.put(Service, { metadata: { name: "foo", namespace }, spec });
  return { cluster, requests, put, lookUp: (name: string) => resolve(name, signal) };
}

it("returns the address of a Service for each of its names, without asking the other resolver", async () => {
  const { put, lookUp, requests } = start();
  put({ clusterIP: "10.96.0.7", clusterIPs: ["10.96.0.7", "fd00::7"] });
  for (const name of ["foo.default.svc", "foo.default.svc.cluster.local", "FOO.default.svc.cluster.local."])
    expect(await lookUp(name)).toEqual(["10.96.0.7", "fd00::7"]);
  await expect(lookUp("bar.default.svc")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect(requests).toEqual([]);
});

it("returns the addresses of the ready pods of a headless Service", async () => {
  const { cluster, put, lookUp } = start();
  put({ clusterIP: "None", selector: { app: "foo" } });
  const pod = (name: string, podIP: string, ready: "True" | "False", app = "foo") =>
    cluster.put(Pod, {
      metadata: { name, namespace, labels: { app } },
      status: { podIP, conditions: [{ type: "Ready", status: ready }] },
    });
  pod("a", "10.0.0.1", "True");
  pod("b", "10.0.0.2", "False");
  pod("c", "10.0.0.3", "True", "bar");
  expect(await lookUp("foo.default.svc")).toEqual(["10.0.0.1"]);
});

it("passes all other names to the other resolver, including those of ExternalName Services", async () => {
  const { put, lookUp, requests } = start();
  put({ type: "ExternalName", externalName: "foo.example" });
  await lookUp("foo.default.svc");
  await lookUp("www.example");
  expect(requests).toEqual(["foo.example", "www.example"]);
});
