import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDns1123Label, isRecord } from "@kubewright/apimachinery";
import { UsageError } from "../command/errors.ts";
import { readText } from "./files.ts";
import { problemOf } from "./names.ts";

/** Content of `kubewright.json`. */
export interface ProjectFile {
  readonly name: string;
  readonly domain: string;
  /** Version of the scaffold. */
  readonly version: string;
  /** True if the program watches only its own namespace. */
  readonly namespaced: boolean;
  readonly ci: "github" | "none";
  /** Base image with its digest. Undefined if none has been chosen yet. */
  readonly base?: string | undefined;
  /** Settings of the generated Deployment. */
  readonly deployment?: DeploymentSettings | undefined;
  /** Annotations for the generated roles: the program's own role, and the roles for its users. */
  readonly roles?: Readonly<Partial<Record<RoleName, Readonly<Record<string, string>>>>> | undefined;
  /** Settings for additional roles, and for aggregation into the cluster's roles. */
  readonly rbac?: RbacSettings | undefined;
}

/** Settings of generated roles. */
interface RbacSettings {
  /** True to aggregate the roles for the program's users into the cluster's roles `admin`, `edit` and `view`. Default false. */
  readonly aggregate?: boolean | undefined;
  /** Kinds whose viewer roles are not aggregated into `view` because they contain secrets. */
  readonly notInView?: readonly string[] | undefined;
  /** Resources that separate roles grant, keyed by role name, such as `{"secret-reader": ["secrets"]}`. */
  readonly apart?: Readonly<Record<string, readonly string[]>> | undefined;
}

const roleNames = ["manager", "admin", "editor", "viewer"] as const;
type RoleName = (typeof roleNames)[number];

/** Settings for the generated Deployment. For other changes, add patches in `config/overlays`. */
interface DeploymentSettings {
  /** Namespace. Default: the project's name with the suffix `-system`. */
  readonly namespace?: string | undefined;
  /** Image. Default `controller:latest`. */
  readonly image?: string | undefined;
  /** Number of replicas. Default 1. */
  readonly replicas?: number | undefined;
  /** Arguments of the program. Default: `--leader-elect` if the program uses leader election. */
  readonly args?: readonly string[] | undefined;
  /** Resource limits and requests. */
  readonly resources?: object | undefined;
}

export interface Project extends ProjectFile {
  /** Absolute path of the project folder. */
  readonly root: string;
}

export const projectFileName = "kubewright.json";

/** Returns the settings that `init` wrote, except those that users edit. */
export const chosenAtInit = ({ name, domain, version, namespaced, ci }: ProjectFile): ProjectFile => ({
  name,
  domain,
  version,
  namespaced,
  ci,
});

/** Finds the project that contains a folder. @throws {UsageError} if there is no project, or its `kubewright.json` is invalid */
export function findProject(from: string): Project {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, projectFileName);
    if (existsSync(path)) return { ...readProject(path), root: folder };
    if (dirname(folder) === folder) throw new UsageError("not in a kubewright project; run kubewright init");
  }
}

/** Reads and validates a `kubewright.json`. @throws {UsageError} if the file cannot be read or is invalid */
export function readProject(path: string): ProjectFile {
  const wrong = (problem: string): UsageError => new UsageError(`${path}: ${problem}`);
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    throw wrong(`cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const {
    name,
    domain,
    version,
    namespaced = false,
    ci = "none",
    base,
    deployment,
    roles,
    rbac,
  } = isRecord(value) ? value : {};
  for (const [field, found] of Object.entries({ name, domain, version }))
    if (typeof found !== "string" || found === "")
      throw wrong(`${field}: ${JSON.stringify(found)}: must be a non-empty string`);
  // These values become parts of the names of files and objects, and of code.
  for (const [field, found] of Object.entries({ name, domain })) {
    const problem = problemOf(field === "name" ? "name" : "domain", String(found));
    if (problem) throw wrong(`${field}: ${JSON.stringify(found)}: ${problem}`);
  }
  if (!/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(String(version)))
    throw wrong(`version: ${JSON.stringify(version)}: must be a version, such as "0.1.0"`);
  if (typeof namespaced !== "boolean") throw wrong(`namespaced: ${JSON.stringify(namespaced)}: must be true or false`);
  if (ci !== "github" && ci !== "none") throw wrong(`ci: ${JSON.stringify(ci)}: must be github or none`);
  const file: ProjectFile = { name: String(name), domain: String(domain), version: String(version), namespaced, ci };
  for (const [field, settings, rules] of [
    ["deployment", deployment, deploymentRules],
    ["roles", roles, roleRules],
    ["rbac", rbac, rbacRules],
  ] as const)
    checkSettings(field, settings, rules, wrong);
  if (base !== undefined && typeof base !== "string") throw wrong(`base: ${JSON.stringify(base)}: must be a string`);
  return {
    ...file,
    ...(base ? { base } : {}),
    ...(deployment ? { deployment } : {}),
    ...(roles ? { roles } : {}),
    ...(rbac ? { rbac } : {}),
  };
}

function checkSettings(
  name: string,
  settings: unknown,
  rules: Readonly<Record<string, SettingRule>>,
  wrong: (problem: string) => UsageError,
): void {
  if (settings === undefined) return;
  if (!isRecord(settings)) throw wrong(`${name}: ${JSON.stringify(settings)}: must be an object`);
  for (const [field, found] of Object.entries(settings)) {
    const rule = Object.hasOwn(rules, field) ? rules[field] : undefined;
    if (!rule) throw wrong(`${name}.${field}: is not a setting; must be one of ${Object.keys(rules).join(", ")}`);
    if (!rule.isValid(found)) throw wrong(`${name}.${field}: ${JSON.stringify(found)}: must be ${rule.requirement}`);
  }
}

interface SettingRule {
  readonly isValid: (value: unknown) => boolean;
  readonly requirement: string;
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);
const deploymentRules: Readonly<Record<string, SettingRule>> = {
  namespace: {
    isValid: (value) => isText(value) && isDns1123Label(value).length === 0,
    requirement: 'the name of a namespace, such as "shop-system"',
  },
  image: { isValid: isText, requirement: 'an image, such as "example.com/shop:v1"' },
  replicas: {
    isValid: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    requirement: "a number, such as 2",
  },
  args: {
    isValid: isTexts,
    requirement: 'a list of strings, such as ["--leader-elect"]',
  },
  resources: { isValid: isRecord, requirement: 'an object, such as {"limits": {"memory": "512Mi"}}' },
};

const roleRules: Readonly<Record<string, SettingRule>> = Object.fromEntries(
  roleNames.map((name) => [
    name,
    {
      isValid: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === "string"),
      requirement: 'annotations, such as {"example.com/team": "shop"}',
    },
  ]),
);

const rbacRules: Readonly<Record<string, SettingRule>> = {
  aggregate: { isValid: (value) => typeof value === "boolean", requirement: "true or false" },
  notInView: { isValid: isTexts, requirement: 'a list of kinds, such as ["Site"]' },
  apart: {
    isValid: (value) =>
      isRecord(value) &&
      Object.entries(value).every(([name, resources]) => isDns1123Label(name).length === 0 && isTexts(resources)),
    requirement: 'an object with a list of resources for each role, such as {"secret-reader": ["secrets"]}',
  },
};
