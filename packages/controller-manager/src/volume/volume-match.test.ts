import type { PersistentVolume, PersistentVolumeClaim } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { matchingVolume, mismatchOf } from "./volume-match.ts";

const volume = (name: string, storage: string, spec: object = {}): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: { capacity: { storage }, accessModes: ["ReadWriteOnce"], ...spec },
  status: { phase: "Available" },
});

const claim = (storage: string, spec: object = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default", uid: "1" },
  spec: { resources: { requests: { storage } }, accessModes: ["ReadWriteOnce"], ...spec },
});

it("chooses the smallest volume that is large enough", () => {
  const volumes = [volume("large", "9Gi"), volume("small", "1Gi"), volume("middling", "5Gi")];
  expect(matchingVolume(claim("2Gi"), volumes)?.metadata.name).toBe("middling");
  expect(matchingVolume(claim("20Gi"), volumes)).toBeUndefined();
});

it("prefers the volume reserved for the claim, and skips those reserved for others", () => {
  const mine = volume("mine", "9Gi", { claimRef: { namespace: "default", name: "data" } });
  const free = volume("free", "1Gi");
  expect(matchingVolume(claim("1Gi"), [free, mine])).toBe(mine);
  const taken = volume("taken", "1Gi", { claimRef: { namespace: "default", name: "data", uid: "2" } });
  expect(matchingVolume(claim("1Gi"), [taken])).toBeUndefined();
});

it("reports why a volume does not match", () => {
  const offered = volume("v", "1Gi", { storageClassName: "fast" });
  expect(mismatchOf(offered, claim("2Gi"))).toBe("requested PV is too small");
  expect(mismatchOf(offered, claim("1Gi"))).toBe("storageClassName does not match");
  const fast = { storageClassName: "fast" };
  expect(mismatchOf(offered, claim("1Gi", { ...fast, volumeMode: "Block" }))).toBe("incompatible volumeMode");
  expect(mismatchOf(offered, claim("1Gi", { ...fast, accessModes: ["ReadWriteMany"] }))).toBe(
    "incompatible accessMode",
  );
  expect(mismatchOf(offered, claim("1Gi", fast))).toBeUndefined();
});
