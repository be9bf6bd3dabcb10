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

describe("files with a single use", () => {
  const allow = (count: number): void => write("tools/graph/single-use.json", JSON.stringify({ "packages/p": count }));
  const rule =
    "has one importer, no export of the package, and less than 80 lines; move it into the file that imports it";

  beforeEach(() => {
    write("packages/p/src/schema/type.ts", `${"//\n".repeat(79)}export {};\n`); // 80 lines
    allow(0);
  });

  it("are reported", () => {
    expect(checkGraph(root)).toEqual([]);
    write("packages/p/src/schema/type.ts", `${"//\n".repeat(78)}export {};\n`);
    expect(checkGraph(root)).toEqual([`packages/p/src/schema/type.ts: ${rule}`]);
  });

  it("are not files with two importers, exports, entry points, or those of tests", () => {
    file("schema/a.ts");
    file("schema/b.ts", "./a.ts");
    file("server/c.ts", "../schema/a.ts");
    file("schema/index.ts", "./b.ts");
    file("testing/fake.ts");
    file("testing/other.ts", "./fake.ts");
    file("a.test.ts", "./server/c.ts");
    expect(checkGraph(root)).toEqual([]);
    file("index.ts", "./server/server.ts", "./server/c.ts");
    expect(checkGraph(root)).toEqual([]);
    file("schema/index.ts");
    file("server/c.ts");
    expect(checkGraph(root)).toEqual([`packages/p/src/schema/a.ts: ${rule}`]);
  });

  it("may only become fewer than recorded", () => {
    file("schema/a.ts");
    file("schema/type.ts", "./a.ts");
    allow(2);
    expect(checkGraph(root)).toEqual([]);
    allow(1);
    expect(checkGraph(root)).toEqual(
      ["a", "type"].map(
        (name) =>
          `packages/p/src/schema/${name}.ts: ${rule} (2 such files in packages/p, and 1 are recorded in tools/graph/single-use.json)`,
      ),
    );
    allow(3);
    expect(checkGraph(root)).toEqual([
      "tools/graph/single-use.json: packages/p has 2 single-use files; record that number",
    ]);
  });
});

describe("the rooms of a package", () => {
  it("may import from those before them", () => {
    expect(checkGraph(root)).toEqual([]);
  });

  it("may not import from those after them, by types neither", () => {
    write(
      "packages/p/src/schema/type.ts",
      'import type { Server } from "../server/server.ts";\nexport type T = Server;\n',
    );
    file("server/server.ts");
    expect(checkGraph(root)).toEqual([
      'packages/p/src/schema/type.ts:1: imports ../server/server.ts: room "schema" may import from nothing, not from "server"',
    ]);
  });

  it("may not import from files beside them", () => {
    file("start.ts");
    file("server/server.ts", "../start.ts");
    expect(checkGraph(root)).toEqual([
      'packages/p/src/server/server.ts:1: imports ../start.ts: room "server" may import from schema, not from files beside the rooms',
    ]);
  });

  it("are what the longest name says: a folder may have rooms of its own", () => {
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

  it("leave tests and what is under testing/ free", () => {
    file("schema/type.test.ts", "../server/server.ts");
    file("schema/testing/fake.ts", "../../server/server.ts");
    expect(checkGraph(root)).toEqual([]);
  });

  it("are all in the list, and the list has no others", () => {
    member("p", ["schema", "gone"]);
    expect(checkGraph(root)).toEqual([
      'packages/p/package.json: src/server is in no room; put it into "kubewright": { "rooms": […] }',
      'packages/p/package.json: room "gone" has no sources',
    ]);
  });

  it("have surfaces that nobody inside imports", () => {
    file("schema/index.ts", "./type.ts");
    file("server/server.ts", "../schema/index.ts");
    expect(checkGraph(root)).toEqual([
      "packages/p/src/server/server.ts:1: imports ../schema/index.ts: a package does not import its own index.ts; import the file",
    ]);
  });

  it("hold two dozen sources at one level", () => {
    for (let i = 0; i < 23; i++) file(`schema/type-${i}.ts`);
    expect(checkGraph(root)).toEqual([]);
    file("schema/one-more.ts");
    expect(checkGraph(root)).toEqual(["packages/p/src/schema: 25 sources at one level; more than 24 want rooms"]);
  });
});

describe("circles of files", () => {
  it("are refused, knots of them as one", () => {
    file("schema/a.ts", "./b.ts");
    file("schema/b.ts", "./c.ts");
    file("schema/c.ts", "./a.ts", "./d.ts");
    file("schema/d.ts", "./c.ts");
    expect(checkGraph(root)).toEqual([
      "files import one another in a circle: packages/p/src/schema/a.ts, packages/p/src/schema/b.ts, packages/p/src/schema/c.ts, packages/p/src/schema/d.ts",
    ]);
  });

  it("are not what two ways to one file make", () => {
    file("schema/a.ts", "./b.ts", "./c.ts");
    file("schema/b.ts", "./d.ts");
    file("schema/c.ts", "./d.ts", "./b.ts");
    file("schema/d.ts");
    expect(checkGraph(root)).toEqual([]);
  });
});

describe("sizes", () => {
  it("are counted without tests, and a package of more than a fifth is too large", () => {
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
      ["a", "b", "c", "d"].map((name) => `@x/${name} is 20.2 % of all sources; at most 20 %`),
    );
  });
});
