import { kubernetesVersion, quote } from "@kubewright/apimachinery";

/** Returns the output of `--version` and `--version=raw`. @see k8s.io/component-base/version/verflag */
export function versionText(value: string): string {
  if (value !== "raw") return `Kubernetes ${value.startsWith("v") ? value : kubernetesVersion}\n`;
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(kubernetesVersion) ?? [];
  const fields = {
    Major: major,
    Minor: minor,
    EmulationMajor: "",
    EmulationMinor: "",
    MinCompatibilityMajor: "",
    MinCompatibilityMinor: "",
    GitVersion: kubernetesVersion,
    GitCommit: "",
    GitTreeState: "clean",
    BuildDate: "1970-01-01T00:00:00Z",
    GoVersion: "none",
    Compiler: "none",
    Platform: `${process.platform}/${process.arch}`,
  };
  const shown = Object.entries(fields).map(([name, text]) => `${name}:${quote(text)}`);
  return `version.Info{${shown.join(", ")}}\n`;
}
