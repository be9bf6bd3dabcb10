import { stringifyJson } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { parseManifests } from "./parse-manifests.ts";

const map = (name: string, data = ""): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${data}`;
const messages = (text: string): string[] =>
  parseManifests(text, "a.yaml").unreadable.map(({ source, error }) => `${source}: ${error.message}`);

it("splits documents and lists, and reports the source of each object", () => {
  const list = `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "c"}}]}`;
  const { manifests, unreadable } = parseManifests(
    `# head\n---\n${map("a")}---\n\n--- # next\n${map("b")}---\n${list}\n`,
    "x.yaml",
  );
  expect(manifests.map(({ source, object }) => [source, object.metadata.name])).toEqual([
    ["x.yaml, document 1", "a"],
    ["x.yaml, document 2", "b"],
    ["x.yaml, document 3, item 1", "c"],
  ]);
  expect(unreadable).toEqual([]);
  expect(parseManifests(map("a"), "one.yaml").manifests[0]?.source).toBe("one.yaml");
  expect(parseManifests("# nothing\n---\n", "none.yaml")).toEqual({ manifests: [], unreadable: [] });
});

it("reads values as kubectl sends them", () => {
  const data = "data: {on: 80:80, when: 2026-01-01, flag: yes, mode: 0644, large: 9007199254740993, text: '1'}\n";
  const [manifest] = parseManifests(map("a", data), "a.yaml").manifests;
  expect(manifest?.object.data).toEqual({
    true: "80:80",
    when: "2026-01-01",
    flag: true,
    mode: 420,
    large: 9007199254740992,
    text: "1",
  });
  expect(stringifyJson(manifest?.object)).toContain('"large":9007199254740993,');
  const [list] = parseManifests(map("b", "data: [1, 9007199254740993, {a: -9007199254740993}]\n"), "b.yaml").manifests;
  expect(stringifyJson(list?.object)).toContain('"data":[1,9007199254740993,{"a":-9007199254740993}]');
});

it("reads the other documents if one cannot be read", () => {
  const text = [map("a"), "a: [\n", map("b"), "- 1\n", map("c", "data: {x: a, x: b}\n")].join("---\n");
  const { manifests } = parseManifests(text, "a.yaml");
  expect(manifests.map(({ object }) => object.metadata.name)).toEqual(["a", "b"]);
  const errors = messages(text);
  expect(errors).toHaveLength(3);
  expect(errors[0]).toMatch(/^a\.yaml, document 2: Flow sequence .* at line \d/);
  expect(errors[1]).toBe("a.yaml, document 4: is not a Kubernetes object; it needs apiVersion, kind and metadata.name");
  expect(errors[2]).toBe('a.yaml, document 5: key "x" occurs more than once in a mapping');
});

it("names the field that is wrong", () => {
  expect(messages("kind: Pod\nmetadata: {name: a}\n")).toEqual([
    "a.yaml: apiVersion: is missing; every object needs one, such as apps/v1",
  ]);
  expect(messages("apiVersion: v1\nkind: Pod\nmetadata: {}\n")).toEqual([
    "a.yaml: metadata.name: is missing; every object needs one",
  ]);
  expect(messages("apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}\n")[0]).toContain(
    "a generated name is different each time",
  );
});

it("refuses documents that are too large, too deep, or too large with expanded aliases", () => {
  expect(messages(map("a", `data: {x: "${"a".repeat(3 * 1024 * 1024)}"}\n`))[0]).toMatch(
    /API servers accept at most 3145728 bytes$/,
  );
  expect(messages(`a: ${"[".repeat(100_000)}`)[0]).toBe("a.yaml: is nested too deeply to be read");
  expect(messages(`{"a": ${"[".repeat(100_000)}`)[0]).toBe("a.yaml: is nested too deeply to be read");
  expect(messages("- ".repeat(100_000))[0]).toBe("a.yaml: is nested too deeply to be read");
  const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(", ")}]`);
  expect(messages(["l0: &l0 [x]", ...levels].join("\n"))[0]).toContain("alias");
  const wide = `big: &big [${"x,".repeat(50_000)}]\nmore: [${"*big,".repeat(99)}]\n`;
  expect(messages(map("a", wide))[0]).toBe("a.yaml: is longer than 3145728 bytes once its aliases are expanded");
  const long = `big: &big ${"x".repeat(50_000)}\nmore: [${"*big,".repeat(99)}]\n`;
  expect(messages(map("a", long))[0]).toContain("once its aliases are expanded");
  expect(messages("x".repeat(33 * 1024 * 1024))).toEqual(["a.yaml: is larger than 33554432 bytes; split it"]);
  const half = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\na: 1\n";
  const tooMany = parseManifests(half.repeat(5_001), "a.yaml");
  expect(tooMany.manifests).toEqual([]);
  expect(tooMany.unreadable.map(({ error }) => error.message)).toEqual(["contains more than 10000 objects; split it"]);
});
