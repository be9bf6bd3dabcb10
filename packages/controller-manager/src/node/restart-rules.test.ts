import { expect, it } from "vitest";
import { restartsAfter } from "./restart-rules.ts";

const main = { name: "main" };

it("uses the pod's policy, unless the container has its own or a rule for the code", () => {
  expect([0, 1].map((code) => restartsAfter("Always", main, code))).toEqual([true, true]);
  expect([0, 1].map((code) => restartsAfter("OnFailure", main, code))).toEqual([false, true]);
  expect([0, 1].map((code) => restartsAfter("Never", main, code))).toEqual([false, false]);
  const stubborn = { ...main, restartPolicy: "Always" };
  expect(restartsAfter("Never", stubborn, 0)).toBe(true);
  const ruled = {
    ...main,
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
  };
  expect([41, 42].map((code) => restartsAfter("Always", ruled, code))).toEqual([false, true]);
});
