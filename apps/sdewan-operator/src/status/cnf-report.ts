import type { CnfInformation } from "../api/cnf-status.ts";
import type { CnfModule } from "../cnf/cnf-api.ts";

/** Replacement for a status that cannot be read. */
export const notAvailable = "Not Available";

/** A module in the status, as a JSON object with the module's name and status. */
export interface ModuleText {
  readonly name: string;
  readonly text: string;
}

/** A CNF pod's report. It contains no modules if the pod does not respond. */
export interface CnfReport {
  readonly pod: Omit<CnfInformation, "status">;
  readonly modules: readonly ModuleText[] | undefined;
}

export const moduleText = ({ name, status }: CnfModule): ModuleText => ({
  name,
  text: JSON.stringify({ name, status }),
});

/** Returns the pod's entry in the status. */
export const informationOf = ({ pod, modules }: CnfReport): CnfInformation => ({
  ...pod,
  status: modules === undefined ? notAvailable : `[${modules.map(({ text }) => text).join(",")}]`,
});
