import { type FieldError, fieldError, fieldPath } from "@kubewright/apimachinery";

export type Level = "privileged" | "baseline" | "restricted";

/** A level as of a minor version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  /** As it was written: `latest` or `v1.25`. */
  readonly version: string;
}

/** What is demanded of the pods of a namespace. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

const levels: readonly Level[] = ["privileged", "baseline", "restricted"];
const prefix = "pod-security.kubernetes.io/";

export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** How strict a level is. */
export const strictness = (level: Level): number => levels.indexOf(level);

/** The minor version a policy is about; the newest for `latest`. */
export const minorOf = ({ version }: LevelVersion): number =>
  version === "latest" ? Number.POSITIVE_INFINITY : Number(version.slice("v1.".length));

/** The policy that a namespace's labels ask for, and what is wrong with them. @see pod-security-admission api PolicyToEvaluate */
export function policyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const complain = (mode: string, value: string, text: string): void => {
    errors.push(fieldError.invalid(fieldPath("metadata", "labels").key(`${prefix}${mode}`), value, text));
  };
  /** @param fallback what stands for a word that is no level */
  const levelOf = (mode: string, fallback: Level): Level | undefined => {
    const value = labels[`${prefix}${mode}`];
    if (value === undefined) return undefined;
    const level = levels.find((each) => each === value);
    if (!level) complain(mode, value, `must be one of ${levels.join(", ")}`);
    return level ?? fallback;
  };
  const versionOf = (mode: string): string | undefined => {
    const value = labels[`${prefix}${mode}`];
    if (value === undefined || value === "latest" || /^v1\.(\d|[1-9]\d*)$/.test(value)) return value;
    complain(mode, value, 'must be "latest" or "v1.x"');
    return "latest";
  };
  const level = levelOf("enforce", "restricted");
  const isClear = errors.length === 0;
  const enforce = { level: level ?? "privileged", version: versionOf("enforce-version") ?? "latest" };
  levelOf("audit", "privileged");
  versionOf("audit-version");
  const warnLevel = levelOf("warn", "privileged");
  const warnVersion = versionOf("warn-version");
  const follows = warnLevel === undefined && level !== undefined && isClear && strictness(enforce.level) > 0;
  const warn = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel ?? "privileged", version: warnVersion ?? "latest" };
  return { policy: { enforce, warn }, errors };
}
