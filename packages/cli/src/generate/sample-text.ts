import { documentText } from "@kubewright/codegen";

/** Formats an object as YAML, keeping the order of members. Quotes `yes` and `on`, which YAML 1.1 parsers would read as booleans. */
export const sampleText = (object: object): string => documentText(JSON.parse(JSON.stringify(object)));
