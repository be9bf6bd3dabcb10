import type { CnfInformation } from "../api/cnf-status.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";

/** What stands in place of what cannot be said. */
export const notAvailable = "Not Available";

/** A module as it goes into the status: JSON, of an object with its name and status. */
export interface ModuleText {
  readonly name: string;
  readonly text: string;
}

/** One pod of a CNF, and what it says; no modules: it says nothing. */
export interface CnfReport {
  readonly pod: Omit<CnfInformation, "status">;
  readonly modules: readonly ModuleText[] | undefined;
}

export const moduleText = ({ name, status }: CnfModule): ModuleText => ({
  name,
  text: JSON.stringify({ name, status }),
});

/** The pod's entry in the status. */
export const informationOf = ({ pod, modules }: CnfReport): CnfInformation => ({
  ...pod,
  status: modules === undefined ? notAvailable : `[${modules.map(({ text }) => text).join(",")}]`,
});
