import { describe, expect, it } from "vitest";
import { admitted, attributesOf, objectOf, refusal, resourceOf } from "../testing/attributes.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { runtimeClass } from "./runtime-class.ts";

const notReady = "node.kubernetes.io/not-ready";
const unreachable = "node.kubernetes.io/unreachable";
const five = (key: string) => ({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 });

/** @see kubernetes plugin/pkg/admission/defaulttolerationseconds admission_test.go */
describe("a pod stays five minutes", () => {
  it.each<[string, object[] | undefined, object[]]>([
    ["unless it has its own toleration", undefined, [five(notReady), five(unreachable)]],
    ["in addition to its own tolerations", [{ key: "a" }], [{ key: "a" }, five(notReady), five(unreachable)]],
    [
      "unless it has its own duration",
      [{ key: notReady, effect: "NoExecute", tolerationSeconds: 1 }],
      [{ key: notReady, effect: "NoExecute", tolerationSeconds: 1 }, five(unreachable)],
    ],
    ["unless it tolerates every effect", [{ key: unreachable }], [{ key: unreachable }, five(notReady)]],
    ["unless it tolerates everything", [{ operator: "Exists" }], [{ operator: "Exists" }]],
    ["unless it tolerates everything in empty words", [{ key: "", effect: "" }], [{ key: "", effect: "" }]],
    [
      "if it tolerates another effect",
      [{ key: notReady, effect: "NoSchedule" }],
      [{ key: notReady, effect: "NoSchedule" }, five(notReady), five(unreachable)],
    ],
  ])("%s", async (_what, tolerations, expected) => {
    const spec = tolerations ? { tolerations } : {};
    const found = await admitted(defaultTolerationSeconds, { object: objectOf({ spec }) });
    expect(found?.spec).toStrictEqual({ tolerations: expected });
  });

  it("for pods, not for other resources or subresources", async () => {
    for (const more of [
      { subresource: "status" },
      { resource: resourceOf("others") },
      { resource: resourceOf("pods", "x.io") },
    ]) {
      const found = await admitted(defaultTolerationSeconds, { object: objectOf({ spec: {} }), ...more });
      expect(found?.spec).toStrictEqual({});
    }
    expect(await admitted(defaultTolerationSeconds, { object: objectOf() })).toStrictEqual(objectOf());
    expect((["CREATE", "UPDATE", "DELETE"] as const).filter((one) => defaultTolerationSeconds.handles(one))).toEqual([
      "CREATE",
      "UPDATE",
    ]);
  });
});

/** @see kubernetes plugin/pkg/admission/runtimeclass admission_test.go */
describe("a pod's runtime class", () => {
  const overhead = { podFixed: { cpu: "100m" } };
  const toleration = { key: "a", operator: "Exists" };
  const classes: Record<string, object> = {
    plain: {},
    heavy: { overhead },
    picky: { scheduling: { nodeSelector: { zone: "a", disk: "ssd" }, tolerations: [toleration] } },
    open: { scheduling: {} },
  };
  const plugin = runtimeClass(async (name) => (classes[name] ? objectOf(classes[name], { name }) : undefined));
  const spec = (runtimeClassName: string, more: object = {}) => ({ runtimeClassName, ...more });
  const specAfter = async (one: object) => (await admitted(plugin, { object: objectOf({ spec: one }) }))?.spec;

  it.each<[string, object, object]>([
    ["if absent, changes nothing", { a: 1 }, { a: 1 }],
    ["if empty, changes nothing", spec("plain"), spec("plain")],
    ["adds its overhead", spec("heavy"), spec("heavy", { overhead: { cpu: "100m" } })],
    ["adds it to an empty one", spec("heavy", { overhead: {} }), spec("heavy", { overhead: { cpu: "100m" } })],
    [
      "may be met by the same overhead in other words",
      spec("heavy", { overhead: { cpu: "0.1" } }),
      spec("heavy", { overhead: { cpu: "100m" } }),
    ],
    [
      "adds its node selector and tolerations",
      spec("picky"),
      spec("picky", { nodeSelector: { zone: "a", disk: "ssd" }, tolerations: [toleration] }),
    ],
    [
      "joins that with the pod's",
      spec("picky", { nodeSelector: { zone: "a", b: "c" }, tolerations: [{ key: "b" }, toleration] }),
      spec("picky", { nodeSelector: { zone: "a", b: "c", disk: "ssd" }, tolerations: [{ key: "b" }, toleration] }),
    ],
    ["that runs anywhere changes nothing", spec("open"), spec("open")],
  ])("%s", async (_what, before, after) => {
    expect(await specAfter(before)).toStrictEqual(after);
  });

  it("must exist, without a conflict", async () => {
    await expect(specAfter(spec("gone"))).rejects.toThrow(
      'pods "web" is forbidden: pod rejected: RuntimeClass "gone" not found',
    );
    await expect(specAfter(spec("heavy", { overhead: { cpu: "1" } }))).rejects.toThrow(
      "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    );
    await expect(specAfter(spec("picky", { nodeSelector: { zone: "b" } }))).rejects.toThrow(
      "conflict: runtimeClass.scheduling.nodeSelector[zone] = a; pod.spec.nodeSelector[zone] = b",
    );
  });

  const set =
    'pods "web" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';
  const other = "pods \"web\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  it.each<[object, string | undefined]>([
    [{}, undefined],
    [{ overhead: { cpu: "1" } }, set],
    [spec("plain"), undefined],
    [spec("plain", { overhead: {} }), set],
    [spec("heavy", { overhead: { cpu: "100m" } }), undefined],
    [spec("heavy", { overhead: { cpu: "1" } }), other],
    [spec("heavy"), other],
  ])("is validated again: %j", async (one, message) => {
    expect(await refusal(plugin, { object: objectOf({ spec: one }) })).toBe(message);
  });

  it("matters only for pods, on create", async () => {
    const object = () => objectOf({ spec: spec("gone") });
    for (const more of [
      { subresource: "status" },
      { resource: resourceOf("others") },
      { resource: resourceOf("pods", "x.io") },
    ]) {
      await expect(admitted(plugin, { object: object(), ...more })).resolves.toBeDefined();
      expect(await refusal(plugin, { object: object(), ...more })).toBeUndefined();
    }
    expect((["CREATE", "UPDATE"] as const).filter((one) => plugin.handles(one))).toEqual(["CREATE"]);
    expect(attributesOf().object).toBeUndefined();
  });
});
