import type { RequestObserver } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import { refuserOf } from "./refusal.ts";
import { requestedAccess } from "./requested-access.ts";
import { rulesText } from "./rule-text.ts";

/** Maximum number of different refusals that are logged; a program does not have more kinds of requests. */
const maxRules = 1_000;

/** Logs once each rule that the program's roles lack, as YAML for a role. */
export function refusalLog(logger: Logger): RequestObserver {
  const told = new Set<string>();
  return {
    answered() {},
    forbidden({ method, path, said }) {
      const access = refuserOf(said) === "authorizer" ? requestedAccess(method, path) : undefined;
      if (!access || told.size >= maxRules) return;
      const { group, resource, verb } = access;
      const rule = rulesText([{ apiGroups: [group], resources: [resource], verbs: [verb] }]);
      if (told.has(rule)) return;
      told.add(rule);
      logger.warn({ rule }, "forbidden: the role of this program lacks a rule");
    },
  };
}
