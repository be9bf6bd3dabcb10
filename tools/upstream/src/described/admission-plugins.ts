import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedPlugin } from "./server-description.ts";

export function admissionPlugins(plugins: readonly DescribedPlugin[]): GeneratedFile {
  return tableModule("packages/kube-apiserver/src/admission/plugin-lines.ts", "kube-apiserver", [
    {
      name: "pluginLines",
      comment:
        "Admission plugins of kube-apiserver, in the same order. Each line says whether the plugin is enabled by default.",
      lines: plugins.map(({ name, isOn }) => `${name} ${isOn ? "on" : "off"}`),
    },
  ]);
}
