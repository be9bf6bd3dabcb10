// Validates the CNF's chart with helm: `npm run helm`. Builds helm from its Go module if it does not exist; the tests use the same binary.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "kubewright", "helm");
const helm = join(folder, "helm");
const chart = fileURLToPath(new URL("../charts/cnf", import.meta.url));
if (!existsSync(helm)) {
  mkdirSync(folder, { recursive: true });
  execFileSync("go", ["install", "-trimpath", "helm.sh/helm/v3/cmd/helm@v3.18.6"], {
    env: { ...process.env, GOBIN: folder, CGO_ENABLED: "0" },
    stdio: "inherit",
  });
}
execFileSync(helm, ["lint", "--strict", chart], { stdio: "inherit" });
execFileSync(helm, ["template", "cnf", chart, "--set", "certificate.create=true,metadata.passwd=shown"], {
  stdio: ["ignore", "ignore", "inherit"],
});
