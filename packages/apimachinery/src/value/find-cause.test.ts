import { describe, expect, expectTypeOf, it } from "vitest";
import {
  alreadyExists,
  gone,
  hasStatusCause,
  ignoreAlreadyExists,
  ignoreNotFound,
  isAlreadyExists,
  isConflict,
  isExpired,
  isNotFound,
  isStatusError,
  isTooManyRequests,
  notFound,
  StatusError,
  tooManyRequests,
} from "../error/status-error.ts";
import { AlreadyOwnedError, isAlreadyOwnedError } from "../object/owner-reference.ts";
import { isNoMatch, NoMatchError } from "../object/rest-mapper.ts";
import { findCause, isCutShort } from "./find-cause.ts";

const pods = { group: "", resource: "pods" };
const wrapped = (error: unknown, times = 1): unknown =>
  times === 0 ? error : wrapped(new Error("while doing something", { cause: error }), times - 1);

describe("what an error is", () => {
  it("is found in its causes", () => {
    expect(isNotFound(wrapped(notFound(pods, "a")))).toBe(true);
    expect(isNotFound(wrapped(notFound(pods, "a"), 5))).toBe(true);
    expect(isConflict(wrapped(notFound(pods, "a")))).toBe(false);
    expect(isAlreadyExists(wrapped(alreadyExists(pods, "a")))).toBe(true);
    expect(isExpired(wrapped(gone("too old")))).toBe(true);
    expect(isTooManyRequests(wrapped(tooManyRequests("later", 1)))).toBe(true);
    expect(isNoMatch(wrapped(new NoMatchError("no matches")))).toBe(true);
    const owner = { apiVersion: "v1", kind: "Pod", name: "a", uid: "1" };
    expect(isAlreadyOwnedError(wrapped(new AlreadyOwnedError({ metadata: { name: "a" } }, owner)))).toBe(true);
    const terminating = new StatusError({
      ...notFound(pods, "a").status,
      details: { causes: [{ reason: "NamespaceTerminating" }] },
    });
    expect(hasStatusCause(wrapped(terminating), "NamespaceTerminating")).toBe(true);
    expect(ignoreNotFound(wrapped(notFound(pods, "a")))).toBeUndefined();
    expect(ignoreAlreadyExists(wrapped(alreadyExists(pods, "a")))).toBeUndefined();
    expect(() => ignoreNotFound(wrapped(alreadyExists(pods, "a")))).toThrow("while doing something");
  });

  it("is what the first API error of the chain says, not one behind it", () => {
    const conflictAfterAll = new StatusError(alreadyExists(pods, "a").status, { cause: notFound(pods, "b") });
    expect(isNotFound(conflictAfterAll)).toBe(false);
    expect(isAlreadyExists(conflictAfterAll)).toBe(true);
  });

  it("ignores the status behind a kind that is not served", () => {
    expect(isNotFound(new NoMatchError("no matches", { cause: notFound(pods, "a") }))).toBe(false);
    expect(isNotFound(wrapped(new NoMatchError("no matches", { cause: notFound(pods, "a") })))).toBe(false);
  });

  it("is not searched in the errors of an AggregateError", () => {
    expect(isNotFound(new AggregateError([notFound(pods, "a"), new Error("more")]))).toBe(false);
  });

  it("is searched to a limited depth", () => {
    const first = new Error("a");
    const second = new Error("b", { cause: first });
    first.cause = second;
    expect(isNotFound(first)).toBe(false);
    expect(isNotFound(wrapped(notFound(pods, "a"), 31))).toBe(true);
    expect(isNotFound(wrapped(notFound(pods, "a"), 32))).toBe(false);
    for (const nothing of [undefined, null, "text", 0, { cause: notFound(pods, "a") }])
      expect(isNotFound(nothing)).toBe(false);
  });
});

describe("findCause", () => {
  it("returns the error that the guard accepts, with its type", () => {
    const inner = tooManyRequests("later", 3);
    const found = findCause(wrapped(inner, 2), isStatusError);
    expect(found).toBe(inner);
    expectTypeOf(found).toEqualTypeOf<StatusError | undefined>();
    expect(findCause(new Error("none"), isStatusError)).toBeUndefined();
  });

  it("ends at a cause that cannot be read, and in a circle", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const circular = new Error("circular");
    circular.cause = circular;
    for (const thrown of [proxy, new Error("x", { cause: proxy }), circular])
      expect(findCause(thrown, isStatusError)).toBeUndefined();
  });
});

it("recognises a failure because of a signal at any place in the chain of causes", () => {
  const deposed = Object.assign(new Error("deposed"), { name: "NotLeadingError" });
  const other = Object.assign(new Error("not sent"), { name: "NotLeadingError" });
  const signal = AbortSignal.abort(deposed);
  const abortError = new DOMException("aborted", "AbortError");
  const wrapped = new Error("while reading", { cause: abortError });
  const stopping = Object.assign(new Error("the cache is stopping"), { isInterruption: true });
  for (const error of [deposed, other, abortError, wrapped, stopping]) expect(isCutShort(error, signal)).toBe(true);
  expect(isCutShort(new Error("no"), signal)).toBe(false);
  expect(isCutShort(new Error("no"), AbortSignal.abort(new Error("stop")))).toBe(false);
  expect(isCutShort(abortError, new AbortController().signal)).toBe(false);
});
