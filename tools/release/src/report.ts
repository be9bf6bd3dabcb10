import type { SizeLimits } from "@kubewright-tools/package-checks/sizes";
import type { Release } from "./release.ts";
import type { Repository } from "./repository.ts";
import { licenceOf } from "./sbom.ts";

/** Returns a human-readable report about a release. */
export function report(release: Release, repository: Repository, limits: SizeLimits): string {
  const { version, order, tarballs, sbom, patch, digests } = release;
  const since = repository.last === undefined ? "the first release" : `after ${repository.last}`;
  const added = patch.split("\n").filter((line) => /^[+-](?!\+\+ |-- )/.test(line)).length;
  return [
    `kubewright ${version}, ${since}: ${repository.commits.length} commits up to ${repository.head.slice(0, 9)}`,
    `version and changelog: ${repository.tagged ? "as tagged" : `${added} lines change (release.patch)`}`,
    "",
    "Tarballs (KB packed and limit, unpacked and limit)",
    ...tarballs.map(({ name, packedBytes, unpackedBytes }) => {
      const limit = limits[name];
      const figures = [packedBytes, limit?.packedBytes, unpackedBytes, limit?.unpackedBytes].map(kilobytes);
      return `  ${name.padEnd(34)}${figures.join("")}`;
    }),
    "",
    "Order of publishing",
    ...order.map((names, index) => `  ${String(index + 1).padStart(2)}  ${names.join(" ")}`),
    "",
    `SBOM: CycloneDX, ${sbom.components.length} components`,
    ...sbom.components.map((each) => `  ${each.name} ${each.version} ${licenceOf(each)}`),
    "",
    "SHA-256",
    ...[...digests].map(([file, digest]) => `  ${digest}  ${file}`),
  ].join("\n");
}

const kilobytes = (bytes: number | undefined): string => ((bytes ?? 0) / 1000).toFixed(1).padStart(10);
