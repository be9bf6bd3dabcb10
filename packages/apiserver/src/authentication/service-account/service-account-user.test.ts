import { expect, it } from "vitest";
import { serviceAccountOf, serviceAccountUser } from "./service-account-user.ts";

const account = { namespace: "default", name: "robot", uid: "sa" };

it.each([
  ["system:serviceaccount:default:robot", { namespace: "default", name: "robot" }],
  ["system:serviceaccount:default:", undefined],
  ["system:serviceaccount::robot", undefined],
  ["system:serviceaccount:default", undefined],
  ["system:serviceaccount:default:robot:more", undefined],
  ["jane", undefined],
])("%s is the account %j", (user, expected) => {
  expect(serviceAccountOf(user)).toEqual(expected);
});

it("contains only known attributes", () => {
  expect(serviceAccountUser(account)).not.toHaveProperty("extra");
  expect(
    serviceAccountUser({ ...account, node: { name: "", uid: "u" }, pod: { name: "p", uid: "" } }).extra,
  ).toStrictEqual({
    "authentication.kubernetes.io/pod-name": ["p"],
  });
});
