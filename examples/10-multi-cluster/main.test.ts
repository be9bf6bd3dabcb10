import { Environment } from "@kubewright/envtest";
import { Client, isNotFound } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { program, type RunningProgram } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copied, wanted } from "./controller.ts";
import { main } from "./main.ts";
import { hubRole, memberRole } from "./role.ts";

const named = (name: string) => ({ namespace: "default", name });
let hubEnv: Environment;
let memberEnv: Environment;
let hub: Client;
let member: Client;
let running: RunningProgram;

const start = () =>
  program(
    [
      { env: hubEnv, role: hubRole },
      { env: memberEnv, role: memberRole },
    ],
    ([hub, member], signal) => main({ hub, member }, signal),
  );

beforeAll(async () => {
  [hubEnv, memberEnv] = await Promise.all([
    Environment.start(),
    Environment.start(),
  ]);
  hub = new Client({ connection: hubEnv.connection() });
  member = new Client({ connection: memberEnv.connection() });
  running = await start();
});
afterAll(async () => {
  await running.stop();
  for (const client of [hub, member]) await client.close();
  for (const env of [hubEnv, memberEnv]) await env.stop();
});

const create = (
  client: Client,
  name: string,
  text: string,
  labels: Record<string, string> = {},
) =>
  client.create(ConfigMap, {
    metadata: { ...named(name), labels },
    data: { text },
  });
const copyOf = (name: string) => member.get(ConfigMap, named(name));
const copyIs = (name: string, text: string) =>
  running.eventually(async () =>
    expect((await copyOf(name)).data).toEqual({ text }),
  );
const isGone = (name: string) =>
  running.eventually(() => expect(copyOf(name)).rejects.toSatisfy(isNotFound));

it("copies a labeled ConfigMap, updates the copy, and deletes it with the original", async () => {
  await create(hub, "own", "not for members");
  await create(hub, "greeting", "hello", { [wanted]: "yes" });
  await copyIs("greeting", "hello");
  expect((await copyOf("greeting")).metadata.labels).toEqual({
    [copied]: "yes",
  });
  await hub.patch(ConfigMap, named("greeting"), {
    data: { text: "good morning" },
  });
  await copyIs("greeting", "good morning");
  await hub.delete(ConfigMap, named("greeting"));
  await isGone("greeting");
  await isGone("own");
});

it("restores copies that somebody changes or deletes in the member", async () => {
  await create(hub, "rules", "be kind", { [wanted]: "yes" });
  await copyIs("rules", "be kind");
  await member.patch(ConfigMap, named("rules"), { data: { text: "be quick" } });
  await copyIs("rules", "be kind");
  await member.delete(ConfigMap, named("rules"));
  await copyIs("rules", "be kind");
  await hub.patch(ConfigMap, named("rules"), {
    metadata: { labels: { [wanted]: null } },
  });
  await isGone("rules");
});

it("leaves the member's own objects unchanged", async () => {
  await create(member, "local", "ours");
  await create(hub, "local", "theirs", { [wanted]: "yes" });
  await create(hub, "after", "x", { [wanted]: "yes" });
  await copyIs("after", "x");
  expect((await copyOf("local")).data).toEqual({ text: "ours" });
});

it("deletes the copies of objects that were deleted while it was down", async () => {
  await create(hub, "brief", "here", { [wanted]: "yes" });
  await copyIs("brief", "here");
  await running.stop();
  await hub.delete(ConfigMap, named("brief"));
  expect((await copyOf("brief")).data).toEqual({ text: "here" });
  running = await start();
  await isGone("brief");
});
