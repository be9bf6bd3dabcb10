import { parseArgs } from "node:util";

export const usage = `npm run upstream -- [--kubernetes <version>] [--check] [--only <part>]…

  --kubernetes 1.37.0  Kubernetes version to generate from (default: the pinned version)
  --check              change nothing; list the changes, and exit with 1 if there are any
  --only <part>        types, describe or record (default: all three, then parity)
`;

const parts = ["types", "describe", "record", "parity"] as const;
export type Part = (typeof parts)[number];

export interface UpstreamOptions {
  /** Version such as `1.37.2`; `undefined` for the pinned one. */
  readonly kubernetes: string | undefined;
  readonly isCheck: boolean;
  readonly parts: ReadonlySet<Part>;
}

/** Parses the command line. @throws {Error} if an argument is invalid */
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
    throw new Error(`--kubernetes ${kubernetes}: must be a version such as 1.37.2`);
  const chosen = (only ?? parts).map((name) => {
    const part = parts.find((each) => each === name);
    if (!part) throw new Error(`--only ${name}: must be one of ${parts.join(", ")}`);
    return part;
  });
  return { kubernetes, isCheck: check, parts: new Set(chosen) };
}
