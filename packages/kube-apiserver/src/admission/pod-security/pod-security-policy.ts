import { type FieldError, fieldError, fieldPath } from "@kubewright/apimachinery";

export type Level = "privileged" | "baseline" | "restricted";

/** A level, and the minor version of Kubernetes whose rules for the level apply. */
export interface LevelVersion {
  readonly level: Level;
  /** The version as written in the label, such as `latest` or `v1.25`. */
  readonly version: string;
}

/** The requirements for a namespace's pods. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

const levels: readonly Level[] = ["privileged", "baseline", "restricted"];
const prefix = "pod-security.kubernetes.io/";

export const levelText = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Returns a number that increases with the strictness of a level. */
export const strictness = (level: Level): number => levels.indexOf(level);

/** Returns a policy's minor version. For `latest`, this is the newest minor version. */
export const minorOf = ({ version }: LevelVersion): number =>
  version === "latest" ? Number.POSITIVE_INFINITY : Number(version.slice("v1.".length));

/**
 * Returns the policy that a namespace's labels define, and the errors in the labels.
 *
 * @see pod-security-admission api PolicyToEvaluate
 */
export function policyOf(labels: Readonly<Record<string, string>> = {}): {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
} {
  const errors: FieldError[] = [];
  const complain = (mode: string, value: string, text: string): void => {
    errors.push(fieldError.invalid(fieldPath("metadata", "labels").key(`${prefix}${mode}`), value, text));
  };
  /**
   * Returns the level in the label for a mode.
   *
   * @param fallback level to use if the label is not valid
   */
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
