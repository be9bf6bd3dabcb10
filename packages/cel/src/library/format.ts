import {
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { isCalendarDay } from "../text/go-text.ts";
import { parseRequestUri } from "../text/go-url.ts";
import { asString } from "../values/arguments.ts";
import { CelList } from "../values/collections.ts";
import { type FunctionDeclaration, global, member } from "../values/declarations.ts";
import { type CelError, CelNode, CelOptional, type CelValue, noSuchOverload } from "../values/value.ts";
import { kubernetesTypes } from "./kubernetes-types.ts";

/** A named format for strings, such as `dns1123Label`. */
class CelFormat extends CelNode {
  readonly type = kubernetesTypes.format;
  readonly name: string;
  /** Size of the format's regular expression, from which the cost of a validation is computed. */
  readonly maxRegexSize: number;
  readonly problems: (text: string) => readonly string[];

  constructor(name: string, maxRegexSize: number, problems: (text: string) => readonly string[]) {
    super();
    this.name = name;
    this.maxRegexSize = maxRegexSize;
    this.problems = problems;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof CelFormat ? other.name === this.name : noSuchOverload();
  }
}

/** Replaces the dash at the end of a prefix, if any, so that the prefix can be validated as a name. */
const asPrefix = (text: string): string => (text.length > 1 && text.endsWith("-") ? `${text.slice(0, -2)}a` : text);

const shaped =
  (pattern: RegExp, message: string, isRight: (text: string) => boolean = () => true) =>
  (text: string): string[] =>
    pattern.test(text) && isRight(text) ? [] : [message];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const dateTime = /^\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)?$/;

const uriProblems = (text: string): string[] => {
  const parsed = parseRequestUri(text);
  return "error" in parsed ? [parsed.error] : [];
};

const formats: ReadonlyMap<string, CelFormat> = new Map([
  ["dns1123Label", new CelFormat("DNS1123Label", 30, isDns1123Label)],
  ["dns1123Subdomain", new CelFormat("DNS1123Subdomain", 60, isDns1123Subdomain)],
  ["dns1035Label", new CelFormat("DNS1035Label", 30, isDns1035Label)],
  ["qualifiedName", new CelFormat("QualifiedName", 60, validateQualifiedName)],
  ["dns1123LabelPrefix", new CelFormat("DNS1123LabelPrefix", 30, (text) => isDns1123Label(asPrefix(text)))],
  ["dns1123SubdomainPrefix", new CelFormat("DNS1123SubdomainPrefix", 60, (text) => isDns1123Subdomain(asPrefix(text)))],
  ["dns1035LabelPrefix", new CelFormat("DNS1035LabelPrefix", 30, (text) => isDns1035Label(asPrefix(text)))],
  ["labelValue", new CelFormat("LabelValue", 40, isLabelValue)],
  ["uri", new CelFormat("URI", 1000, uriProblems)],
  ["uuid", new CelFormat("uuid", 100, shaped(uuid, "does not match the UUID format"))],
  ["byte", new CelFormat("byte", 100, shaped(base64, "invalid base64"))],
  ["date", new CelFormat("date", 100, shaped(/^\d{4}-\d\d-\d\d$/, "invalid date", isCalendarDay))],
  [
    "datetime",
    new CelFormat(
      "datetime",
      100,
      shaped(dateTime, "invalid datetime", (text) => isCalendarDay(text.slice(0, 10))),
    ),
  ],
]);

const asFormat = (value: CelValue | undefined): CelFormat => {
  if (value instanceof CelFormat) return value;
  throw new Error("a format function was called on a value that is not a format");
};

function validate(format: CelFormat, text: string): CelValue {
  const problems = format.problems(text);
  return problems.length === 0 ? CelOptional.none : new CelOptional(new CelList([...problems]));
}

/** Functions for named string formats. @see apiserver pkg/cel/library/format.go */
export const format: readonly FunctionDeclaration[] = [
  member("validate", "format-validate", "kubernetes.NamedFormat, string -> optional(list(string))", (shape, text) =>
    validate(asFormat(shape), asString(text)),
  ),
  global("format.named", "format-named", "string -> optional(kubernetes.NamedFormat)", (name) => {
    const found = formats.get(asString(name));
    return found ? new CelOptional(found) : CelOptional.none;
  }),
  ...[...formats].map(([name, shape]) =>
    global(`format.${name}`, `format.${name}`, " -> kubernetes.NamedFormat", () => shape),
  ),
];
