import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kubernetesVersion } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { readArguments } from "./arguments.ts";
import { pinnedFolder, pinnedKubernetes, pinningModule, replacedRecording } from "./pinned-module.ts";

const goMod = readFileSync(join(import.meta.dirname, "..", "..", "..", pinnedFolder, "go.mod"), "utf8");

it("reads the pinned version", () => {
  expect(`v${pinnedKubernetes(goMod)}`).toBe(kubernetesVersion);
  expect(() => pinnedKubernetes("module x")).toThrow("does not pin k8s.io/kubernetes");
});

it("pins a version with its staged modules, and the version of etcd that upstream requires", () => {
  const upstream =
    "go 1.27.0\n\ngodebug default=go1.27\n\nrequire go.etcd.io/etcd/server/v3 v3.8.1 // indirect\n\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n";
  expect(pinningModule("1.37.1", upstream)).toMatch(
    /^module kubewright\.dev\/tools\/kube-apiserver\n\ngo 1\.27\.0\n\ngodebug default=go1\.27\n\ntool \([^)]*\n\tk8s\.io\/kubernetes\/cmd\/kubectl\n\)\n\nrequire \(\n\tgo\.etcd\.io\/etcd\/server\/v3 v3\.8\.1\n\tk8s\.io\/kubernetes v1\.37\.1\n\)\n\nreplace \(\n\tk8s\.io\/api => k8s\.io\/api v0\.37\.1\n\)\n/,
  );
});

it("replaces the recording of kubectl only for another minor version", () => {
  expect(replacedRecording("1.36.3", "1.37.2")).toBe("tests/parity/recorded/kubectl-1.36.json");
  expect(replacedRecording("1.37.1", "1.37.2")).toBeUndefined();
});

it("reads its arguments and refuses invalid ones", () => {
  expect(readArguments(["--kubernetes", "1.37.0", "--check", "--only", "types"])).toEqual({
    kubernetes: "1.37.0",
    isCheck: true,
    parts: new Set(["types"]),
  });
  expect([...readArguments([]).parts]).toEqual(["types", "describe", "record", "parity"]);
  expect(() => readArguments(["--kubernetes", "v1.37"])).toThrow("must be a version such as");
  expect(() => readArguments(["--only", "all"])).toThrow("--only all: must be one of types");
});
