import type { Writer } from "@kubewright/client";
import { SelfSubjectReview } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { ownUser } from "./operator-user.ts";

/** Returns a client of an API server that returns these responses one after another, and throws errors. */
function responding(...responses: readonly (object | Error | undefined)[]) {
  const requests: unknown[] = [];
  const create = async (kind: unknown): Promise<unknown> => {
    const response = responses[requests.push(kind) - 1];
    if (response instanceof Error) throw response;
    return { metadata: { name: "" }, status: response };
  };
  return { requests, user: ownUser({ create: create as Writer["create"] }) };
}

it("queries the user name of the client once", async () => {
  const { user, requests } = responding({ userInfo: { username: "operator" } });
  expect(await Promise.all([user(), user()])).toEqual(["operator", "operator"]);
  expect(await user()).toBe("operator");
  expect(requests).toEqual([SelfSubjectReview]);
});

it("rejects an empty name, which others could also have, and queries again after a failure", async () => {
  const nameless = [undefined, {}, { userInfo: {} }, { userInfo: { username: "" } }];
  const { user, requests } = responding(...nameless, new Error("no route"), { userInfo: { username: "operator" } });
  for (const _ of nameless) await expect(user()).rejects.toThrow("does not report the user name of this operator");
  await expect(user()).rejects.toThrow("no route");
  expect(await user()).toBe("operator");
  expect(requests).toHaveLength(nameless.length + 2);
});
