import { describe, expect, it, vi } from "vitest";
import { demoOptions } from "../demo/options.ts";
import { operatorFlags } from "./operator-flags.ts";

describe("the operator's flags", () => {
  it("have the defaults that its manual says", () => {
    expect(operatorFlags([])).toEqual({
      metricsBindAddress: ":8080",
      healthProbeBindAddress: ":8081",
      leaderElect: false,
      checkInterval: 30,
      cnfScheme: "https",
      logLevel: "info",
    });
    expect(operatorFlags(["--cnf-scheme", "http", "--cnf-port", "8080", "--leader-elect"])).toMatchObject({
      cnfScheme: "http",
      cnfPort: 8080,
      leaderElect: true,
    });
  });

  it("are refused with a line that says what is wanted", () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    expect(() => operatorFlags(["--cnf-port", "x"])).toThrow(/want a number from 1 to 65535/);
    expect(() => operatorFlags(["--check-interval", "0"])).toThrow(/above 0/);
    write.mockRestore();
  });
});

describe("the options of npm start", () => {
  it("name the samples, another folder, or none", () => {
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
