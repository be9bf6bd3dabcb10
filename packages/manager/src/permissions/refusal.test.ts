import { expect, it } from "vitest";
import { refuserOf } from "./refusal.ts";

it.each([
  ["authorizer", 'pods "b" is forbidden: User "jane" cannot get resource "pods" in API group "" in the namespace "a"'],
  ["authorizer", 'forbidden: User "jane" cannot get path "/metrics"'],
  ["more", 'roles "b" is forbidden: user "jane" is attempting to grant RBAC permissions not currently held:'],
  ["admission", 'pods "b" is forbidden: exceeded quota: few, requested: pods=1'],
  ["admission", 'admission webhook "guard.example.com" denied the request: you cannot do that'],
] as const)("is refused by the %s: %s", (refuser, said) => {
  expect(refuserOf(said)).toBe(refuser);
});
