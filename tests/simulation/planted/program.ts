import type { Manager } from "kubewright";
import { bugs } from "./bugs.ts";
import { storingSites } from "./outside-bugs.ts";

/** The program with the bug that the module's address names, as in `program.ts?bug=no-owner`. Without a name, it has no bug. */
const name = new URL(import.meta.url).searchParams.get("bug");
const bug = name === null ? undefined : bugs[name];

export const options = bug?.options ?? {};

export function setup(manager: Manager): void {
  if (name !== null && !bug)
    throw new Error(`there is no bug "${name}"; choose one of ${Object.keys(bugs).join(", ")}`);
  (bug?.setup ?? storingSites)(manager);
}
