import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a tarball of a package may hold at most. */
interface SizeLimit {
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

export type SizeLimits = Readonly<Record<string, SizeLimit>>;

interface Sized extends SizeLimit {
  readonly name: string;
}

/** `tools/package-checks/sizes.json` of the workspace at `root`. */
export function readLimits(root: string): SizeLimits {
  return JSON.parse(readFileSync(join(root, "tools", "package-checks", "sizes.json"), "utf8")) as SizeLimits;
}

/** What is larger than it may be, has no limit, or has one and is not packed: one sentence each. */
export function sizeComplaints(tarballs: readonly Sized[], limits: SizeLimits): readonly string[] {
  const names = new Set(tarballs.map(({ name }) => name));
  const found = tarballs.flatMap((tarball) => {
    const limit = limits[tarball.name];
    if (!limit)
      return [
        `${tarball.name} has no limit; add one to tools/package-checks/sizes.json (it has ${figures(tarball)} bytes)`,
      ];
    return (["packedBytes", "unpackedBytes"] as const)
      .filter((field) => tarball[field] > limit[field])
      .map(
        (field) =>
          `${tarball.name}: ${field} ${tarball[field]}, ${limit[field]} at most (tools/package-checks/sizes.json)`,
      );
  });
  const gone = Object.keys(limits).filter((name) => !names.has(name));
  return [...found, ...gone.map((name) => `tools/package-checks/sizes.json limits ${name}, which is not published`)];
}

const figures = ({ packedBytes, unpackedBytes }: SizeLimit): string =>
  `${packedBytes} packed, ${unpackedBytes} unpacked`;
