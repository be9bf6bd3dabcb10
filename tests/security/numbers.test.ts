import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AttackedPlane } from "./attacked-plane.ts";

// A short text can describe a large number: arithmetic with it, or a list of that length, blocked the server or the controllers.
const maxWaitMs = 5_000;
const core = "/api/v1/namespaces/default";
const jobs = "/apis/batch/v1/namespaces/default/jobs";
const million = "9".repeat(1_000_000);
const container = { name: "c", image: "i" };
let plane: AttackedPlane;

beforeAll(async () => {
  plane = await AttackedPlane.start();
  await plane.untilThere(`${core}/serviceaccounts/default`);
});
afterAll(() => plane.stop());

describe("a quantity delays nobody", () => {
  it.each([
    ["far below zero digits", "1e-99999999", 201],
    ["far above", "1e99999999", 201],
    ["of a million digits", million, 201],
    ["of a million decimals", `0.${million}`, 201],
    ["of a million digits that is not valid", `${million}!`, 400],
  ])("%s", async (_, memory, expected) => {
    const pod = {
      metadata: { generateName: "q-" },
      spec: { containers: [{ ...container, resources: { limits: { memory } } }] },
    };
    const { status, text, worstWaitMs } = await plane.attack("POST", `${core}/pods`, pod);
    expect(status, text.slice(0, 500)).toBe(expected);
    expect(worstWaitMs).toBeLessThan(maxWaitMs);
  });
});

it.each([
  ["in a field", `{"metadata":{"name":"n","generation":${million}}}`, 400],
  ["in an unknown field", `{"metadata":{"generateName":"n-"},"q":${million}}`, 201],
])("a number of a million digits %s delays nobody", async (_, body, expected) => {
  const { status, worstWaitMs } = await plane.attack("POST", `${core}/configmaps`, body);
  expect(status).toBe(expected);
  expect(worstWaitMs).toBeLessThan(maxWaitMs);
});

describe("a grace period beyond any calendar", () => {
  it.each(["9000000000000000", "9007199254740993", "9223372036854775807"])(
    "%s s: the pod is deleted anyway",
    async (seconds) => {
      const body = { metadata: { generateName: "g-" }, spec: { nodeName: "n", containers: [container] } };
      const text = JSON.stringify(body).replace('"nodeName"', `"terminationGracePeriodSeconds":${seconds},"nodeName"`);
      const made = await plane.call("POST", `${core}/pods`, text);
      expect(made.status, made.text).toBe(201);
      const path = `${core}/pods/${made.body.metadata.name}`;
      const marked = await plane.attack("DELETE", path);
      expect(marked.status, marked.text).toBe(200);
      expect(marked.body.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
      expect((await plane.call("DELETE", `${path}?gracePeriodSeconds=5`)).status).toBe(200);
      expect((await plane.call("DELETE", `${path}?gracePeriodSeconds=0`)).status).toBe(200);
      expect((await plane.call("GET", path)).status).toBe(404);
    },
  );

  it.each([
    ["9000000000000", 200],
    ["9000000000000000000", 200],
    ["99999999999999999999", 400],
    [`${"9".repeat(10_000)}`, 400],
  ])("requested: %.30s", async (seconds, expected) => {
    const pod = { metadata: { generateName: "a-" }, spec: { nodeName: "n", containers: [container] } };
    const { name } = (await plane.call("POST", `${core}/pods`, pod)).body.metadata;
    const { status, text } = await plane.attack("DELETE", `${core}/pods/${name}?gracePeriodSeconds=${seconds}`);
    expect(status, text).toBe(expected);
  });
});

describe("indexes of a job", () => {
  const job = (name: string) => ({
    metadata: { name },
    spec: {
      suspend: true,
      completionMode: "Indexed",
      completions: 2_147_483_647,
      parallelism: 1,
      template: { spec: { restartPolicy: "Never", containers: [container] } },
    },
  });

  it("delay neither the server nor the controllers, however many there are", async () => {
    expect((await plane.call("POST", jobs, job("all"))).status).toBe(201);
    const status = { status: { completedIndexes: "0-2147483646" } };
    const path = `${jobs}/all`;
    const attack = await plane.attack("PATCH", `${path}/status`, status, "application/merge-patch+json");
    expect(attack.status, attack.text).toBe(200);
    await plane.call("PATCH", path, { spec: { suspend: false } }, "application/merge-patch+json");
    // the controller writes the number it has counted
    await expect.poll(async () => (await plane.call("GET", path)).body.status.succeeded).toBe(2_147_483_647);
    expect((await plane.attack("GET", "/readyz")).worstWaitMs).toBeLessThan(maxWaitMs);
  });

  it("may have the maximum number while none is done", async () => {
    const { spec, ...rest } = job("none");
    expect((await plane.call("POST", jobs, { ...rest, spec: { ...spec, suspend: false } })).status).toBe(201);
    await expect.poll(async () => (await plane.call("GET", `${jobs}/none`)).body.status.active).toBe(1);
    expect((await plane.attack("GET", "/readyz")).worstWaitMs).toBeLessThan(maxWaitMs);
  });

  it.each([
    ["0-2147483647", 'too large index: "2147483647"'],
    ["5-3", "non-increasing order, previous: 5, current: 3"],
    ["99999999999999999999", 'cannot convert string to integer for index: "99999999999999999999"'],
  ])("are refused if they are not valid: %s", async (completedIndexes, message) => {
    const name = `bad-${completedIndexes}`;
    await plane.call("POST", jobs, job(name));
    const patch = { status: { completedIndexes } };
    const answer = await plane.call("PATCH", `${jobs}/${name}/status`, patch, "application/merge-patch+json");
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(`error parsing completedIndexes: ${message}`);
  });
});

describe("a query delays nobody", () => {
  it.each([
    ["limit=9000000000000000000", 200],
    ["limit=99999999999999999999", 400],
    [`limit=${"9".repeat(10_000)}`, 400],
    [`timeout=${"9".repeat(10_000)}`, 400],
    [`timeout=${"9".repeat(10_000)}s`, 400],
    ["timeoutSeconds=9000000000000000", 200],
    ["labelSelector=a%3E9223372036854775808", 400],
    ["labelSelector=a%3E9223372036854775807", 200],
    [`resourceVersion=${"9".repeat(10_000)}`, 400],
  ])("%.40s", async (query, expected) => {
    const { status, text, worstWaitMs } = await plane.attack("GET", `${core}/configmaps?${query}`);
    expect(status, text.slice(0, 500)).toBe(expected);
    expect(worstWaitMs).toBeLessThan(maxWaitMs);
  });
});

it("a schedule that is never due delays the controllers no longer than one that is", async () => {
  const jobTemplate = { spec: { template: { spec: { restartPolicy: "Never", containers: [container] } } } };
  const path = "/apis/batch/v1/namespaces/default/cronjobs";
  const never = await plane.attack("POST", path, {
    metadata: { name: "never" },
    spec: { schedule: "0 0 31 2 *", jobTemplate },
  });
  expect(never.status).toBe(201);
  await sleep(500);
  expect((await plane.attack("GET", "/readyz")).worstWaitMs).toBeLessThan(maxWaitMs);
  const spec = { schedule: "@every 9999999999999h", jobTemplate };
  expect((await plane.call("POST", path, { metadata: { name: "late" }, spec })).status).toBe(422);
});
