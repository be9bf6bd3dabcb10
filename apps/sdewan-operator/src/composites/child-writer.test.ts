import { conflict, forbidden, NoMatchError, serviceUnavailable } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { CNFNAT } from "../api/cnf-nat.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { ChildWriter } from "./child-writer.ts";
import { cnfService } from "./cnf-service.ts";

const resource = { group: "batch.sdewan.akraino.org", resource: "cnfnats" };
const composite = {
  apiVersion: "batch.sdewan.akraino.org/v1alpha1",
  kind: "CNFService",
  metadata: { name: "web", namespace: "default", uid: "1" },
};
const child = { kind: CNFNAT, name: "webnat", spec: { target: "DNAT", dest_ip: "10.0.0.9" } };

const syncWhere = (error: unknown) => {
  const client = { ...new FakeCluster().client, create: () => Promise.reject(error) };
  return new ChildWriter(cnfService, client).sync(composite, [child], []);
};

it("reports what the API server refuses", async () => {
  expect(await syncWhere(forbidden(resource, "webnat", "not in this bucket"))).toEqual([
    expect.stringMatching(/^CNFNAT refused: .*not in this bucket/),
  ]);
});

it("throws an error that may be temporary, to be retried", async () => {
  await expect(syncWhere(conflict(resource, "webnat", "modified"))).rejects.toThrow("modified");
  await expect(syncWhere(serviceUnavailable("starting"))).rejects.toThrow("starting");
});

it("waits for a kind that is not served", async () => {
  expect(await syncWhere(NoMatchError.ofKind(CNFNAT))).toEqual(["waiting for the kind CNFNAT: install its CRD"]);
});
