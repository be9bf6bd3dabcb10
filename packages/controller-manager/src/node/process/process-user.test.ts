import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { closedTo, containerUser, ownUser, type ProcessUser, podGroup } from "./process-user.ts";

const needs = { meta: { needs: "root" } };

type Security = NonNullable<NonNullable<Pod["spec"]["containers"][number]["securityContext"]>>;

const root = { uid: 0, gid: 0 };
const developer = { uid: 1_000, gid: 1_001 };

function userOf(own: ProcessUser | undefined, ofPod: object, ...ofContainers: readonly Security[]) {
  const containers = ofContainers.map((securityContext, i) => ({ name: `c${i}`, image: "node", securityContext }));
  const pod = {
    metadata: { name: "p", namespace: "default" },
    spec: { securityContext: ofPod, containers },
  } as unknown as Pod;
  const [first] = pod.spec.containers;
  if (!first) throw new Error("no container");
  return containerUser(pod, first, own, podGroup(pod, own));
}

describe("a plane run by root", () => {
  it("starts containers as their user and group, and as 65532 by default", () => {
    expect(userOf(root, {}, {})).toMatchObject({ uid: 65_532 });
    expect(userOf(root, { runAsUser: 7, runAsGroup: 8 }, {})).toEqual({ uid: 7, gid: 8 });
    expect(userOf(root, { runAsUser: 7, runAsGroup: 8 }, { runAsUser: 9, runAsGroup: 10 })).toEqual({
      uid: 9,
      gid: 10,
    });
    expect(userOf(root, { runAsUser: 0, runAsGroup: 0 }, {})).toEqual(root);
    expect(userOf(root, { runAsNonRoot: true }, {})).toMatchObject({ uid: 65_532 });
  });

  it("gives a pod without a group one that is not used elsewhere", () => {
    const groups = [userOf(root, {}, {})?.gid, userOf(root, {}, {})?.gid];
    expect(groups[0]).not.toBe(groups[1]);
    const taken = 1_900_000_000;
    expect(() => userOf(root, { runAsGroup: taken }, {})).toThrow(
      "runAsGroup 1900000000: groups from 1879048192 to 2147352575 are reserved for pods without a group; choose another",
    );
    expect(userOf(root, { runAsGroup: 2_147_352_576 }, {})?.gid).toBe(2_147_352_576);
    expect(userOf(root, { runAsGroup: 1_879_048_191 }, {})?.gid).toBe(1_879_048_191);
  });

  it("refuses root if the pod forbids it, and conflicting groups", () => {
    const why = "container's runAsUser breaks non-root policy";
    expect(() => userOf(root, { runAsNonRoot: true }, { runAsUser: 0 })).toThrow(why);
    expect(() => userOf(root, { runAsUser: 0 }, { runAsNonRoot: true })).toThrow(why);
    expect(userOf(root, { runAsNonRoot: true }, { runAsNonRoot: false, runAsUser: 0 })?.uid).toBe(0);
    expect(() => userOf(root, {}, { runAsGroup: 5 }, { runAsGroup: 6 })).toThrow("need one group, not 5 and 6");
    expect(userOf(root, {}, {}, { runAsGroup: 6 })).toEqual({ uid: 65_532, gid: 6 });
  });
});

describe("a plane run by another user", () => {
  it("starts containers as that user", () => {
    expect(userOf(developer, {}, {})).toBe(undefined);
    expect(userOf(developer, { runAsNonRoot: true }, { runAsUser: 1_000, runAsGroup: 1_001 })).toBe(undefined);
    expect(userOf(undefined, { runAsNonRoot: true }, {})).toBe(undefined);
  });

  it.each([
    [
      developer,
      { runAsUser: 65_532 },
      "runAsUser 65532: the control plane runs as user 1000 and can start processes only as that user",
    ],
    [developer, { runAsUser: 0 }, "remove runAsUser, set it to 1000, or run the control plane as root"],
    [developer, { runAsGroup: 0 }, "remove runAsGroup, set it to 1001"],
    [undefined, { runAsUser: 5 }, "runAsUser 5: processes on Windows have no numeric user or group; remove it"],
  ])("run by %j, it refuses %j", (own, security, why) => {
    expect(() => userOf(own, security, {})).toThrow(why);
    expect(() => userOf(own, {}, security)).toThrow(why);
  });
});

it.runIf(ownUser()?.uid === 0)("finds the first folder of a path that a user cannot enter", needs, async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kubewright-user-")));
  const user = { uid: 65_532, gid: 4_242 };
  const program = join(folder, "bin/program");
  try {
    mkdirSync(join(folder, "bin"));
    writeFileSync(program, "");
    expect(await closedTo(user, program)).toBe(folder);
    expect(await closedTo({ uid: 0, gid: 0 }, program)).toBe(undefined);
    chmodSync(folder, 0o701);
    chmodSync(join(folder, "bin"), 0o750);
    expect(await closedTo(user, program)).toBe(join(folder, "bin"));
    chownSync(join(folder, "bin"), 0, user.gid);
    expect(await closedTo(user, program)).toBe(program);
    chmodSync(program, 0o100);
    chownSync(program, user.uid, 0);
    expect(await closedTo(user, program)).toBe(undefined);
    chmodSync(program, 0o071);
    expect(await closedTo(user, program)).toBe(program);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
