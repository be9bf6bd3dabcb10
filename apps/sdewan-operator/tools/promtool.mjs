// Builds promtool, which checks the alert rules, from its Go module: `npm run promtool`. The tests use the same binary.
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const binary = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "kubewright", "promtool", "promtool");
mkdirSync(dirname(binary), { recursive: true });
// Building without the cloud clients, which rules do not need, is much faster.
const flags = ["-trimpath", "-tags", "remove_all_sd", "-o", binary];
execFileSync("go", ["build", ...flags, "github.com/prometheus/prometheus/cmd/promtool"], {
  cwd: fileURLToPath(new URL("promtool", import.meta.url)),
  env: { ...process.env, CGO_ENABLED: "0" },
  stdio: "inherit",
});
console.log(binary);
