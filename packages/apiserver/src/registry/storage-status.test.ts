import { StatusError } from "@kubewright/apimachinery";
import { StorageError } from "@kubewright/storage";
import { expect, it } from "vitest";
import { statusOfStorageError } from "./storage-status.ts";

const resource = { group: "", resource: "things" };
const statusOf = (error: StorageError) => {
  const found = statusOfStorageError(error, resource, "a");
  if (!(found instanceof StatusError)) throw new Error("not a status");
  return found.status;
};

it.each([
  ["KeyExists", "AlreadyExists", 409],
  ["KeyNotFound", "NotFound", 404],
  ["Expired", "Expired", 410],
  ["TooLargeResourceVersion", "Timeout", 504],
  ["InvalidContinueToken", "BadRequest", 400],
  ["InvalidResourceVersion", "BadRequest", 400],
] as const)("answers %s of a storage with %s, %i", (code, reason, number) => {
  expect(statusOf(new StorageError(code, "/core/things/n/a", "words"))).toMatchObject({ reason, code: number });
});

it("returns where a list with an expired page can continue, if the storage names it", () => {
  const expired = (detail: { readonly continue?: string }) => statusOf(new StorageError("Expired", "/", "old", detail));
  expect(expired({ continue: "token" }).metadata).toEqual({ continue: "token" });
  expect(expired({}).metadata?.continue).toBeUndefined();
});

it("reports the cause of a version that is too large, and when to retry", () => {
  expect(statusOf(new StorageError("TooLargeResourceVersion", "/", "words"))).toMatchObject({
    message: "Timeout: words",
    details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
  });
});

it.each([
  [
    "ResourceVersionConflict",
    409,
    'Operation cannot be fulfilled on things "a": the object has been modified; please apply your changes to the latest version and try again',
  ],
  [
    "InvalidObject",
    409,
    'Operation cannot be fulfilled on things "a": StorageError: invalid object, Code: 4, Key: /registry/things/n/a, ResourceVersion: 0, AdditionalErrorMsg: words',
  ],
  ["KeyExists", 409, 'things "a" already exists'],
  ["KeyNotFound", 404, 'things "a" not found'],
  ["Expired", 410, "words"],
  ["TooLarge", 500, "words"],
  ["InvalidContinueToken", 400, "invalid continue token: words"],
  ["InvalidResourceVersion", 400, "invalid resource version: resourceVersion: Invalid value: words"],
] as const)("words %s as upstream does", (code, number, message) => {
  expect(statusOf(new StorageError(code, "/core/things/n/a", "words"))).toMatchObject({ code: number, message });
});

it("answers whatever else a storage reports with an internal error", () => {
  expect(statusOf(new StorageError("Other" as "TooLarge", "/", "words"))).toMatchObject({
    ...{ code: 500, reason: "InternalError" },
    message: expect.stringContaining("words"),
  });
});

it("leaves other errors as they are", () => {
  const other = new Error("x");
  expect(statusOfStorageError(other, resource, "a")).toBe(other);
});
