import { silentLogger } from "@kubewright/log";
import type { DescribedController } from "@kubewright/rbac";
import { describe, expect, it } from "vitest";
import { Manager } from "./manager.ts";
import { managerDescription, programName } from "./manager-description.ts";
import type { ManagerOptions } from "./manager-options.ts";

const described = (options: ManagerOptions) =>
  new Manager({ logger: silentLogger, connection: { server: "http://127.0.0.1:1" }, ...options }).describe();

describe("the port of a described program", () => {
  it.each([":8443", "127.0.0.1:8443", "[::1]:8443"])("is that of %s", (bindAddress) => {
    const { metrics, health } = described({ metrics: { bindAddress }, health: { bindAddress } });
    expect([metrics.port, health?.port]).toEqual([8443, 8443]);
  });

  it.each(["0", ""])("is absent for %j, which disables a server", (bindAddress) => {
    const off = { bindAddress, authenticate: true };
    const { metrics, health } = described({ metrics: off, health: { bindAddress }, profiling: off });
    expect(metrics).toEqual({ isAuthenticated: false, isSecure: false, port: undefined });
    expect(health).toBeUndefined();
  });

  it("is unknown for any free port, but readers are authenticated there nevertheless", () => {
    const { metrics, health } = described({
      metrics: { bindAddress: "127.0.0.1:0", authenticate: true },
      health: { bindAddress: ":0" },
    });
    expect(metrics).toEqual({ isAuthenticated: true, isSecure: false, port: undefined });
    expect(health).toBeUndefined();
  });

  it("is refused for an invalid address, as when the server starts", () => {
    const refusal = 'cannot listen on "8443"; use "host:port", ":port" or "0"';
    expect(() => described({ metrics: { bindAddress: "8443" } })).toThrow(refusal);
  });
});

it("contains the namespace of the Leases of sharding, by default that of leader election", () => {
  const leaderElection = { id: "shop", namespace: "leases" };
  expect(described({ leaderElection, sharding: { shards: 2 } }).sharding).toEqual({ namespace: "leases" });
  expect(described({ sharding: { shards: 2, id: "shop" } }).sharding).toEqual({ namespace: undefined });
  expect(described({ leaderElection }).sharding).toBeUndefined();
});

describe("the kinds of a described program", () => {
  const crd = { kind: "CustomResourceDefinition" };
  const site = { group: "example.com", version: "v1", kind: "Site", plural: "sites", scope: "Namespaced" } as const;
  const pod = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" } as const;
  const controller = (name: string, main: DescribedController["for"]): DescribedController => ({
    ...{ name, for: main, owns: [], watches: [] },
  });

  it("are its own, each once, in the version that is described first", () => {
    const own = { ...site, crd } as never as NonNullable<DescribedController["for"]>;
    const { kinds, name } = managerDescription({
      options: {},
      runnables: [
        { controllers: [controller("pod", pod), controller("none", undefined), controller("site", own)] },
        { controllers: [controller("later", { ...own, version: "v2" }), controller("bare", site)] },
        { controllers: [controller("other", { ...own, kind: "Place" })] },
      ],
      ...{ permissions: [], defined: [], webhookConfigurations: [] },
    });
    expect(kinds).toEqual([
      { ...site, crd },
      { ...site, kind: "Place", crd },
    ]);
    expect(name).toBe("controller");
  });

  it.each([
    [{ name: "shop", leaderElection: { id: "sites" } }, "shop"],
    [{ leaderElection: { id: "sites.shop.example.com" } }, "sites"],
    [{ leaderElection: { id: "80807133.tutorial.kubebuilder.io" } }, "controller"],
    [{ leaderElection: { id: "" } }, "controller"],
  ])("names the program of %j %s, which is valid in the names of its Services and namespace", (options, name) => {
    expect(programName(options)).toBe(name);
  });

  it("contains the Leases of sharding, and whether namespaces are divided", () => {
    const shardingOf = (options: ManagerOptions) => {
      const parts = { runnables: [], permissions: [], defined: [], webhookConfigurations: [] };
      return managerDescription({ options, ...parts }).sharding;
    };
    const leaderElection = { id: "shop", namespace: "leases" };
    expect(shardingOf({ leaderElection })).toBeUndefined();
    expect(shardingOf({ leaderElection, sharding: { shards: 2 } })).toEqual({ namespace: "leases" });
    expect(shardingOf({ sharding: { shards: 2, shardBy: "namespace", namespace: "own" } })).toEqual({
      namespace: "own",
      byNamespace: true,
    });
  });
});
