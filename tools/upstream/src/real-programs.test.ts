import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realPrograms } from "./real-programs.ts";

it("uses the shared programs if they have the version, and builds other versions elsewhere", () => {
  const root = mkdtempSync(join(tmpdir(), "real-programs-"));
  try {
    const shared = join(root, "shared");
    mkdirSync(shared);
    const print = (program: string, text: string): void =>
      writeFileSync(join(shared, program), `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
    print("kube-apiserver", "Kubernetes v1.2.3");
    const builder = join(root, "tools", "kube-apiserver", "src");
    mkdirSync(builder, { recursive: true });
    writeFileSync(
      join(builder, "main.ts"),
      "console.log('export KUBEBUILDER_ASSETS=' + process.argv.slice(2).join());",
    );
    const wanted = { root, kubernetes: "1.2.3", module: "m", workFolder: "w", names: ["etcd"] };
    expect(realPrograms(wanted, shared)).toBe(shared);
    expect(realPrograms({ ...wanted, kubernetes: "1.2.30" }, shared)).toBe("w,m,etcd");
    expect(realPrograms(wanted, join(root, "none"))).toBe("w,m,etcd");
    const withKubectl = { ...wanted, names: ["etcd", "kubectl"] };
    expect(realPrograms(withKubectl, shared)).toBe("w,m,etcd,kubectl");
    for (const [version, folder] of [
      ["1.2.2", "w,m,etcd,kubectl"],
      ["1.2.3", shared],
    ] as const) {
      print("kubectl", `Client Version: v${version}\nKustomize Version: v5`);
      expect(realPrograms(withKubectl, shared)).toBe(folder);
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
