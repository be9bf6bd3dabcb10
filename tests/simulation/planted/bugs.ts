import type { PlantedBug } from "./bug.ts";
import { faultBugs } from "./fault-bugs.ts";
import { outsideBugs } from "./outside-bugs.ts";
import { replicaBugs } from "./replica-bugs.ts";
import { userBugs } from "./user-bugs.ts";

/** The bugs, by name. Apart from its mistake, each program is sound as far as the bug's checks go. */
export const bugs: Readonly<Record<string, PlantedBug>> = { ...userBugs, ...faultBugs, ...outsideBugs, ...replicaBugs };
