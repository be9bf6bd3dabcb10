import { expect, it } from "vitest";
import { mergeSwagger } from "./merge-swagger.ts";
import { swaggerOf } from "./swagger-part.ts";

const reference = (name: string, kind = "definitions") => ({ $ref: `#/${kind}/${name}` });
const gv = { group: "g.example.com", version: "v1" };
const theirs = {
  paths: {
    "/apis/g.example.com/v1/": { get: {} },
    "/apis/g.example.com/v1/as": { parameters: [reference("p", "parameters")], get: { schema: reference("A") } },
    "/apis/g.example.com/v10/as": { get: { schema: reference("Other") } },
    "/apis/apps/v1/as": {},
  },
  definitions: {
    A: { properties: { self: reference("A"), meta: reference("Meta"), gone: reference("Gone") } },
    Meta: { type: "object", "x-kubernetes-group-version-kind": [{ kind: "theirs" }] },
    Other: {},
  },
  parameters: { p: { name: "p", in: "query" }, q: {} },
};

it("takes the paths of one version, and everything that they refer to", () => {
  const { paths, definitions, parameters } = swaggerOf(theirs, gv);
  expect(Object.keys(paths)).toEqual(["/apis/g.example.com/v1/", "/apis/g.example.com/v1/as"]);
  expect(Object.keys(definitions)).toEqual(["A", "Meta"]);
  expect(Object.keys(parameters)).toEqual(["p"]);
  expect(() => swaggerOf({ paths: [] }, gv)).toThrow("the response is not an OpenAPI v2 document");
});

it("renames different members with the same name, and keeps ours", () => {
  const ours = {
    swagger: "2.0",
    paths: { "/apis/g.example.com/v1/": { ours: true } },
    definitions: { A: { ours: true }, A_v2: { ours: true }, Meta: { type: "object" } },
    parameters: { p: { name: "p", in: "path" } },
  };
  const merged = mergeSwagger(ours, [swaggerOf(theirs, gv)]);
  expect(merged).toMatchObject({
    swagger: "2.0",
    paths: {
      "/apis/g.example.com/v1/": { ours: true },
      "/apis/g.example.com/v1/as": {
        parameters: [reference("p_v2", "parameters")],
        get: { schema: reference("A_v3") },
      },
    },
    definitions: {
      A: { ours: true },
      A_v2: { ours: true },
      A_v3: { properties: { self: reference("A_v3"), meta: reference("Meta") } },
      Meta: { type: "object" },
    },
    parameters: { p: { in: "path" }, p_v2: { in: "query" } },
  });
  expect(Object.keys(ours.definitions)).toEqual(["A", "A_v2", "Meta"]);
  expect(mergeSwagger(ours, [])).toBe(ours);
});
