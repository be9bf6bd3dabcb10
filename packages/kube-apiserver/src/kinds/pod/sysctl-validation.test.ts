import { fieldPath } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { sysctlErrors } from "./sysctl-validation.ts";

const at = fieldPath("spec", "securityContext", "sysctls");

it("rejects sysctls with an invalid name, duplicates, or of a namespace shared with the host", () => {
  const names = ["foo-", "kernel.shmmax", "safe-and-unsafe", "bar..", "net/ipv4/tcp_syncookies", "kernel.shmmax"];
  const securityContext = { sysctls: names.map((name) => ({ name, value: "1" })) };
  const refused = sysctlErrors({ securityContext, hostNetwork: true }, at);
  expect(refused.map(({ field, type, badValue }) => [String(field), type, badValue])).toEqual([
    ["spec.securityContext.sysctls[0].name", "FieldValueInvalid", "foo-"],
    ["spec.securityContext.sysctls[3].name", "FieldValueInvalid", "bar.."],
    ["spec.securityContext.sysctls[4].name", "FieldValueInvalid", "net/ipv4/tcp_syncookies"],
    ["spec.securityContext.sysctls[5].name", "FieldValueDuplicate", "kernel.shmmax"],
  ]);
});
