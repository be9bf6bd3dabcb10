const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${qualifiedPart})?`;
const configKey = "[-._a-zA-Z0-9]+";
const envVar = "[-._a-zA-Z][-._a-zA-Z0-9]*";
const cIdentifier = "[A-Za-z_][A-Za-z0-9_]*";
const wildcardSubdomain = `\\*\\.${subdomain1123}`;
const httpHeader = "[-A-Za-z0-9]+";
const percentage = "[0-9]+%";

/** Whether the whole of `text` matches. */
const full = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const patterns = {
  label1123: full(label1123),
  subdomain1123: full(subdomain1123),
  label1035: full(label1035),
  qualifiedPart: full(qualifiedPart),
  labelValue: full(labelValue),
  configKey: full(configKey),
  envVar: full(envVar),
  cIdentifier: full(cIdentifier),
  wildcardSubdomain: full(wildcardSubdomain),
  httpHeader: full(httpHeader),
  percentage: full(percentage),
};

/** `must be no more than 63 characters`: how the checks of names word it. */
export function maxLengthMessage(length: number): string {
  return `must be no more than ${length} characters`;
}

/** `must be no more than 63 bytes`: how the checks of labels word it. */
const maxBytesMessage = (length: number): string => `must be no more than ${length} bytes`;

/** A rule, with examples and the regular expression that it is checked by, as upstream words it. */
export function regexMessage(rule: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return examples.length === 0
    ? `${rule} (regex used for validation is '${pattern}')`
    : `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

const byteLength = (text: string): number => Buffer.byteLength(text);

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const qualifiedRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/** What is wrong with a name of at most 63 characters without dots (namespaces, Services); empty when nothing is. */
export function isDns1123Label(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63)] : [];
  if (!patterns.label1123.test(value)) {
    errors.push(
      patterns.subdomain1123.test(value)
        ? "must not contain dots"
        : regexMessage(labelRule, label1123, "my-name", "123-abc"),
    );
  }
  return errors;
}

/** What is wrong with a name of at most 253 characters, dots allowed (most objects); empty when nothing is. */
export function isDns1123Subdomain(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!patterns.subdomain1123.test(value)) errors.push(regexMessage(subdomainRule, subdomain1123, "example.com"));
  return errors;
}

/** What is wrong with a label that starts with a letter (names of CRDs, port names of old); empty when nothing is. */
export function isDns1035Label(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63)] : [];
  if (!patterns.label1035.test(value)) errors.push(regexMessage(label1035Rule, label1035, "my-name", "abc-123"));
  return errors;
}

/** What is wrong with a host name whose first label is `*`; empty when nothing is. */
export function isWildcardDns1123Subdomain(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
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

/** What is wrong with a label or annotation key, or a finalizer: `[prefix/]name`; empty when nothing is. */
export function validateQualifiedName(value: string): string[] {
  const parts = value.split("/");
  const [first = "", second] = parts;
  const errors: string[] = [];
  let name = first;
  if (parts.length === 2 && second !== undefined) {
    name = second;
    if (first === "") errors.push("prefix part must be non-empty");
    else errors.push(...prefixErrors(first));
  } else if (parts.length > 2) {
    return [
      `a valid label key ${regexMessage(qualifiedRule, qualifiedPart, "MyName", "my.name", "123-abc")} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (byteLength(name) > 63) errors.push(`name part ${maxBytesMessage(63)}`);
  if (!patterns.qualifiedPart.test(name))
    errors.push(`name part ${regexMessage(qualifiedRule, qualifiedPart, "MyName", "my.name", "123-abc")}`);
  return errors;
}

/** What is wrong with a label's value; empty when nothing is. */
export function isLabelValue(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxBytesMessage(63)] : [];
  if (!patterns.labelValue.test(value))
    errors.push(regexMessage(labelValueRule, labelValue, "MyValue", "my_value", "12345"));
  return errors;
}

function prefixErrors(prefix: string): string[] {
  const errors = byteLength(prefix) > 253 ? [maxBytesMessage(253)] : [];
  if (!patterns.subdomain1123.test(prefix)) errors.push(regexMessage(subdomainRule, subdomain1123, "example.com"));
  return errors.map((text) => `prefix part ${text}`);
}

/** What is wrong with a key of a ConfigMap or Secret; empty when nothing is. */
export function isConfigMapKey(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
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

/** What is wrong with the name of an environment variable, in the strict form; empty when nothing is. */
export function isEnvVarName(value: string): string[] {
  const errors: string[] = [];
  if (!patterns.envVar.test(value)) {
    errors.push(
      regexMessage(
        "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit",
        envVar,
        "my.env-name",
        "MY_ENV.NAME",
        "MyEnvName1",
      ),
    );
  }
  return [...errors, ...dotErrors(value)];
}

/** What is wrong with the name of an environment variable, where any printable ASCII but `=` is allowed. */
export function isRelaxedEnvVarName(value: string): string[] {
  if (value === "") return ["environment variable name must be non-empty"];
  return [...value].every((char) => char >= " " && char <= "~" && char !== "=")
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

/** What is wrong with an identifier of the language C; empty when nothing is. */
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

/** What is wrong with a port number; empty when nothing is. */
export function isValidPortNumber(value: number): string[] {
  return value >= 1 && value <= 65_535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** What is wrong with a port's name (IANA service name); empty when nothing is. */
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

/** What is wrong with a percentage such as `25%`; empty when nothing is. */
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

/** What is wrong with an HTTP header's name; empty when nothing is. */
export function isHttpHeaderName(value: string): string[] {
  return patterns.httpHeader.test(value)
    ? []
    : [regexMessage("a valid HTTP header must consist of alphanumeric characters or '-'", httpHeader, "X-Header-Name")];
}

/** What is wrong with a name as one segment of a URL path; empty when nothing is. */
export function isPathSegmentName(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((char) => value.includes(char)).map((char) => `may not contain '${char}'`);
}

function dotErrors(value: string): string[] {
  if (value === ".") return ["must not be '.'"];
  if (value === "..") return ["must not be '..'"];
  return value.startsWith("..") ? ["must not start with '..'"] : [];
}
