import type { DefinedKind } from "@kubewright/apimachinery";
import { CNFStatus } from "../api/cnf-status.ts";
import { CniInterface } from "../api/cni-interface.ts";
import { CNFHubSite } from "../api/composite/cnf-hub-site.ts";
import { CNFLocalService } from "../api/composite/cnf-local-service.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { ruleKinds } from "./rule-kinds.ts";

const kinds: readonly DefinedKind[] = [
  ...ruleKinds.map(({ kind }) => kind),
  CniInterface,
  CNFService,
  CNFLocalService,
  CNFHubSite,
  CNFStatus,
];

/** All kinds in the API group, ordered by plural. */
export const apiKinds: readonly DefinedKind[] = kinds.toSorted((a, b) => (a.plural < b.plural ? -1 : 1));
