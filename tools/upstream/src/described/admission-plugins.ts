import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedPlugin } from "./server-description.ts";

export function admissionPlugins(plugins: readonly DescribedPlugin[]): GeneratedFile {
  return tableModule("packages/kube-apiserver/src/admission/plugin-lines.ts", "kube-apiserver", [
    {
      name: "pluginLines",
      comment: "Admission plugins of kube-apiserver, in its order: name, and whether it is on by default.",
      lines: plugins.map(({ name, isOn }) => `${name} ${isOn ? "on" : "off"}`),
    },
  ]);
}
