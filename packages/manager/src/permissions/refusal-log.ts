import type { RequestObserver } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import { type RequestedAccess, requestedAccess } from "./requested-access.ts";

/** So many different refusals are told of; a program does not have more kinds of requests. */
const maxRules = 1_000;

/** Tells once of each rule that the program's roles lack, as YAML that can be put into one. */
export function refusalLog(logger: Logger): RequestObserver {
  const told = new Set<string>();
  return {
    answered({ method, path, code }) {
      const access = code === "403" ? requestedAccess(method, path) : undefined;
      if (!access || told.size >= maxRules) return;
      const rule = ruleText(access);
      if (told.has(rule)) return;
      told.add(rule);
      logger.warn({ rule }, "forbidden: the role of this program lacks a rule");
    },
  };
}

const ruleText = ({ group, resource, verb }: RequestedAccess): string =>
  `- apiGroups: [${JSON.stringify(group)}]\n  resources: [${JSON.stringify(resource)}]\n  verbs: [${JSON.stringify(verb)}]\n`;
