import type { Writer } from "@kubewright/client";
import { SelfSubjectReview } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { ownUser } from "./operator-user.ts";

/** Returns a client of an API server that returns these responses one after another, and throws errors. */
function answering(...answers: readonly (object | Error | undefined)[]) {
  const asked: unknown[] = [];
  const create = async (kind: unknown): Promise<unknown> => {
    const answer = answers[asked.push(kind) - 1];
    if (answer instanceof Error) throw answer;
    return { metadata: { name: "" }, status: answer };
  };
  return { asked, user: ownUser({ create: create as Writer["create"] }) };
}

it("queries the user name of the client once", async () => {
  const { user, asked } = answering({ userInfo: { username: "operator" } });
  expect(await Promise.all([user(), user()])).toEqual(["operator", "operator"]);
  expect(await user()).toBe("operator");
  expect(asked).toEqual([SelfSubjectReview]);
});

it("rejects an empty name, which others could also have, and queries again after a failure", async () => {
  const nameless = [undefined, {}, { userInfo: {} }, { userInfo: { username: "" } }];
  const { user, asked } = answering(...nameless, new Error("no route"), { userInfo: { username: "operator" } });
  for (const _ of nameless) await expect(user()).rejects.toThrow("does not report the user name of this operator");
  await expect(user()).rejects.toThrow("no route");
  expect(await user()).toBe("operator");
  expect(asked).toHaveLength(nameless.length + 2);
});
