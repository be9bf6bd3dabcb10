import { FakeClock } from "@kubewright/clock/testing";
import { silentLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { openAuditor } from "./open-auditor.ts";

it.each(["auditLogMaxSize", "auditLogMaxAge", "auditLogMaxBackup"])(
  "refuses a %s of 0, and names the remedy",
  (name) => {
    const open = () => openAuditor({ auditLogPath: "-", [name]: 0 }, new FakeClock(), silentLogger);
    expect(open).toThrow(new RangeError(`${name} must be positive, got 0; use Infinity for no limit`));
  },
);
