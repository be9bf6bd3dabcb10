import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Versions of kube-apiserver that the tests run against. The first one is the oldest supported version. */
export const versions = ["1.30.14", "1.32.13", "1.34.4", "1.36.3", "1.37.2"] as const;

/** Tests that run together. */
export interface Part {
  readonly name: string;
  /** Folders of packages, as patterns relative to the root of the repository. */
  readonly folders: readonly string[];
  /** Beginnings of paths in these folders. Default: all files. */
  readonly files?: readonly string[];
  /** Text in the names of the tests. Default: all tests. */
  readonly tests?: string;
}

/** Tests that run on both servers; the embedded one has only one version. */
const onReal = "real API server";

export const parts: readonly Part[] = [
  { name: "versions", folders: ["tests/versions"] },
  { name: "envtest", folders: ["packages/envtest"], tests: onReal },
  { name: "client", folders: ["packages/client"] },
  { name: "client-conformance", folders: ["tests/conformance"], files: ["client/", "events/", "finalizers-owners/"] },
  { name: "cache", folders: ["tests/informers"], tests: onReal },
  { name: "webhooks", folders: ["packages/webhook", "tests/conformance"], files: ["src/", "webhook/"] },
  { name: "leader-election", folders: ["tests/conformance"], files: ["leaderelection/", "manager/"] },
  { name: "controllers", folders: ["packages/builder", "tests/conformance"], files: ["src/", "controller/"] },
  { name: "framework", folders: ["packages/kubewright"] },
  { name: "commands", folders: ["packages/cli"], files: ["src/cluster/", "src/console/", "src/deploy/"] },
  { name: "sdewan", folders: ["tests/e2e", "apps/sdewan-operator"] },
  { name: "examples", folders: ["examples/*"] },
];

/** Names that only files with an `Environment` contain. Other files start no server, or the embedded one. */
const startsEnvironment = /@kubewright\/envtest|\bEnvironment\.start\b|\bTestBed\b|\bonEachBed\b|\buseServer\b/;

/** Test files of a part, by the folder of their package. */
export function filesOf(root: string, part: Part): ReadonlyMap<string, readonly string[]> {
  const folders = part.folders.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  const files = folders.map((folder): [string, string[]] => [
    folder,
    globSync("**/*.test.ts", { cwd: join(root, folder), exclude: ["**/node_modules", "**/dist"] })
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => part.files?.some((beginning) => file.startsWith(beginning)) ?? true)
      .filter((file) => startsEnvironment.test(readFileSync(join(root, folder, file), "utf8")))
      .sort(),
  ]);
  return new Map(files.filter(([, found]) => found.length > 0));
}
