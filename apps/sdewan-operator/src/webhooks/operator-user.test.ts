import type { Writer } from "@kubewright/client";
import { SelfSubjectReview } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { ownUser } from "./operator-user.ts";

/** An API server that answers each time with the next of these; an error is thrown. */
function answering(...answers: readonly (object | Error | undefined)[]) {
  const asked: unknown[] = [];
  const create = async (kind: unknown): Promise<unknown> => {
    const answer = answers[asked.push(kind) - 1];
    if (answer instanceof Error) throw answer;
    return { metadata: { name: "" }, status: answer };
  };
  return { asked, user: ownUser({ create: create as Writer["create"] }) };
}

it("asks once by which name the cluster knows who asks", async () => {
  const { user, asked } = answering({ userInfo: { username: "operator" } });
  expect(await Promise.all([user(), user()])).toEqual(["operator", "operator"]);
  expect(await user()).toBe("operator");
  expect(asked).toEqual([SelfSubjectReview]);
});

it("takes no name for none, since nobody is to pass for the operator, and asks again after a failure", async () => {
  const nameless = [undefined, {}, { userInfo: {} }, { userInfo: { username: "" } }];
  const { user, asked } = answering(...nameless, new Error("no route"), { userInfo: { username: "operator" } });
  for (const _ of nameless) await expect(user()).rejects.toThrow("does not say who this operator is to it");
  await expect(user()).rejects.toThrow("no route");
  expect(await user()).toBe("operator");
  expect(asked).toHaveLength(nameless.length + 2);
});
