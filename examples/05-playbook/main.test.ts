import { Environment } from "@kubewright/envtest";
import { Client, isForbidden, isNotFound } from "kubewright";
import { operator, type RunningOperator } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { setup } from "./main.ts";
import { Playbook } from "./playbook.ts";
import { role } from "./role.ts";

const olivia = { name: "olivia", groups: ["ops", "system:masters"] };
const named = (name: string) => ({ namespace: "default", name });
let env: Environment;
let client: Client;
let running: RunningOperator;

beforeAll(async () => {
  env = await Environment.start({ crds: [Playbook], users: [olivia] });
  client = new Client({ connection: env.connection() });
  running = await operator(env, setup, {
    role,
    metrics: { bindAddress: "0" },
    webhooks: env.webhookOptions(),
  });
  await env.serve(running.manager);
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
});

const create = (name: string, abstract?: string, options = {}) =>
  client.create(
    Playbook,
    { metadata: named(name), spec: abstract === undefined ? {} : { abstract } },
    options,
  );

it("deletes a play at 100 percent, and not before", async () => {
  for (const name of ["first", "second"]) await create(name);
  await client.status.patch(Playbook, named("first"), { progress: 99 });
  await client.status.patch(Playbook, named("second"), { progress: 100 });
  await running.eventually(() =>
    expect(client.get(Playbook, named("second"))).rejects.toSatisfy(isNotFound),
  );
  expect((await client.get(Playbook, named("first"))).status).toEqual({
    progress: 99,
  });
});

it("fills in the abstract of a play", async () => {
  expect((await create("hamlet")).spec.abstract).toBe("The play of hamlet");
  expect((await create("lear", "A king and his daughters")).spec.abstract).toBe(
    "A king and his daughters",
  );
});

it("refuses the word yellow on create and update", async () => {
  const text =
    'spec.abstract: Invalid value: "The yellow king": must not contain the word yellow';
  await expect(create("king", "The yellow king")).rejects.toThrow(text);
  await create("king");
  await expect(
    client.patch(Playbook, named("king"), {
      spec: { abstract: "The yellow king" },
    }),
  ).rejects.toThrow(text);
});

it("allows only the group ops to delete an unfinished play", async () => {
  await create("othello");
  const refused = await client
    .delete(Playbook, named("othello"))
    .catch((error: unknown) => error);
  expect(refused).toSatisfy(isForbidden);
  expect(String(refused)).toContain(
    "only the group ops may delete an unfinished play",
  );
  await using ops = new Client({ connection: env.connection("olivia") });
  await ops.delete(Playbook, named("othello"));
  await expect(client.get(Playbook, named("othello"))).rejects.toSatisfy(
    isNotFound,
  );
});
