import { keyOf, metadataOnly } from "@kubewright/apimachinery";
import { Secret } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { describe, expect, it, vi } from "vitest";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { SecretCache, withoutContents } from "./secret-cache.ts";

const text = (value: string): string => Buffer.from(value).toString("base64");

function start() {
  const cluster = new FakeCluster();
  const clock = new FakeClock();
  const live = { ...cluster.client, get: vi.fn(cluster.client.get) };
  const cache = new SecretCache({ live: live as typeof cluster.client, clock });
  const put = (name: string, password: string) =>
    cluster.put(Secret, { metadata: { name, namespace: "default" }, data: { password: text(password) } });
  const read = (name: string) =>
    cache.value(cluster.client, `default/${name}`, "password", ({ data }) => data?.password);
  return { cluster, clock, live, cache, put, read };
}

describe("SecretCache", () => {
  it("reads a Secret once per version, regardless of the number of concurrent callers", async () => {
    const { live, put, read } = start();
    put("account", "first");
    const values = await Promise.all([read("account"), read("account"), read("account")]);
    expect(new Set(values.map((value) => value?.text))).toEqual(new Set([text("first")]));
    await read("account");
    expect(live.get).toHaveBeenCalledTimes(1);
    put("account", "second");
    expect((await read("account"))?.text).toBe(text("second"));
    expect(live.get).toHaveBeenCalledTimes(2);
  });

  it("keeps no Secret that was not requested, was deleted, or was not requested for some time", async () => {
    const { cluster, clock, live, cache, put, read } = start();
    for (const name of ["account", "certificate", "other"]) put(name, "x");
    await read("account");
    await read("certificate");
    expect(cache.size).toBe(2);
    cluster.remove(Secret, "default/account");
    expect(await read("account")).toBeUndefined();
    expect(cache.size).toBe(1);
    await clock.advance(700_000);
    expect(await read("account")).toBeUndefined();
    expect(cache.size).toBe(0);
    await read("certificate");
    expect(live.get.mock.calls.map(([, key]) => key)).toEqual([
      "default/account",
      "default/certificate",
      "default/certificate",
    ]);
  });

  it("keeps at most the 4,096 Secrets that were read last", async () => {
    const { cache, put, read, live } = start();
    const names = Array.from({ length: 4_100 }, (_, index) => `account-${index}`);
    for (const [index, name] of names.entries()) {
      put(name, "x");
      await read(name);
      expect(cache.size).toBe(Math.min(index + 1, 4_096));
    }
    await read(names.at(-1) ?? "");
    await read(names[4] ?? "");
    expect(live.get).toHaveBeenCalledTimes(4_100);
    await read(names[3] ?? "");
    expect(live.get).toHaveBeenCalledTimes(4_101);
  });

  it("retries a failed read", async () => {
    const { live, put, read } = start();
    put("account", "x");
    live.get.mockRejectedValueOnce(new Error("cut off"));
    await expect(read("account")).rejects.toThrow("cut off");
    expect((await read("account"))?.text).toBe(text("x"));
  });
});

it("a cache keeps only identifying metadata of a Secret, and nothing that may repeat its data", () => {
  const kind = metadataOnly(Secret);
  const metadata = { name: "a", namespace: "b", uid: "u", resourceVersion: "7" };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"eA=="}}' };
  const seen = { apiVersion: "v1", kind: kind.kind, metadata: { ...metadata, annotations, labels: { c: "d" } } };
  expect(withoutContents({ ...seen, data: { password: "eA==" } } as typeof seen)).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata,
  });
  expect(keyOf(withoutContents(seen))).toBe("b/a");
});
