import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { readProject } from "./project.ts";

it.each([
  ["name", '../../x"); evil("', 'name: "../../x\\"); evil(\\"": a name is at most 40 lower-case letters'],
  ["domain", "example.com\n", 'domain: "example.com\\n": a domain has lower-case names and dots'],
  ["version", "1 --registry=http://evil.example", "must be a version, such as "],
])("takes no %s that is none out of kubewright.json", (field, value, message) => {
  using project = new ProjectFolder();
  const path = join(project.root, "kubewright.json");
  const good = { name: "shop", domain: "example.com", version: "0.1.0" };
  writeFileSync(path, JSON.stringify(good));
  expect(readProject(path)).toMatchObject(good);
  writeFileSync(path, JSON.stringify({ ...good, [field]: value }));
  expect(() => readProject(path)).toThrow(message);
});
