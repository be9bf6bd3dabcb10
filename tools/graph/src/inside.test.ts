import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { checkGraph } from "./check.ts";
import { sizesOf, tooLarge } from "./sizes.ts";
import { readWorkspace } from "./workspace.ts";

let root: string;
const write = (path: string, content: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
const member = (name: string, rooms: readonly string[]): void =>
  write(
    `packages/${name}/package.json`,
    JSON.stringify({
      name: `@x/${name}`,
      nx: { tags: ["floor:base"] },
      kubewright: { rooms },
      exports: { ".": "./src/index.ts" },
    }),
  );
const file = (path: string, ...imports: string[]): void =>
  write(`packages/p/src/${path}`, `${imports.map((each) => `import "${each}";\n`).join("")}export {};\n`);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "rooms-"));
  write("package.json", JSON.stringify({ name: "root", workspaces: ["packages/*"] }));
  member("p", ["schema", "server"]);
  file("schema/type.ts");
  file("server/server.ts", "../schema/type.ts");
  file("index.ts", "./server/server.ts");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("rooms of a package", () => {
  it("may import from earlier rooms", () => {
    expect(checkGraph(root)).toEqual([]);
  });

  it("may not import from later rooms, not even types", () => {
    write(
      "packages/p/src/schema/type.ts",
      'import type { Server } from "../server/server.ts";\nexport type T = Server;\n',
    );
    file("server/server.ts");
    expect(checkGraph(root)).toEqual([
      'packages/p/src/schema/type.ts:1: imports ../server/server.ts: room "schema" may import from nothing, not from "server"',
    ]);
  });

  it("may not import from files outside of the rooms", () => {
    file("start.ts");
    file("server/server.ts", "../start.ts");
    expect(checkGraph(root)).toEqual([
      'packages/p/src/server/server.ts:1: imports ../start.ts: room "server" may import from schema, not from files outside of the rooms',
    ]);
  });

  it("are found by the longest name, so that a folder may contain rooms", () => {
    member("p", ["schema", "server/chain", "server"]);
    file("server/chain/filter.ts", "../../schema/type.ts");
    file("server/server.ts", "./chain/filter.ts");
    expect(checkGraph(root)).toEqual([]);
    file("server/chain/filter.ts", "../server.ts");
    file("server/server.ts");
    expect(checkGraph(root)).toEqual([
      'packages/p/src/server/chain/filter.ts:1: imports ../server.ts: room "server/chain" may import from schema, not from "server"',
    ]);
  });

  it("may be next to src, and come last", () => {
    member("p", ["schema", "server", "../demo"]);
    file("start.ts", "./server/server.ts");
    file("../demo/main.ts", "../src/start.ts", "../src/schema/type.ts");
    expect(checkGraph(root)).toEqual([]);
    file("start.ts", "../demo/main.ts");
    file("schema/type.ts", "../../demo/main.ts");
    expect(checkGraph(root)).toEqual(
      expect.arrayContaining([
        'packages/p/src/schema/type.ts:1: imports ../../demo/main.ts: room "schema" may import from nothing, not from "../demo"',
        'packages/p/src/start.ts:1: imports ../demo/main.ts: files outside of the rooms may import from schema, server, not from "../demo"',
      ]),
    );
  });

  it("count only rooms next to src as sources", () => {
    file("../tools/measure.ts", "../src/server/server.ts");
    expect(checkGraph(root)).toEqual([]);
  });

  it("do not restrict tests and files below testing/", () => {
    file("schema/type.test.ts", "../server/server.ts");
    file("schema/testing/fake.ts", "../../server/server.ts");
    expect(checkGraph(root)).toEqual([]);
  });

  it("must match the list", () => {
    member("p", ["schema", "gone"]);
    expect(checkGraph(root)).toEqual([
      'packages/p/package.json: src/server is not in a room; add it to "kubewright": { "rooms": […] }',
      'packages/p/package.json: room "gone" has no sources',
    ]);
  });

  it("must not import an index.ts of the package", () => {
    file("schema/index.ts", "./type.ts");
    file("server/server.ts", "../schema/index.ts");
    expect(checkGraph(root)).toEqual([
      "packages/p/src/server/server.ts:1: imports ../schema/index.ts: a package must not import its own index.ts; import the file",
    ]);
  });

  it("hold at most 24 sources in one folder", () => {
    for (let i = 0; i < 23; i++) file(`schema/type-${i}.ts`);
    expect(checkGraph(root)).toEqual([]);
    file("schema/one-more.ts");
    expect(checkGraph(root)).toEqual([
      "packages/p/src/schema: 25 sources in one folder; divide more than 24 into rooms",
    ]);
  });
});

describe("import cycles", () => {
  it("are refused, overlapping ones as one", () => {
    file("schema/a.ts", "./b.ts");
    file("schema/b.ts", "./c.ts");
    file("schema/c.ts", "./a.ts", "./d.ts");
    file("schema/d.ts", "./c.ts");
    expect(checkGraph(root)).toEqual([
      "import cycle: packages/p/src/schema/a.ts, packages/p/src/schema/b.ts, packages/p/src/schema/c.ts, packages/p/src/schema/d.ts",
    ]);
  });

  it("do not include a file that is imported in two ways", () => {
    file("schema/a.ts", "./b.ts", "./c.ts");
    file("schema/b.ts", "./d.ts");
    file("schema/c.ts", "./d.ts", "./b.ts");
    file("schema/d.ts");
    expect(checkGraph(root)).toEqual([]);
  });
});

describe("sizes", () => {
  it("exclude tests, and a package with more than a fifth of all sources is too large", () => {
    for (const name of ["a", "b", "c", "d"]) {
      member(name, []);
      write(`packages/${name}/src/index.ts`, "export {};\n".repeat(24));
    }
    write("packages/p/src/index.ts", "export {};\n".repeat(20));
    file("server/server.test.ts");
    const sizes = sizesOf(root, readWorkspace(root));
    expect(sizes.find(({ name }) => name === "@x/p")).toEqual({
      name: "@x/p",
      floor: "base",
      files: 3,
      lines: 23,
      share: 23 / 119,
    });
    expect(tooLarge(sizes)).toEqual(
      ["a", "b", "c", "d"].map((name) => `@x/${name} is 20.2 % of all sources; the limit is 20 %`),
    );
  });
});

describe("single-use files", () => {
  const found = (count: number): readonly string[] => {
    write("tools/graph/single-use.json", JSON.stringify({ "packages/p": count }));
    return checkGraph(root);
  };

  it("are reported if there are more than recorded, and if there are fewer", () => {
    expect(found(2)).toEqual(["tools/graph/single-use.json: packages/p has 1 single-use files; record that number"]);
    expect(found(1)).toEqual([]);
    expect(found(0)).toEqual([
      "packages/p/src/schema/type.ts: has one importer, no export of the package, and less than 80 lines; move it into the file that imports it",
    ]);
  });

  it("do not include files with two importers, with 80 lines, or generated ones", () => {
    file("schema/other.ts", "./type.ts");
    file("server/second.ts", "../schema/other.ts", "../schema/type.ts");
    write("packages/p/src/schema/other.ts", `import "./type.ts";\n${"// line\n".repeat(79)}`);
    expect(found(0)).toEqual([]);
    write("packages/p/src/schema/other.ts", `import "./type.ts";\n${"// line\n".repeat(78)}`);
    expect(found(0)).toHaveLength(1);
    write("packages/p/src/schema/other.ts", '// Generated by a tool.\nimport "./type.ts";\n');
    expect(found(0)).toEqual([]);
  });
});
