import { expect, it } from "vitest";
import { nameErrorOf } from "./name-error.ts";

it.each([
  [Object.assign(new Error("getaddrinfo EAI_AGAIN a"), { code: "EAI_AGAIN" }), "EAI_AGAIN"],
  [new Error("the resolver is off"), "the resolver is off"],
  ["no", "no"],
  [{ code: "ENOTFOUND" }, "[object Object]"],
])("reports why a name cannot be resolved at the moment: %s", (cause, reason) => {
  const error = nameErrorOf("a.example", cause);
  expect(error.message).toBe(`a.example cannot be resolved at the moment: ${reason}`);
  expect([error.doesNotExist, error.cause]).toEqual([false, cause]);
});
