import { type GeneratedFile, tableModule } from "../generated-file.ts";
import type { RealServer } from "./real-server.ts";

interface ApiService {
  readonly spec: {
    readonly group?: string;
    readonly version: string;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
  };
}

/** Generates lines of the form `group priority version:priority …`; `-` is the core group. */
export async function groupPriorities(server: RealServer): Promise<GeneratedFile> {
  const { items } = await server.get<{ readonly items: readonly ApiService[] }>(
    "/apis/apiregistration.k8s.io/v1/apiservices",
  );
  const groups = Map.groupBy(items, ({ spec }) => spec.group || "-");
  const lines = [...groups].map(([group, services]) => {
    const versions = services.map(({ spec }) => `${spec.version}:${spec.versionPriority}`).sort();
    return [group, services[0]?.spec.groupPriorityMinimum, ...versions].join(" ");
  });
  return tableModule("packages/kube-apiserver/src/post-start/group-priority-lines.ts", "kube-apiserver", [
    {
      name: "groupPriorityLines",
      comment: "The priorities of the APIServices that kube-apiserver creates at startup.",
      lines: lines.sort(),
    },
  ]);
}
