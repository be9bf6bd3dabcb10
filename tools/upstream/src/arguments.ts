import { parseArgs } from "node:util";

export const usage = `npm run upstream -- [--kubernetes <version>] [--check] [--only <part>]…

  --kubernetes 1.37.0  the version to take in (default: the one that is pinned)
  --check              change nothing; list what would change, and end with code 1 if anything would
  --only <part>        types, describe or record (default: all three, then parity)
`;

const parts = ["types", "describe", "record", "parity"] as const;
export type Part = (typeof parts)[number];

export interface UpstreamOptions {
  /** Such as `1.36.3`; `undefined` for the pinned one. */
  readonly kubernetes: string | undefined;
  readonly isCheck: boolean;
  readonly parts: ReadonlySet<Part>;
}

/** @throws {Error} with what is wrong with them */
export function readArguments(args: readonly string[]): UpstreamOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kubernetes: { type: "string" },
      check: { type: "boolean", default: false },
      only: { type: "string", multiple: true },
    },
  });
  const { kubernetes, check, only } = values;
  if (kubernetes !== undefined && !/^\d+\.\d+\.\d+$/.test(kubernetes))
    throw new Error(`--kubernetes ${kubernetes} is no version such as 1.36.3`);
  const chosen = (only ?? parts).map((name) => {
    const part = parts.find((each) => each === name);
    if (!part) throw new Error(`--only ${name} is none of ${parts.join(", ")}`);
    return part;
  });
  return { kubernetes, isCheck: check, parts: new Set(chosen) };
}
