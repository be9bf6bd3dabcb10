import { describe, expect, it } from "vitest";
import { FlagError, managerFlags } from "./manager-flags.ts";
import type { ManagerOptions } from "./manager-options.ts";

const own: ManagerOptions = {
  fieldOwner: "shop",
  leaderElection: { id: "shop.example.com" },
  metrics: { bindAddress: ":8080", requestDetails: true },
  health: { bindAddress: ":8081", informers: true },
  webhooks: { host: "10.0.0.1", port: 9444 },
};
const optionsOf = (...argv: string[]): ManagerOptions => managerFlags(own, argv).options;

describe("the flags of a program", () => {
  it("keep the program's own certificate with --metrics-secure", () => {
    const tls = { cert: "c", key: "k" };
    const { options } = managerFlags({ metrics: { tls } }, ["--metrics-secure"]);
    expect(options.metrics).toMatchObject({ authenticate: true, tls });
  });

  it("keep its own options, except leader election, which must be requested", () => {
    expect(optionsOf()).toEqual({ ...own, leaderElection: undefined });
    expect(managerFlags(own, [])).toMatchObject({ help: false, kubeconfig: undefined, logLevel: undefined });
  });

  it.each<[string[], ManagerOptions]>([
    [["--leader-elect"], { leaderElection: { id: "shop.example.com" } }],
    [["--leader-elect=true"], { leaderElection: { id: "shop.example.com" } }],
    [["--leader-elect=false"], { leaderElection: undefined }],
    [
      ["--leader-elect", "--leader-election-namespace", "shop"],
      { leaderElection: { id: "shop.example.com", namespace: "shop" } },
    ],
    [["--shards", "16"], { sharding: { id: "shop.example.com", shards: 16 } }],
    [
      ["--shards=8", "--leader-election-namespace", "shop"],
      { sharding: { id: "shop.example.com", shards: 8, namespace: "shop" } },
    ],
    [["--shards=0"], {}],
    [["--preflight=false"], { preflight: false }],
    [["--preflight"], { preflight: true }],
    [["--metrics-bind-address=0"], { metrics: { bindAddress: "0", requestDetails: true } }],
    [
      ["--metrics-cert-path", "/certs"],
      { metrics: { bindAddress: ":8080", requestDetails: true, tls: { dir: "/certs" } } },
    ],
    [
      ["--metrics-secure"],
      { metrics: { bindAddress: ":8080", requestDetails: true, authenticate: true, tls: "self-signed" } },
    ],
    [
      ["--metrics-secure=true", "--metrics-cert-path", "/certs"],
      { metrics: { bindAddress: ":8080", requestDetails: true, authenticate: true, tls: { dir: "/certs" } } },
    ],
    [
      ["--metrics-secure=false"],
      { metrics: { bindAddress: ":8080", requestDetails: true, authenticate: false, tls: undefined } },
    ],
    [["--health-probe-bind-address", ":9090"], { health: { bindAddress: ":9090", informers: true } }],
    [["--webhook-host", "127.0.0.2"], { webhooks: { host: "127.0.0.2", port: 9444 } }],
    [["--webhook-port", "0"], { webhooks: { host: "10.0.0.1", port: 0 } }],
    [["--webhook-port=65535"], { webhooks: { host: "10.0.0.1", port: 65_535 } }],
    [
      ["--webhook-cert-path=/mnt/certs"],
      { webhooks: { host: "10.0.0.1", port: 9444, certificates: { dir: "/mnt/certs" } } },
    ],
  ])("%j override them", (argv, expected) => {
    expect(optionsOf(...argv)).toEqual({ ...own, leaderElection: undefined, ...expected });
  });

  it("select cluster and log level", () => {
    const flags = managerFlags({}, ["--kubeconfig", "/tmp/k", "--context", "dev", "--log-level", "debug", "-h"]);
    expect(flags).toMatchObject({ kubeconfig: "/tmp/k", context: "dev", logLevel: "debug", help: true });
  });

  it.each<[string[], string]>([
    [["--leader-elect=maybe"], "'--leader-elect' does not take an argument; --help lists all flags"],
    [["--metrics-adress", "0"], "Unknown option '--metrics-adress'; --help lists all flags"],
    [["now"], "Unexpected argument 'now'"],
    [["--kubeconfig"], "'--kubeconfig <value>' argument missing"],
    [["--webhook-port", "https"], '--webhook-port "https": expected a number from 0 to 65535'],
    [["--webhook-port=65536"], '--webhook-port "65536": expected a number from 0 to 65535'],
    [["--webhook-port="], '--webhook-port "": expected a number from 0 to 65535'],
    [
      ["--metrics-secure=false", "--metrics-cert-path", "/certs"],
      "--metrics-secure=false and --metrics-cert-path cannot be used together; remove one of them",
    ],
    [["--shards", "many"], '--shards "many": expected a number from 1 to 1000, or 0 to disable sharding'],
    [["--log-level", "loud"], '--log-level "loud": expected one of trace, debug, info, warn, error, fatal, silent'],
  ])("%j is refused", (argv, text) => {
    expect(() => optionsOf(...argv)).toThrow(FlagError);
    expect(() => optionsOf(...argv)).toThrow(text);
  });

  it("keep the program's sharding, unless it is disabled, with the settings of leader election as defaults", () => {
    const leaderElection = { id: "shop", namespace: "ns", leaseDurationMs: 20_000, releaseOnCancel: true };
    const sharding = { shards: 4, shardBy: "namespace", id: "sites" } as const;
    const shardingOf = (...argv: string[]) => managerFlags({ leaderElection, sharding }, argv).options.sharding;
    const expected = { namespace: "ns", leaseDurationMs: 20_000, shards: 4, shardBy: "namespace", id: "sites" };
    expect(shardingOf()).toEqual(expected);
    expect(shardingOf("--shards", "32")).toEqual({ ...expected, shards: 32 });
    expect(shardingOf("--shards", "0")).toBeUndefined();
  });

  it("refuse sharding if the program has no name for Leases", () => {
    expect(() => managerFlags({}, ["--shards", "4"])).toThrow("set sharding.id");
    expect(managerFlags({}, ["--shards", "0"]).options.sharding).toBeUndefined();
  });

  it("refuse leader election if the program does not configure it", () => {
    expect(() => managerFlags({}, ["--leader-elect"])).toThrow("the program's options do not contain leaderElection");
  });
});
