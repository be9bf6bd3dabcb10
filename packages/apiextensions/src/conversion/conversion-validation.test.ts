import { FieldPath, fieldErrorMessage } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import type { Conversion } from "../definition/definition.ts";
import { caBundleChangeErrors, conversionErrors } from "./conversion-validation.ts";

const path = FieldPath.of("c");
const clientConfig = { url: "https://example.com" };
const webhook = (conversionReviewVersions: string[]): Conversion => ({
  strategy: "Webhook",
  webhook: { clientConfig, conversionReviewVersions },
});
const unset = "Forbidden: should not be set when strategy is not set to Webhook";

it.each<readonly [Conversion | undefined, readonly string[]]>([
  [undefined, []],
  [{ strategy: "" }, ["c.strategy: Required value"]],
  [{ strategy: "Other" }, ['c.strategy: Unsupported value: "Other": supported values: "None", "Webhook"']],
  [{ strategy: "None" }, []],
  [{ strategy: "None", webhook: { conversionReviewVersions: [] } }, []],
  [{ strategy: "None", webhook: { clientConfig } }, [`c.webhookClientConfig: ${unset}`]],
  [{ strategy: "None", webhook: { conversionReviewVersions: ["v1"] } }, [`c.conversionReviewVersions: ${unset}`]],
  [
    { strategy: "Webhook" },
    [
      "c.webhookClientConfig: Required value: required when strategy is set to Webhook",
      "c.conversionReviewVersions: Required value",
    ],
  ],
  [webhook([]), ["c.conversionReviewVersions: Required value"]],
  [webhook(["v1"]), []],
  [webhook(["v2", "v1beta1"]), []],
  [webhook(["v1", "v2", "v1"]), ['c.conversionReviewVersions[2]: Invalid value: "v1": duplicate version']],
  [webhook(["v2"]), ['c.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1']],
  [
    { strategy: "Webhook", webhook: { clientConfig: {}, conversionReviewVersions: ["v1"] } },
    ["c.webhookClientConfig: Required value: exactly one of url or service is required"],
  ],
])("reports in %j", (conversion, texts) => {
  expect(conversionErrors(conversion, path).map(fieldErrorMessage)).toEqual(texts);
});

it("accepts only labels for versions of reviews", () => {
  expect(conversionErrors(webhook(["v1", "V 1"]), path).map(({ field }) => field)).toEqual([
    "c.conversionReviewVersions[1]",
  ]);
});

const bundle = (text: string | undefined): Conversion => ({
  strategy: "Webhook",
  webhook: { clientConfig: text === undefined ? {} : { caBundle: Buffer.from(text).toString("base64") } },
});
const pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
it.each<readonly [title: string, next: Conversion | undefined, old: Conversion | undefined, errors: number]>([
  ["a readable one by an unreadable one", bundle("x"), bundle(pem), 1],
  ["nothing by an unreadable one", bundle("x"), bundle(undefined), 1],
  ["no conversion by an unreadable one", bundle("x"), undefined, 1],
  ["an unreadable one by another", bundle("y"), bundle("x"), 0],
  ["an unreadable one by a readable one", bundle(pem), bundle("x"), 0],
  ["a readable one by nothing", bundle(undefined), bundle(pem), 0],
  ["a readable one by no conversion", undefined, bundle(pem), 0],
])("validates a CA bundle that replaces %s", (_title, next, old, count) => {
  const errors = caBundleChangeErrors(next, old, path);
  expect(errors).toHaveLength(count);
  for (const error of errors)
    expect(error).toMatchObject({
      field: "c.webhookClientConfig.caBundle",
      detail: "unable to load root certificates: unable to parse bytes as PEM block",
    });
});
