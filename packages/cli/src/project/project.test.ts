import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { readProject } from "./project.ts";

it.each([
  ["name", '../../x"); evil("', 'name: "../../x\\"); evil(\\"": must be at most 40 lower-case letters'],
  ["domain", "example.com\n", 'domain: "example.com\\n": must be lower-case names separated by dots'],
  ["version", "1 --registry=http://evil.example", "must be a version, such as "],
])("refuses an invalid %s in kubewright.json", (field, value, message) => {
  using project = new ProjectFolder();
  const path = join(project.root, "kubewright.json");
  const good = { name: "shop", domain: "example.com", version: "0.1.0" };
  writeFileSync(path, JSON.stringify(good));
  expect(readProject(path)).toMatchObject(good);
  writeFileSync(path, JSON.stringify({ ...good, [field]: value }));
  expect(() => readProject(path)).toThrow(message);
});

const good = { name: "shop", domain: "example.com", version: "0.1.0" };
const read = (more: unknown) => {
  using project = new ProjectFolder();
  const path = join(project.root, "kubewright.json");
  writeFileSync(path, typeof more === "string" ? more : JSON.stringify({ ...good, ...(more as object) }));
  return readProject(path);
};

it("reads present settings, and leaves out missing ones", () => {
  const usual = { ...good, namespaced: expect.any(Boolean), ci: expect.any(String) };
  expect(read({})).toEqual(usual);
  const settings = {
    base: "oci:base",
    deployment: { namespace: "a", image: "b", replicas: 0, args: ["c"], resources: {} },
    roles: { manager: { "a/b": "c" }, admin: {}, editor: {}, viewer: {} },
    rbac: { aggregate: true, notInView: ["Site"], apart: { "secret-reader": ["secrets"] } },
  };
  expect(read({ ...settings, namespaced: true, ci: "none" })).toEqual({
    ...good,
    ...settings,
    namespaced: true,
    ci: "none",
  });
});

it.each([
  [{ namespaced: "yes" }, 'namespaced: "yes": must be true or false'],
  [{ ci: "gitlab" }, 'ci: "gitlab": must be github or none'],
  [{ base: 1 }, "base: 1: must be a string"],
  [{ name: "" }, 'name: "": must be a non-empty string'],
  [{ version: "1.2" }, 'version: "1.2": must be a version'],
  [{ deployment: [] }, "deployment: []: must be an object"],
  [{ deployment: null }, "deployment: null: must be an object"],
  [{ deployment: { namespace: "../a" } }, 'deployment.namespace: "../a": must be the name of a namespace'],
  [{ deployment: { image: "" } }, 'deployment.image: "": must be an image'],
  [{ deployment: { replicas: -1 } }, "deployment.replicas: -1: must be a number"],
  [{ deployment: { replicas: 1.5 } }, "deployment.replicas: 1.5: must be a number"],
  [{ deployment: { args: ["a", ""] } }, 'deployment.args: ["a",""]: must be a list of strings'],
  [{ deployment: { args: "a" } }, 'deployment.args: "a": must be a list of strings'],
  [{ deployment: { resources: [] } }, "deployment.resources: []: must be an object"],
  [{ deployment: { toString: 1 } }, "deployment.toString: is not a setting; must be one of namespace, image, replicas"],
  [{ roles: { owner: {} } }, "roles.owner: is not a setting; must be one of manager, admin, editor, viewer"],
  [{ roles: { admin: { a: 1 } } }, 'roles.admin: {"a":1}: must be annotations'],
  [{ roles: { admin: "a" } }, 'roles.admin: "a": must be annotations'],
  [{ rbac: { aggregate: 1 } }, "rbac.aggregate: 1: must be true or false"],
  [{ rbac: { notInView: "Site" } }, 'rbac.notInView: "Site": must be a list of kinds'],
  [
    { rbac: { apart: { "A b": ["secrets"] } } },
    'rbac.apart: {"A b":["secrets"]}: must be an object with a list of resources for each role',
  ],
  [
    { rbac: { apart: { a: "secrets" } } },
    'rbac.apart: {"a":"secrets"}: must be an object with a list of resources for each role',
  ],
  [{ rbac: { apart: [] } }, "rbac.apart: []: must be an object with a list of resources for each role"],
])("is refused for %j, naming the field", (more, message) => {
  expect(() => read(more)).toThrow(message);
});

it("is refused if it is not JSON or not an object", () => {
  expect(() => read("{")).toThrow(/kubewright\.json: /);
  for (const text of ["null", "[]", '"shop"'])
    expect(() => read(text)).toThrow("name: undefined: must be a non-empty string");
});
