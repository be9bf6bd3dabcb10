import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { renamed, type UpgradeOf, upgradedFile } from "./upgraded-files.ts";

const lines = (...words: string[]): string => words.map((word) => `${word}\n`).join("");
const old = lines("a", "b", "c", "d", "e");
const now = lines("a", "B", "c", "d", "e");

const upgraded = (of: Partial<UpgradeOf>) =>
  upgradedFile("x", { base: old, yours: old, next: now, offered: undefined, ...of }, "new");

it.each<[string, Partial<UpgradeOf>, object]>([
  ["replaces what nobody touched", {}, { outcome: "replaced", text: now, base: now }],
  ["merges what was touched elsewhere", { yours: `${old}f\n` }, { outcome: "merged", text: `${now}f\n`, base: now }],
  ["keeps what it has no news of", { next: old, yours: "mine\n" }, { outcome: "same", text: "mine\n", base: old }],
  ["has nothing to do where it was done by hand", { yours: now }, { outcome: "same", text: now, base: now }],
  ["adds what is new", { base: undefined, yours: undefined }, { outcome: "added", text: now, base: now }],
  ["does not bring back what was taken away", { yours: undefined }, { outcome: "same", base: now }],
  ["takes away what it has no more", { next: undefined }, { outcome: "removed" }],
  ["but not what was touched", { next: undefined, yours: "mine\n" }, { outcome: "kept", text: "mine\n" }],
])("%s", (_what, of, expected) => {
  expect(upgraded(of)).toEqual({
    path: "x",
    ...expected,
    ...("message" in upgraded(of) ? { message: expect.any(String) } : {}),
  });
});

it("marks conflicting changes, and keeps the base until they are resolved", () => {
  const yours = lines("a", "mine", "c", "d", "e");
  const first = upgraded({ yours });
  expect(first).toEqual({
    path: "x",
    outcome: "conflict",
    text: lines("a", "<<<<<<< yours", "mine", "=======", "B", ">>>>>>> new", "c", "d", "e"),
    base: old,
    offered: now,
    message: "1 conflict to resolve",
  });
  const again = { base: first.base, offered: first.offered };
  expect(upgraded({ ...again, yours: first.text })).toMatchObject({
    outcome: "conflict",
    text: first.text,
    base: old,
    offered: now,
  });
  expect(upgraded({ ...again, yours })).toEqual({ path: "x", outcome: "same", text: yours, base: now });
  const later = lines("a", "B", "c", "d", "E");
  expect(upgraded({ ...again, yours, next: later })).toEqual({
    path: "x",
    outcome: "merged",
    text: lines("a", "mine", "c", "d", "E"),
    base: later,
  });
});

const before = `import { cachedKind, type ExpiringStore, PushStore } from "@kubewright/cache";
// cachedKind is explained in "the guide"
const store = new PushStore(() => {}), text = "cachedKind", mine = { uncachedPods: 1, notcachedKind: 2 };
new Manager({ uncached: [Secret], cacheOptions: { kinds: [cachedKind(Pod, {})] } });
controllerManagedBy(manager).watchesSource(source);
indexer.sharing("byNode", pod);
`;
const after = `import { byObject } from "@kubewright/cache";
import { type TTLStore, UndeltaStore } from "@kubewright/cache/tools";
// cachedKind is explained in "the guide"
const store = new UndeltaStore(() => {}), text = "cachedKind", mine = { uncachedPods: 1, notcachedKind: 2 };
new Manager({ disableFor: [Secret], cacheOptions: { kinds: [byObject(Pod, {})] } });
controllerManagedBy(manager).watchesRawSource(source);
indexer.index("byNode", pod);
`;

it("replaces names from earlier versions, but not in strings, comments, other names and files without Kubewright", () => {
  expect(renamed(before)).toBe(after);
  expect(renamed(after)).toBe(after);
  const others = before.replace("@kubewright/cache", "./cache.ts");
  expect(renamed(others)).toBe(others);
});

it("replaces only names that the file imports from the package that renamed them", () => {
  const both = (entry: string, call: string): string =>
    `import { forbidden } from "@kubewright/apimachinery";\nimport { ${entry} } from "@kubewright/webhook";\n${call}\n`;
  expect(renamed(both("forbidden as no", 'throw no("x");'))).toBe(both("refused as no", 'throw no("x");'));
  const own = 'import { forbidden } from "@kubewright/apimachinery";\nthrow forbidden("x");\n';
  expect(renamed(own)).toBe(own);
});

it.each([
  [
    "calls, spreads and conditions",
    "f(x ? forbidden : y, ...forbidden, forbidden)",
    "f(x ? refused : y, ...refused, refused)",
  ],
  [
    "members and keys of the same name",
    "a.forbidden({ forbidden: 1 }); a?.forbidden",
    "a.forbidden({ forbidden: 1 }); a?.forbidden",
  ],
  ["types", "let a: forbidden<forbidden>;", "let a: refused<refused>;"],
])("replaces an imported name in %s", (_, code, current) => {
  expect(renamed(`import { forbidden } from "kubewright/webhooks";\n${code}\n`)).toBe(
    `import { refused } from "kubewright/webhooks";\n${current}\n`,
  );
});

it("replaces names of types that a package shares with others, and of options", () => {
  const before = `import { LabelSelector } from "@kubewright/apimachinery";
import { isUnexpectedAnswerError, OpenWrtClient } from "@kubewright/openwrt";
import type { CnfAnswer } from "@kubewright/openwrt/testing";
new OpenWrtClient({ maxAnswerBytes: LabelSelector.everything });
`;
  expect(renamed(before)).toBe(`import { ParsedLabelSelector } from "@kubewright/apimachinery";
import { isUnexpectedResponseError, OpenWrtClient } from "@kubewright/openwrt";
import type { CnfResponse } from "@kubewright/openwrt/testing";
new OpenWrtClient({ maxResponseBytes: ParsedLabelSelector.everything });
`);
});

it("keeps the former name as an alias if the file uses the current one, and in re-exports", () => {
  expect(renamed('import { cachedKind } from "kubewright";\nconst byObject = cachedKind;\n')).toBe(
    'import { byObject as cachedKind } from "kubewright";\nconst byObject = cachedKind;\n',
  );
  expect(renamed('export { type PushStore, Cache } from "@kubewright/cache";\n')).toBe(
    'export { type UndeltaStore as PushStore } from "@kubewright/cache/tools";\nexport { Cache } from "@kubewright/cache";\n',
  );
});

it("replaces names from earlier versions during an upgrade and reports each file", async () => {
  using project = new ProjectFolder();
  await project.init();
  const path = join(project.root, "src/caches.ts");
  writeFileSync(path, before);
  const operator = project.files()["src/operator.ts"] ?? "";
  writeFileSync(join(project.root, "src/operator.ts"), `${operator}builder.watchesSource(source);\n`);
  const dry = await project.run("upgrade", "--dry-run");
  const lines = ["caches", "operator"].map(
    (name) => `src/${name}.ts replaced: contained names from earlier versions\n`,
  );
  expect(dry).toEqual({ code: 0, err: "", out: lines.join("") });
  expect(project.files()["src/caches.ts"]).toBe(before);
  expect(await project.run("upgrade")).toEqual(dry);
  expect(project.files()["src/caches.ts"]).toBe(after);
  expect(project.files()["src/operator.ts"]).toBe(`${operator}builder.watchesRawSource(source);\n`);
  expect(await project.run("upgrade")).toEqual({ code: 0, err: "", out: "" });
});
