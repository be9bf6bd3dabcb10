import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Maximum size of a package's tarball. */
interface SizeLimit {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

export type SizeLimits = Readonly<Record<string, SizeLimit>>;

interface Sized extends SizeLimit {
  readonly name: string;
}

/** Reads `tools/package-checks/sizes.json` of the workspace at `root`. */
export function readLimits(root: string): SizeLimits {
  return JSON.parse(readFileSync(join(root, "tools", "package-checks", "sizes.json"), "utf8")) as SizeLimits;
}

/** Returns a message for each tarball that exceeds its limit or has no limit, and for each limit without a tarball. */
export function sizeComplaints(tarballs: readonly Sized[], limits: SizeLimits): readonly string[] {
  const names = new Set(tarballs.map(({ name }) => name));
  const found = tarballs.flatMap((tarball) => {
    const limit = limits[tarball.name];
    if (!limit)
      return [`${tarball.name} has no limit; add one to tools/package-checks/sizes.json (it has ${figures(tarball)})`];
    return (["packedBytes", "unpackedBytes"] as const)
      .filter((field) => tarball[field] > limit[field])
      .map(
        (field) =>
          `${tarball.name}: ${field} ${tarball[field]}; the limit is ${limit[field]} (tools/package-checks/sizes.json)`,
      );
  });
  const gone = Object.keys(limits).filter((name) => !names.has(name));
  return [
    ...found,
    ...gone.map((name) => `tools/package-checks/sizes.json has a limit for ${name}, which is not published`),
  ];
}

const figures = ({ packedBytes, unpackedBytes }: SizeLimit): string =>
  `${packedBytes} bytes packed, ${unpackedBytes} unpacked`;
