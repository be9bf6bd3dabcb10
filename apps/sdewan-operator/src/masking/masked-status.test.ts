import { expect, it } from "vitest";
import { maskedStatus } from "./masked-status.ts";

it("contains no known secret anywhere, and is otherwise unchanged", () => {
  const status = { details: [{ note: "psk is k3y-of-two", "k3y-of-two": 1, up: "1" }], lines: "a\nb" };
  expect(maskedStatus(status, ["k3y-of-two"])).toEqual({
    details: [{ note: "psk is ***", "***": 1, up: "1" }],
    lines: "a b",
  });
  expect(maskedStatus(status, ["other-key"])).toEqual(status);
  expect(maskedStatus({ a: [Buffer.from("k3y-of-two").toString("base64")] }, ["k3y-of-two"])).toEqual({ a: ["***"] });
});

it("remains the same document even with very short secrets", () => {
  expect(maskedStatus([{ name: ",", up: 12, list: ["1,2"] }], [",", "12"])).toEqual([
    { name: "***", up: "***", list: ["1***2"] },
  ]);
});

it("hides values whose key names a secret", () => {
  const remote = { pre_shared_key: "unknown to us", local_private_cert: ["x"], luci_password: 7, gateway: "10.0.0.9" };
  expect(maskedStatus([remote], [])).toEqual([
    { pre_shared_key: "***", local_private_cert: "***", luci_password: "***", gateway: "10.0.0.9" },
  ]);
});

it("leaves anything but a document unchanged", () => {
  expect(maskedStatus(undefined, ["x"])).toBeUndefined();
  expect(maskedStatus(null, [])).toBeNull();
});

it("takes time for the document, not multiplied by the number of secrets, so a CNF that repeats a secret causes no delay", () => {
  const secrets = Array.from({ length: 200 }, (_, index) => `secret-number-${index}-of-all`);
  const status = [...Array.from({ length: 100_000 }, (_, index) => `x${index}`), "secret-number-7-of-all"];
  const beganMs = performance.now();
  const shown = maskedStatus(status, secrets);
  expect(performance.now() - beganMs).toBeLessThan(20_000); // comparing value by value would take minutes
  expect(shown).toEqual([...status.slice(0, -1), "***"]);
});

it("hides completely what is made to be expensive", () => {
  const secrets = Array.from({ length: 2_000 }, (_, index) => `secret-number-${index}-of-all`);
  const status = ["secr".repeat(10_000), "secret-number-7-of-all", "fine"];
  expect(maskedStatus(status, secrets)).toEqual(["***", "***", "***"]);
});
