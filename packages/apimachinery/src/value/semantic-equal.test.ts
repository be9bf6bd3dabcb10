import { describe, expect, it } from "vitest";
import { semanticEqual } from "./semantic-equal.ts";

const bothWays = (a: unknown, b: unknown): boolean => {
  const forth = semanticEqual(a, b);
  expect(semanticEqual(b, a)).toBe(forth);
  return forth;
};

describe("objects with the same meaning", () => {
  it.each([
    [
      { a: 1, b: [1, { c: 2 }] },
      { b: [1, { c: 2 }], a: 1 },
    ],
    [{ a: undefined, b: null }, {}],
    [{ list: [] }, {}],
    [{ metadata: { labels: {}, annotations: { x: undefined } } }, { metadata: {} }],
    [{ data: {}, binaryData: undefined }, {}],
    [{ metadata: { annotations: { constructor: undefined } } }, {}],
    [{ spec: { selector: { matchLabels: {} } } }, { spec: { selector: {} } }],
    [{ containers: [{ name: "a", resources: { limits: {} } }] }, { containers: [{ name: "a" }] }],
    [{ status: { loadBalancer: {} } }, {}],
    [{ limits: { cpu: "1000m", memory: "1Gi" } }, { limits: { cpu: "1", memory: "1024Mi" } }],
    [{ limits: { cpu: 1 } }, { limits: { cpu: "1" } }],
    [
      { hard: { "requests.cpu": "2000m", "count/pods": "1k" } },
      { hard: { "requests.cpu": "2", "count/pods": "1000" } },
    ],
    [{ emptyDir: { sizeLimit: "1Gi" } }, { emptyDir: { sizeLimit: "1024Mi" } }],
  ])("%j and %j", (a, b) => expect(bothWays(a, b)).toBe(true));
});

it("include integers beyond the range of a double", () => {
  expect(bothWays({ n: 9007199254740993n }, { n: 9007199254740993n })).toBe(true);
  expect(bothWays({ n: 9007199254740993n }, { n: 9007199254740992n })).toBe(false);
});

describe("objects with different meanings", () => {
  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: "1" }],
    [{ a: false }, {}],
    [{ a: 0 }, {}],
    [{ a: "" }, {}],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [[undefined], []],
    [{ a: [] }, { a: [{}] }],
    // What has no members may mean much.
    [{ volumes: [{ name: "a", emptyDir: {} }] }, { volumes: [{ name: "a" }] }],
    [{ from: [{ podSelector: {} }] }, { from: [{ namespaceSelector: {} }] }],
    [{ labelSelector: {} }, {}],
    // Texts of people's own.
    [{ data: { cpu: "1000m" } }, { data: { cpu: "1" } }],
    [{ data: { sizeLimit: "1000m" } }, { data: { sizeLimit: "1" } }],
    [{ data: { empty: "" } }, { data: {} }],
    [
      { metadata: { annotations: { "example.com/limits": "1000m" } } },
      { metadata: { annotations: { "example.com/limits": "1" } } },
    ],
    [{ labels: { limits: "1.0" } }, { labels: { limits: "1" } }],
    [{ env: [{ name: "a", value: "1000m" }] }, { env: [{ name: "a", value: "1" }] }],
    [{ limits: { cpu: "1001m" } }, { limits: { cpu: "1" } }],
    [{ limits: { rate: "1.0" } }, { limits: { rate: "1" } }],
    [{ limits: { cpu: "1" } }, { limits: {} }],
    // In a schema everything means itself.
    [{ openAPIV3Schema: { properties: { labels: {} } } }, { openAPIV3Schema: { properties: {} } }],
    [{ openAPIV3Schema: { default: null } }, { openAPIV3Schema: {} }],
    [
      { openAPIV3Schema: { enum: [{ limits: { cpu: "1" } }] } },
      { openAPIV3Schema: { enum: [{ limits: { cpu: "1000m" } }] } },
    ],
  ])("%j and %j", (a, b) => expect(bothWays(a, b)).toBe(false));

  it("are compared quickly with any value in place of a quantity", () => {
    const started = performance.now();
    expect(semanticEqual({ limits: { cpu: "1e-99999999" } }, { limits: { cpu: "1e-99999998" } })).toBe(false);
    expect(semanticEqual({ limits: { cpu: "1".repeat(1e6) } }, { limits: { cpu: "2".repeat(1e6) } })).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
