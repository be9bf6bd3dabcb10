import { documentText } from "@kubewright/codegen";

/** Formats an object as YAML that YAML 1.1 parsers read the same way: quotes `yes` and `on`. Keeps the order of members. */
export const sampleText = (object: object): string => documentText(JSON.parse(JSON.stringify(object)));
