import { expired, NoMatchError } from "@kubewright/apimachinery";
import { createLogger } from "@kubewright/log";
import { expect, it } from "vitest";
import { WatchErrorReports } from "./retrying.ts";

const logged = () => {
  const lines: { level: string; msg: string; [key: string]: unknown }[] = [];
  const logger = createLogger({ level: "debug", destination: { write: (line) => lines.push(JSON.parse(line)) } });
  return { logger, lines, said: () => lines.map(({ level, msg }) => `${level} ${msg}`) };
};
const unserved = new Error("failed to list shop.example.com/v1, Kind=Site", {
  cause: NoMatchError.ofKind({ group: "shop.example.com", version: "v1", kind: "Site" }),
});

it("warns once, at once and with the remedy, that a kind is not served, until the server has responded", () => {
  const { logger, lines, said: messages } = logged();
  const reports = new WatchErrorReports({ logger });
  for (let times = 0; times < 3; times++) reports.report(unserved);
  expect(messages()).toEqual([
    "warn the kind is not served",
    "debug the kind is not served",
    "debug the kind is not served",
  ]);
  expect(lines[0]).toEqual({
    level: "warn",
    time: expect.any(String),
    reason:
      'no matches for kind "Site" in version "shop.example.com/v1": is its CustomResourceDefinition installed? (kubectl apply -f <definition>.yaml)',
    msg: "the kind is not served",
  });

  reports.clear();
  reports.report(unserved);
  expect(messages().at(-1)).toBe("warn the kind is not served");
});

it("logs every other failure, except a normal end of a watch", () => {
  const { logger, said: messages } = logged();
  const reports = new WatchErrorReports({ logger });
  reports.report(unserved);
  reports.report(new Error("forbidden"));
  reports.report(new Error("forbidden"));
  reports.report(expired("too old"));
  expect(messages()).toEqual([
    "warn the kind is not served",
    "error failed to watch",
    "error failed to watch",
    "debug watch closed",
  ]);
});

it("keeps the last error until the server has responded", () => {
  const reports = new WatchErrorReports({ logger: logged().logger });
  expect(reports.last).toBeUndefined();
  reports.report(new Error("one"));
  reports.report(unserved);
  expect(reports.last).toBe(unserved);
  reports.clear();
  expect(reports.last).toBeUndefined();
});

it("calls the handler instead, and continues if it throws", () => {
  const { logger, said: messages } = logged();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => {
    errors.push(error);
    throw new Error("the handler's own");
  };
  new WatchErrorReports({ logger, onError }).report(unserved);
  expect(errors).toEqual([unserved]);
  expect(messages()).toEqual(["error the watch error handler threw"]);
});

it("warns once that the server does not respond: at once if it never did, otherwise after several tries", () => {
  const { logger, lines, said: messages } = logged();
  const reports = new WatchErrorReports({ logger });
  const refused = new Error("watch Pod: GET https://10.0.0.1/api/v1/pods: connect ECONNREFUSED");
  for (let times = 0; times < 9; times++) reports.retried(refused);
  expect(messages()).toEqual(["warn the API server does not respond; retrying"]);
  expect(lines[0]).toMatchObject({ reason: refused.message });
  expect(reports.last).toBe(refused);

  reports.clear();
  expect(reports.last).toBeUndefined();
  for (let times = 0; times < 3; times++) reports.retried(refused);
  expect(messages()).toHaveLength(1);
  for (let times = 0; times < 9; times++) reports.retried(refused);
  expect(messages()).toHaveLength(2);
});
