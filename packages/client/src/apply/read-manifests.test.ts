import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StubApi } from "../testing/stub-api.ts";
import type { Manifests } from "./parse-manifests.ts";
import { readManifests } from "./read-manifests.ts";

const needs = { meta: { needs: "a POSIX system" } };

const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const names = ({ manifests }: Manifests): string[] => manifests.map(({ object }) => object.metadata.name);
const problems = ({ unreadable }: Manifests): string[] =>
  unreadable.map(({ source, error }) => `${source}: ${error.message}`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-apply-"));
  mkdirSync(join(folder, "deep"));
  for (const name of ["b.yaml", "a.yml", "c.json", "notes.txt", "deep/d.yaml"]) {
    const object = map(name.replace(/\..*|.*\//g, "") || "d");
    writeFileSync(
      join(folder, name),
      name.endsWith("json") ? '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"c"}}' : object,
    );
  }
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("reads files, folders by name, and subfolders if requested", async () => {
  expect(names(await readManifests({ files: [join(folder, "b.yaml")] }))).toEqual(["b"]);
  expect(names(await readManifests({ files: [folder] }))).toEqual(["a", "b", "c"]);
  expect(names(await readManifests({ files: [folder], recursive: true }))).toHaveLength(4);
});

it("reads standard input and URLs, following redirects", async () => {
  await using stub = await StubApi.start(({ path }) =>
    path === "/there"
      ? { body: map("web") }
      : path === "/here"
        ? { status: 302, headers: { location: "/there" } }
        : { status: 404 },
  );
  const stdin = (async function* () {
    yield map("in");
  })();
  const url = stub.url;
  const read = await readManifests({ files: ["-", `${url}/here`, `${url}/gone`, `${url}/here`] }, { stdin });
  expect(names(read)).toEqual(["in", "web", "web"]);
  expect(problems(read)).toEqual([`${url}/gone: the server responded with status 404`]);
});

it("reports missing files, and continues", async () => {
  const missing = join(folder, "nosuch.yaml");
  mkdirSync(join(folder, "empty"));
  const read = await readManifests({ files: [missing, join(folder, "empty"), join(folder, "b.yaml")] });
  expect(names(read)).toEqual(["b"]);
  expect(problems(read)).toEqual([
    `${missing}: there is no such file or folder`,
    `${join(folder, "empty")}: contains no .yaml, .yml or .json files; use --recursive to include its subfolders`,
  ]);
});

it("reads pipes to their end, devices up to the size limit, and no pipes in folders", async () => {
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  expect(names(await readManifests({ files: [folder] }))).toEqual(["a", "b", "c"]);
  const reading = readManifests({ files: [join(folder, "pipe.yaml"), "/dev/zero"] });
  await writeFile(join(folder, "pipe.yaml"), map("piped"));
  expect(names(await reading)).toEqual(["piped"]);
  expect(problems(await reading)).toEqual([expect.stringMatching(/^\/dev\/zero: is larger than \d+ bytes$/)]);
});

it("builds kustomize folders with kubectl, and reports the remedy if it is missing", async () => {
  const kubectl = join(folder, "kubectl");
  writeFileSync(
    kubectl,
    `#!/bin/sh\n[ "$1" = kustomize ] || exit 9\n[ -d "$2" ] || { echo "no $2" >&2; exit 1; }\ncat "$2/d.yaml"\n`,
  );
  chmodSync(kubectl, 0o755);
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  expect(names(await readManifests({ kustomize: [join(folder, "deep")] }, { env }))).toEqual(["d"]);
  expect(problems(await readManifests({ kustomize: ["/nosuch"] }, { env }))).toEqual([
    "/nosuch: kubectl kustomize: no /nosuch",
  ]);
  const [none] = problems(await readManifests({ kustomize: [folder] }, { env: { PATH: "/nosuch" } }));
  expect(none).toContain("which is not in PATH");
});

describe.skipIf(process.platform === "win32")("a pipe", needs, () => {
  let pipe: string;
  beforeEach(() => {
    pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
  });

  it("is read to its end", async () => {
    // A shell that opens a pipe waits for a reader.
    const ended = once(spawn("sh", ["-c", 'printf "$2" > "$1"', "sh", pipe, map("a")]), "exit");
    const found = await readManifests({ files: [pipe] });
    await ended;
    expect([names(found), problems(found)]).toEqual([["a"], []]);
  });

  it("without a writer is abandoned when the signal aborts, as is standard input", async () => {
    const stop = new AbortController();
    const stdin = new PassThrough();
    const reads = [
      readManifests({ files: [pipe] }, { signal: stop.signal }),
      readManifests({ files: ["-"] }, { signal: stop.signal, stdin }),
    ];
    setImmediate(() => stop.abort());
    const interrupted = {
      manifests: [],
      unreadable: [{ error: new Error("interrupted before the whole input was read") }],
    };
    expect(await Promise.all(reads)).toMatchObject([interrupted, interrupted]);
    expect(stdin.destroyed).toBe(true);
  });
});
