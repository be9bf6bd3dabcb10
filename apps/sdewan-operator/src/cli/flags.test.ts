import { describe, expect, it, vi } from "vitest";
import { demoOptions } from "../../demo/options.ts";
import { operatorFlags } from "./operator-flags.ts";
import { planFlags } from "./plan-command.ts";

describe("the operator's flags", () => {
  it("have the defaults that the README lists", () => {
    expect(operatorFlags([])).toEqual({
      metricsBindAddress: ":8080",
      metricsSecure: false,
      webhookPort: 9443,
      healthProbeBindAddress: ":8081",
      consoleBindAddress: "0",
      leaderElect: false,
      checkInterval: 30,
      cnfScheme: "https",
      cnfNamespaces: "same",
      drift: "repair",
      soak: 60_000,
      confirmChanges: 0,
      logLevel: "info",
    });
    expect(operatorFlags(["--cnf-scheme", "http", "--cnf-port", "8080", "--leader-elect"])).toMatchObject({
      cnfScheme: "http",
      cnfPort: 8080,
      leaderElect: true,
    });
  });

  it("select the CNFs that a resource may configure", () => {
    for (const right of ["same", "*", "edge-a", "a,b", "same,hub"])
      expect(operatorFlags(["--cnf-namespaces", right]).cnfNamespaces).toBe(right);
    expect(operatorFlags(["--status-namespace", "sdewan-system"]).statusNamespace).toBe("sdewan-system");
    expect(operatorFlags(["--cnf-namespaces", "a, b"]).cnfNamespaces).toBe("a,b");
    expect(operatorFlags(["--metrics-bind-address", "[::1]:0"]).metricsBindAddress).toBe("[::1]:0");
  });

  it("are refused with a line that names the accepted values", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(() => operatorFlags(["--cnf-port", "x"])).toThrow(/must be a number from 1 to 65535/);
    expect(() => operatorFlags(["--check-interval", "0"])).toThrow(/above 0/);
    for (const wrong of ["", "a,,b", "A", "a b", "../x", "same;*"])
      expect(() => operatorFlags(["--cnf-namespaces", wrong]), wrong).toThrow(
        /must be "same", "\*" or a comma-separated list/,
      );
    for (const wrong of ["8080", "x:y", ":70000", "", "[::1]"])
      expect(() => operatorFlags(["--metrics-bind-address", wrong]), wrong).toThrow(/must be host:port/);
    expect(() => operatorFlags(["--status-namespace", "A_b"])).toThrow(/must be the name of a namespace/);
    for (const wrong of ["cert", "a/b/c", "A/b", "/b", "a/"])
      expect(() => operatorFlags(["--webhook-cert-secret", wrong]), wrong).toThrow(
        /must be the namespace\/name of a Secret/,
      );
    expect(() => operatorFlags(["--cnf-max-response-bytes", "1e9"])).toThrow(/must be a number of bytes/);
    expect(operatorFlags(["--soak", "1h30m"]).soak).toBe(5_400_000);
    for (const wrong of ["60", "-1s", "169h", "soon"])
      expect(() => operatorFlags(["--soak", wrong]), wrong).toThrow(/must be a duration from 0s to 168h/);
    expect(operatorFlags(["--drift", "report"]).drift).toBe("report");
    expect(() => operatorFlags(["--drift", "ignore"])).toThrow(/must be one of repair, report/);
    expect(operatorFlags(["--confirm-changes", "30s"]).confirmChanges).toBe(30_000);
    expect(operatorFlags(["--confirm-changes", "off"]).confirmChanges).toBe(0);
    expect(() => operatorFlags(["--confirm-changes", "30"])).toThrow(/"30" is not a duration from 1s to 10m; set it/);
    write.mockRestore();
  });
});

describe("the options of npm start", () => {
  it("select the default samples, another folder, or none", () => {
    expect(demoOptions([], "/samples")).toEqual({
      port: 0,
      kubeconfigOut: ".kubewright/kubeconfig",
      samples: "/samples",
      once: false,
      output: "table",
      verbose: false,
    });
    expect(demoOptions(["--samples", "mine", "--once", "--output", "json"], "/samples")).toMatchObject({
      samples: "mine",
      once: true,
      output: "json",
    });
    expect(demoOptions(["--no-samples"], "/samples").samples).toBeUndefined();
  });
});

describe("the command line of a plan", () => {
  it("needs files or a purpose, and pairs for labels", () => {
    expect(() => planFlags([])).toThrow(
      "nothing to plan; pass files with -f, a CNF with --purpose, or resources with --delete",
    );
    expect(planFlags(["-f", "a", "-f", "b", "-l", "x=1,y=2", "--resolve", "a.b=10.0.0.1"])).toMatchObject({
      filename: ["a", "b"],
      label: { x: "1", y: "2" },
      resolve: { "a.b": "10.0.0.1" },
      output: "table",
      confirmChanges: 0,
      soak: 60_000,
    });
    expect(planFlags(["-f", "a", "--confirm-changes", "30s", "--soak", "5m"])).toMatchObject({
      confirmChanges: 30_000,
      soak: 300_000,
    });
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(() => planFlags(["-f", "a", "-l", "x"])).toThrow("must have the form name=value");
    write.mockRestore();
  });
});
