import { maxLengthMessage, regexMessage } from "@kubewright/apimachinery";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const wildcardSubdomain = `\\*\\.${label}(\\.${label})*`;
const configKey = "[-._a-zA-Z0-9]+";
const cIdentifier = "[A-Za-z_][A-Za-z0-9_]*";
const percentage = "[0-9]+%";

/** Returns a regular expression that matches a pattern against an entire string. */
const full = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const patterns = {
  wildcardSubdomain: full(wildcardSubdomain),
  configKey: full(configKey),
  cIdentifier: full(cIdentifier),
  percentage: full(percentage),
};

/** Returns the errors in a host name that starts with `*.`. The result is empty if the host name is valid. */
export function isWildcardDns1123Subdomain(value: string): string[] {
  const errors = Buffer.byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!patterns.wildcardSubdomain.test(value)) {
    errors.push(
      regexMessage(
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
        wildcardSubdomain,
        "*.example.com",
      ),
    );
  }
  return errors;
}

/** Returns the errors in a key in a ConfigMap or Secret. The result is empty if the key is valid. */
export function isConfigMapKey(value: string): string[] {
  const errors = Buffer.byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!patterns.configKey.test(value)) {
    errors.push(
      regexMessage(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        configKey,
        "key.name",
        "KEY_NAME",
        "key-name",
      ),
    );
  }
  return [...errors, ...dotErrors(value)];
}

/**
 * Returns the errors in an environment variable's name, which may contain any printable ASCII character except `=`. The
 * result is empty if the name is valid.
 */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  return [...value].every((char) => char >= " " && char <= "~" && char !== "=")
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** Returns the errors in a C identifier. The result is empty if the identifier is valid. */
export function isCIdentifier(value: string): string[] {
  return patterns.cIdentifier.test(value)
    ? []
    : [
        regexMessage(
          "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
          cIdentifier,
          "my_name",
          "MY_NAME",
          "MyName",
        ),
      ];
}

/** Returns the errors in a port number. The result is empty if the number is valid. */
export function isValidPortNumber(value: number): string[] {
  return value >= 1 && value <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/**
 * Returns the errors in a port's name, which must be an IANA service name. The result is empty if the name is valid.
 */
export function isValidPortName(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 15) errors.push(maxLengthMessage(15));
  if (!/^[-a-z0-9]+$/.test(value))
    errors.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (!/[a-z]/.test(value)) errors.push("must contain at least one letter (a-z)");
  if (value.includes("--")) errors.push("must not contain consecutive hyphens");
  if (value.startsWith("-") || value.endsWith("-")) errors.push("must not begin or end with a hyphen");
  return errors;
}

/** Returns the errors in a percentage such as `25%`. The result is empty if the percentage is valid. */
export function isValidPercentage(value: string): string[] {
  return patterns.percentage.test(value)
    ? []
    : [
        regexMessage(
          "a valid percent string must be a numeric string followed by an ending '%'",
          percentage,
          "1%",
          "93%",
        ),
      ];
}

function dotErrors(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
