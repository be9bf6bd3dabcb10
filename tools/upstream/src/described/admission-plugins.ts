import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { DescribedPlugin } from "./server-description.ts";

export function admissionPlugins(plugins: readonly DescribedPlugin[]): GeneratedFile {
  return tableModule("packages/kube-apiserver/src/admission/plugin-lines.ts", "kube-apiserver", [
    {
      name: "pluginLines",
      comment:
        "kube-apiserver's admission plugins, in the same order. Each line states whether the plugin is enabled by default.",
      lines: plugins.map(({ name, isOn }) => `${name} ${isOn ? "on" : "off"}`),
    },
  ]);
}
