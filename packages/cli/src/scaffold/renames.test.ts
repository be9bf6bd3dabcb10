import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { renamed } from "./renames.ts";

const before = `import { cachedKind, PushStore, SimpleInformer, type SimpleInformerOptions } from "@kubewright/cache";
// cachedKind is explained in "the guide"
const store = new PushStore(() => {}), text = "cachedKind", mine = { uncachedPods: 1, notcachedKind: 2 };
new Manager({ uncached: [Secret], cacheOptions: { kinds: [cachedKind(Pod, {})] } });
controllerManagedBy(manager).watchesSource(source);
indexer.sharing("byNode", pod);
`;
const after = `import { byObject, UndeltaStore, Informer, type InformerOptions } from "@kubewright/cache";
// cachedKind is explained in "the guide"
const store = new UndeltaStore(() => {}), text = "cachedKind", mine = { uncachedPods: 1, notcachedKind: 2 };
new Manager({ disableFor: [Secret], cacheOptions: { kinds: [byObject(Pod, {})] } });
controllerManagedBy(manager).watchesRawSource(source);
indexer.index("byNode", pod);
`;

it("replaces names, but not in texts, comments, other names and files without Kubewright", () => {
  expect(renamed(before)).toBe(after);
  expect(renamed(after)).toBe(after);
  const others = before.replace("@kubewright/cache", "./cache.ts");
  expect(renamed(others)).toBe(others);
});

it("is part of an upgrade, which reports each file", async () => {
  using project = new ProjectFolder();
  await project.init();
  const path = join(project.root, "src/caches.ts");
  writeFileSync(path, before);
  const operator = project.files()["src/operator.ts"] ?? "";
  writeFileSync(join(project.root, "src/operator.ts"), `${operator}builder.watchesSource(source);\n`);
  const dry = await project.run("upgrade", "--dry-run");
  const lines = ["caches", "operator"].map((name) => `src/${name}.ts replaced: names of earlier versions\n`);
  expect(dry).toEqual({ code: 0, err: "", out: lines.join("") });
  expect(project.files()["src/caches.ts"]).toBe(before);
  expect(await project.run("upgrade")).toEqual(dry);
  expect(project.files()["src/caches.ts"]).toBe(after);
  expect(project.files()["src/operator.ts"]).toBe(`${operator}builder.watchesRawSource(source);\n`);
  expect(await project.run("upgrade")).toEqual({ code: 0, err: "", out: "" });
});
