import { aggregateFieldErrors } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { levelText, minorOf, policyOf, strictness } from "./pod-security-policy.ts";

const asks = (labels: Record<string, string>) => {
  const prefixed = Object.entries(labels).map(([name, value]) => [`pod-security.kubernetes.io/${name}`, value]);
  const { policy, errors } = policyOf(Object.fromEntries(prefixed));
  return [levelText(policy.enforce), levelText(policy.warn), errors.length === 0 ? "" : aggregateFieldErrors(errors)];
};
const wrong = (name: string, value: string, why: string) =>
  `metadata.labels[pod-security.kubernetes.io/${name}]: Invalid value: "${value}": ${why}`;
const level = "must be one of privileged, baseline, restricted";
const version = 'must be "latest" or "v1.x"';

/** @see pod-security-admission api helpers_test.go TestPolicyToEvaluate */
it.each<[Record<string, string>, string, string, string]>([
  [{}, "privileged:latest", "privileged:latest", ""],
  [{ enforce: "baseline" }, "baseline:latest", "baseline:latest", ""],
  [{ enforce: "restricted", "enforce-version": "v1.25" }, "restricted:v1.25", "restricted:v1.25", ""],
  [{ enforce: "baseline", "enforce-version": "v1.0", "warn-version": "v1.9" }, "baseline:v1.0", "baseline:v1.9", ""],
  [{ enforce: "baseline", warn: "restricted" }, "baseline:latest", "restricted:latest", ""],
  [
    { enforce: "baseline", "enforce-version": "v1.25", warn: "restricted", "warn-version": "latest" },
    "baseline:v1.25",
    "restricted:latest",
    "",
  ],
  [{ enforce: "baseline", "enforce-version": "v1.25", warn: "privileged" }, "baseline:v1.25", "privileged:latest", ""],
  [{ enforce: "privileged", "enforce-version": "v1.25" }, "privileged:v1.25", "privileged:latest", ""],
  [{ warn: "baseline" }, "privileged:latest", "baseline:latest", ""],
  [{ enforce: "strong" }, "restricted:latest", "privileged:latest", wrong("enforce", "strong", level)],
  [
    { enforce: "baseline", "enforce-version": "1.25" },
    "baseline:latest",
    "baseline:latest",
    wrong("enforce-version", "1.25", version),
  ],
  [
    { enforce: "baseline", "enforce-version": "v1.025" },
    "baseline:latest",
    "baseline:latest",
    wrong("enforce-version", "v1.025", version),
  ],
  [{ warn: "strong" }, "privileged:latest", "privileged:latest", wrong("warn", "strong", level)],
  [
    { warn: "baseline", "warn-version": "v2.0" },
    "privileged:latest",
    "baseline:latest",
    wrong("warn-version", "v2.0", version),
  ],
  [
    { audit: "strong", "audit-version": "x" },
    "privileged:latest",
    "privileged:latest",
    `[${wrong("audit", "strong", level)}, ${wrong("audit-version", "x", version)}]`,
  ],
])("labels %j set %s, with warnings %s", (labels, enforce, warn, errors) => {
  expect(asks(labels)).toEqual([enforce, warn, errors]);
});

it("levels have a minor version and a strictness", () => {
  expect([minorOf({ level: "baseline", version: "v1.25" }), minorOf({ level: "baseline", version: "latest" })]).toEqual(
    [25, Number.POSITIVE_INFINITY],
  );
  expect((["privileged", "baseline", "restricted"] as const).map(strictness)).toEqual([0, 1, 2]);
});
