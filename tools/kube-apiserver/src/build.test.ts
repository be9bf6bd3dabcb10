import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, isAbsolute, join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildPrograms, buildVersion, type Machine, pinnedModule } from "./build.ts";
import { cacheFolder } from "./cache-folder.ts";
import { pinnedVersions, programsOf } from "./programs.ts";

const goMod = readFileSync(join(pinnedModule, "go.mod"), "utf8");
const programs = programsOf(goMod);

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "kube-apiserver-"));
});
afterEach(() => rmSync(cache, { recursive: true }));

/** A fake machine on which the given programs are built, with the given version of Go or without Go. */
function machine(built: readonly string[], go: string | undefined) {
  const commands: string[] = [];
  const fake: Machine = {
    print: () => {},
    run(program, args) {
      if (program === "go") {
        if (go === undefined) return { code: undefined, output: "" };
        if (args[0] === "build") commands.push(args.at(-1) ?? "");
        return { code: 0, output: `${go}\n` };
      }
      const known = programs.find(({ name }) => name === basename(program) && built.includes(name));
      return known ? { code: 0, output: known.version } : { code: undefined, output: "" };
    },
  };
  return { fake, commands };
}

it("builds missing programs from modules outside of the repository", () => {
  const { fake, commands } = machine(["etcd", "kubectl"], "go1.26.0");
  expect(buildPrograms(cache, fake)).toBe(join(cache, "assets"));
  expect(commands).toEqual(["k8s.io/kubernetes/cmd/kube-apiserver", "k8s.io/kubernetes/cmd/kube-controller-manager"]);
  expect(readdirSync(join(cache, "module")).sort()).toEqual(["go.mod", "go.sum"]);
});

it("returns and builds into an absolute folder, because Go runs in another one", () => {
  const { fake } = machine([], "go1.26.0");
  const outputs: string[] = [];
  const run: Machine["run"] = (program, args, options) => {
    if (args[0] === "build") outputs.push(args[args.indexOf("-o") + 1] ?? "");
    return fake.run(program, args, options);
  };
  expect(buildPrograms(relative(process.cwd(), cache), { ...fake, run })).toBe(join(cache, "assets"));
  expect(outputs.every(isAbsolute)).toBe(true);
});

it("does not need Go if everything is built", () => {
  const { fake } = machine(
    programs.map(({ name }) => name),
    undefined,
  );
  expect(buildPrograms(cache, fake)).toBe(join(cache, "assets"));
});

it("reports a missing or old Go", () => {
  expect(() => buildPrograms(cache, machine([], undefined).fake)).toThrow(
    /^go is not on the PATH: .* requires Go 1\.26 or newer/,
  );
  expect(() => buildPrograms(cache, machine([], "go1.25.4").fake)).toThrow(
    /^go1\.25\.4 is too old: .* requires Go 1\.26/,
  );
});

it("stores programs in the cache folder", () => {
  expect(cacheFolder({ XDG_CACHE_HOME: "/c" })).toBe("/c/kubewright/envtest");
});

it("builds programs pinned by another module without replacing existing ones", () => {
  const { fake, commands } = machine(
    programs.map(({ name }) => name),
    "go1.26.0",
  );
  const other = mkdtempSync(join(cache, "other-"));
  writeFileSync(join(other, "go.mod"), goMod.replaceAll(pinnedVersions(goMod).kubernetes, "v1.2.3"));
  buildPrograms(cache, fake, other, ["etcd", "kubectl"]);
  expect(commands).toEqual(["k8s.io/kubernetes/cmd/kubectl"]);
  buildPrograms(cache, fake, other);
  expect(commands).toHaveLength(4);
  expect(
    programsOf("\tk8s.io/kubernetes v1.2.3 // indirect\n\tgo.etcd.io/etcd/server/v3 v3.4.5\n")[1]?.linkerFlags,
  ).toContain("gitMinor=2");
});

it("builds kube-apiserver in another version from a module without etcd, next to the pinned etcd", () => {
  const { fake, commands } = machine(["etcd"], "go1.26.0");
  const upstream = join(cache, "upstream.mod");
  const lines = [
    "go 1.22.0",
    "godebug default=go1.22",
    "godebug winsymlink=0",
    "\tk8s.io/api => ./staging/src/k8s.io/api",
  ];
  writeFileSync(upstream, lines.join("\n"));
  const flags: (string | undefined)[] = [];
  const run: Machine["run"] = (program, args, options) => {
    if (args[0] === "mod")
      return {
        code: args.includes("k8s.io/kubernetes@v1.30.14") ? 0 : 1,
        output: `{"GoMod": ${JSON.stringify(upstream)}}`,
      };
    if (args[0] === "build") flags.push(options.env?.GOFLAGS);
    return fake.run(program, args, options);
  };
  const assets = join(cache, "1.30.14", "assets");
  expect(buildVersion(cache, { ...fake, run }, "1.30.14")).toBe(assets);
  expect(commands).toEqual(["k8s.io/kubernetes/cmd/kube-apiserver"]);
  expect(flags).toEqual([expect.stringContaining("-mod=mod")]);
  expect(readlinkSync(join(assets, "etcd"))).toBe(join(cache, "assets", "etcd"));
  expect(readFileSync(join(cache, "1.30.14", "module", "go.mod"), "utf8")).toBe(
    "module kubewright.dev/tools/kube-apiserver\ngo 1.22.0\ngodebug default=go1.22\ngodebug winsymlink=0\n" +
      "require k8s.io/kubernetes v1.30.14\nreplace k8s.io/api => k8s.io/api v0.30.14\n",
  );
  expect(() => buildVersion(cache, { ...fake, run }, "1.30.99")).toThrow(
    "k8s.io/kubernetes@v1.30.99 ended with code 1",
  );
});

it("builds the pinned version in the shared folder", () => {
  const { fake, commands } = machine(["etcd", "kube-apiserver"], undefined);
  const pinned = pinnedVersions(goMod).kubernetes.slice(1);
  expect(buildVersion(cache, fake, pinned)).toBe(join(cache, "assets"));
  expect(commands).toEqual([]);
});

it("reads only pinned versions", () => {
  expect(() => pinnedVersions("module x\n")).toThrow("go.mod does not pin k8s.io/kubernetes");
});
