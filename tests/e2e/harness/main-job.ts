import { Program } from "./program.ts";

export interface MainJobSnapshot {
  readonly objects: readonly {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly purpose: string;
    readonly state: string;
    readonly message: string;
    readonly children?: readonly string[];
  }[];
  readonly cnfs: readonly {
    readonly pod: string;
    readonly namespace: string;
    readonly purpose: string;
    readonly ip: string;
    readonly config: Readonly<Record<string, Readonly<Record<string, readonly { readonly name: string }[]>>>>;
  }[];
}

/** The program that `npm start` runs. */
export class MainJob extends Program {
  constructor(args: readonly string[]) {
    super("apps/sdewan-operator/demo/main.ts", args);
  }

  /** Returns its last output with `--output json`. */
  get snapshot(): MainJobSnapshot {
    const line = this.stdout.slice(0, this.stdout.lastIndexOf("\n")).split("\n").at(-1) ?? "";
    if (line === "") throw new Error(`no output yet; on standard error:\n${this.stderr.slice(-4_000)}`);
    return JSON.parse(line) as MainJobSnapshot;
  }
}
