const label1123 = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const label1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualifiedPart = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${qualifiedPart})?`;

/** Returns a regular expression that must match a string from start to end. */
const full = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);

const patterns = {
  label1123: full(label1123),
  subdomain1123: full(subdomain1123),
  label1035: full(label1035),
  qualifiedPart: full(qualifiedPart),
  labelValue: full(labelValue),
};

/** Returns the message for names that are too long, such as `must be no more than 63 characters`. */
export function maxLengthMessage(length: number): string {
  return `must be no more than ${length} characters`;
}

/** Returns the message for labels that are too long, such as `must be no more than 63 bytes`. */
const maxBytesMessage = (length: number): string => `must be no more than ${length} bytes`;

/** Returns upstream's message for a violated rule, with examples and the rule's regular expression. */
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

/**
 * Returns the errors in a name that may have at most 63 characters and no dots, such as a Namespace's name. The result
 * is empty if the name is valid.
 */
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

/**
 * Returns the errors in a name that may have at most 253 characters and may contain dots, such as the names of most
 * objects. The result is empty if the name is valid.
 */
export function isDns1123Subdomain(value: string): string[] {
  const errors = byteLength(value) > 253 ? [maxLengthMessage(253)] : [];
  if (!patterns.subdomain1123.test(value)) errors.push(regexMessage(subdomainRule, subdomain1123, "example.com"));
  return errors;
}

/**
 * Returns the errors in a name that must start with a letter, such as the names in a CRD. The result is empty if the
 * name is valid.
 */
export function isDns1035Label(value: string): string[] {
  const errors = byteLength(value) > 63 ? [maxLengthMessage(63)] : [];
  if (!patterns.label1035.test(value)) errors.push(regexMessage(label1035Rule, label1035, "my-name", "abc-123"));
  return errors;
}

/**
 * Returns the errors in a label key, an annotation key or a finalizer, which must have the form `[prefix/]name`. The
 * result is empty if the name is valid.
 */
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

/** Returns the errors in a label value. The result is empty if the value is valid. */
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

/** Returns the errors in a name that is used as a segment of a URL path. The result is empty if the name is valid. */
export function isPathSegmentName(value: string): string[] {
  if (value === "." || value === "..") return [`may not be '${value}'`];
  return ["/", "%"].filter((char) => value.includes(char)).map((char) => `may not contain '${char}'`);
}
