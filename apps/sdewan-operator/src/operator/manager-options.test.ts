import { expect, it } from "vitest";
import { isLoopback, managerOptions } from "./manager-options.ts";
import type { OperatorOptions } from "./operator-options.ts";

const optionsOf = (options: Partial<OperatorOptions> = {}) => managerOptions(options as OperatorOptions);

it("recognizes addresses that only this machine can reach", () => {
  for (const address of ["127.0.0.1:8080", "127.9.9.9:1", "localhost:0", "[::1]:8080"])
    expect([address, isLoopback(address)]).toEqual([address, true]);
  const others = [
    ":8080",
    "0.0.0.0:8080",
    "[::]:8080",
    "10.0.0.1:8080",
    "128.0.0.1:1",
    "12.7.0.1:1",
    "[::11]:1",
    "0",
    "",
  ];
  for (const address of [
    ...others,
    "127.0.0.1.evil.example:8080",
    "127.evil.example:1",
    "localhost.example:1",
    "a@127.0.0.1:1",
  ])
    expect([address, isLoopback(address)]).toEqual([address, false]);
});

it("requires permission to read metrics from other machines", () => {
  const authenticates = (metricsBindAddress?: string) =>
    optionsOf(metricsBindAddress === undefined ? {} : { metricsBindAddress }).metrics?.authenticate;
  expect(["127.0.0.1:8080", "localhost:8080"].map(authenticates)).toEqual([false, false]);
  expect([undefined, ":8443", "0.0.0.0:8443", "[::]:8443", "sdewan.example:8443"].map(authenticates)).toEqual(
    Array(5).fill(true),
  );
  expect(optionsOf().metrics).toEqual({ bindAddress: ":8080", authenticate: true });
  const tls = { dir: "/certs" };
  expect(optionsOf({ metricsTls: tls }).metrics?.tls).toBe(tls);
});

it("elects a leader on request, under the reference's name, and releases the lease", () => {
  expect(optionsOf().leaderElection).toBeUndefined();
  const id = "controller-leader-election-helper";
  expect(optionsOf({ leaderElect: true }).leaderElection).toEqual({ id, releaseOnCancel: true });
  expect(optionsOf({ leaderElect: true, leaderElectionNamespace: "a" }).leaderElection).toMatchObject({
    namespace: "a",
  });
});

it("stops within its pod's grace period, and serves health probes on request", () => {
  const { gracefulShutdownTimeoutMs, health, fieldOwner } = optionsOf();
  expect([gracefulShutdownTimeoutMs, health, fieldOwner]).toEqual([10_000, { bindAddress: "0" }, "sdewan-operator"]);
  expect(optionsOf({ healthProbeBindAddress: ":8081" }).health).toEqual({ bindAddress: ":8081" });
});
