import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it, vi } from "vitest";
import { ApiRequest } from "../endpoints/request/api-request.ts";
import { requestInfo } from "../endpoints/request/request-info.ts";
import { Auditor } from "./auditor.ts";
import { auditLogFile } from "./log-file.ts";
import { AuditPolicy } from "./policy.ts";

interface Sent {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly remoteAddress?: string;
  readonly statusCode?: number;
}

function requestOf(sent: Sent = {}, more: Partial<ApiRequest> = {}): ApiRequest {
  const { method = "GET", url = "/api/v1/namespaces/ns/pods/p", headers = {}, remoteAddress = "10.0.0.1" } = sent;
  const request = new ApiRequest({
    incoming: { method, url, headers, socket: { remoteAddress } } as never,
    response: { statusCode: sent.statusCode ?? 200 } as never,
    info: requestInfo(method, url, new URLSearchParams()),
    query: new URLSearchParams(),
    auditId: "id",
    stopping: new AbortController().signal,
    receivedMs: 0,
  });
  const shown = { user: { name: "jane", groups: ["dev"] }, ...more };
  for (const [name, value] of Object.entries(shown)) Object.defineProperty(request, name, { value });
  return request;
}

/** Creates an auditor with a policy of one rule; also returns its output. */
function auditorOf(rule: object, more: object = {}) {
  const policy = { apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [rule], ...more };
  const lines: Record<string, unknown>[] = [];
  const close = vi.fn(async () => {});
  const sink = { write: (line: string) => void lines.push(JSON.parse(line)), close };
  return { auditor: new Auditor(AuditPolicy.parse(JSON.stringify(policy)), sink, new FakeClock(0)), lines, close };
}

const asked = { user: { name: "jane", groups: [] }, verb: "get", isResourceRequest: true, path: "", group: "" };
const attributes = { ...asked, version: "v1", resource: "pods", subresource: "", namespace: "ns", name: "p" };

/** Returns the events of one request that receives its response immediately. */
function eventsOf(rule: object, request: ApiRequest, more: object = {}): Record<string, unknown>[] {
  const { auditor, lines } = auditorOf(rule, more);
  auditor.received(request, attributes);
  auditor.completed(request);
  return lines;
}
/** Returns the last of them, at a level. */
const eventOf = (level: string, request: ApiRequest, more: object = {}) =>
  eventsOf({ level }, request, more).at(-1) ?? {};

/** @see apiserver pkg/endpoints/filters audit_test.go */
it.each<[object, object, string[]]>([
  [{ level: "None" }, {}, []],
  [{ level: "Metadata", verbs: ["list"] }, {}, []],
  [{ level: "Metadata" }, {}, ["RequestReceived", "ResponseStarted", "ResponseComplete"]],
  [{ level: "Metadata", omitStages: ["RequestReceived"] }, {}, ["ResponseStarted", "ResponseComplete"]],
  [{ level: "Metadata", omitStages: ["ResponseStarted"] }, {}, ["RequestReceived", "ResponseComplete"]],
  [{ level: "Metadata" }, { omitStages: ["ResponseComplete"] }, ["RequestReceived", "ResponseStarted"]],
])("%j, %j: records a stream at %j", (rule, more, stages) => {
  const { auditor, lines } = auditorOf(rule, more);
  const request = requestOf();
  auditor.received(request, attributes);
  auditor.responseStarted(request);
  auditor.completed(request);
  auditor.responseStarted(request);
  expect(lines.map(({ stage }) => stage)).toEqual(stages);
});

it.each([
  ["None", false, false],
  ["Metadata", true, false],
  ["Request", true, true],
  ["RequestResponse", true, true],
])("records the data of level %s", (level, names, objects) => {
  const request = requestOf();
  eventsOf({ level }, request);
  request.recordObject({ metadata: { name: "q" } });
  expect(request.named.name).toBe(names ? "q" : undefined);
  expect(request.requestObject !== undefined).toBe(objects);
  expect(request.recordsObjects).toBe(objects);
});

it("waits for requests in progress before it closes", async () => {
  const { auditor, close } = auditorOf({ level: "Metadata" });
  const [one, other] = [requestOf(), requestOf()];
  auditor.received(one, attributes);
  auditor.received(other, attributes);
  auditor.completed(one);
  const closed = auditor.close();
  await Promise.resolve();
  expect(close).not.toHaveBeenCalled();
  auditor.completed(other);
  await closed;
  expect(close).toHaveBeenCalledOnce();
  const idle = auditorOf({ level: "Metadata" });
  await idle.auditor[Symbol.asyncDispose]();
  expect(idle.close).toHaveBeenCalledOnce();
});

it("records user, verb, source and result in an event", () => {
  const headers = { "user-agent": "kubectl", "x-forwarded-for": "1.1.1.1, 2.2.2.2" };
  const annotations = new Map([
    ["b", "2"],
    ["a", "1"],
  ]);
  const [received, completed] = eventsOf({ level: "Metadata" }, requestOf({ headers }, { annotations }));
  const both = {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: "id",
    requestURI: "/api/v1/namespaces/ns/pods/p",
    verb: "get",
    user: { username: "jane", groups: ["dev"] },
    sourceIPs: ["1.1.1.1", "2.2.2.2", "10.0.0.1"],
    userAgent: "kubectl",
    objectRef: { resource: "pods", namespace: "ns", name: "p", apiVersion: "v1" },
    requestReceivedTimestamp: "1970-01-01T00:00:00.000000Z",
    stageTimestamp: "1970-01-01T00:00:00.000000Z",
  };
  expect(received).toEqual({ ...both, stage: "RequestReceived" });
  const responseStatus = { metadata: {}, code: 200 };
  expect(completed).toEqual({ ...both, stage: "ResponseComplete", responseStatus, annotations: { a: "1", b: "2" } });
  expect(Object.keys(completed?.annotations ?? {})).toEqual(["a", "b"]);
});

const jane = { name: "jane", uid: "u", groups: ["dev"], extra: { e: ["x"] } };
const bob = { name: "bob", groups: [] };
const shownJane = { username: "jane", uid: "u", groups: ["dev"], extra: { e: ["x"] } };
it.each<[Partial<ApiRequest>, object]>([
  [{ user: jane }, { user: shownJane }],
  [{ user: jane, authenticated: jane }, { user: shownJane }],
  [
    { user: bob, authenticated: jane },
    { user: shownJane, impersonatedUser: { username: "bob", groups: [] } },
  ],
])("shows %j as %j", (more, expected) => {
  const { user, impersonatedUser } = eventOf("Metadata", requestOf({}, more));
  expect({ user, ...(impersonatedUser ? { impersonatedUser } : {}) }).toEqual(expected);
});

const pod = { resource: "pods", namespace: "ns", apiVersion: "v1" };
it.each<[string, Partial<ApiRequest>, unknown]>([
  ["/healthz", {}, undefined],
  ["/api/v1/namespaces/ns/pods", {}, pod],
  ["/api/v1/namespaces/ns/pods", { named: { name: "q" } }, { ...pod, name: "q" }],
  ["/api/v1/namespaces/ns/pods/p", { named: { name: "q", uid: "u" } }, { ...pod, name: "p", uid: "u" }],
  ["/api/v1/namespaces/ns/pods/p", { named: { resourceVersion: "7" } }, { ...pod, name: "p", resourceVersion: "7" }],
  ["/api/v1/namespaces/ns/pods/p/log", {}, { ...pod, name: "p", subresource: "log" }],
  [
    "/apis/rbac.authorization.k8s.io/v1/clusterroles/r",
    {},
    { resource: "clusterroles", name: "r", apiGroup: "rbac.authorization.k8s.io", apiVersion: "v1" },
  ],
])("%s with %j refers to %j", (url, more, expected) => {
  expect(eventOf("Metadata", requestOf({ url }, more)).objectRef).toEqual(expected);
});

it.each([
  ["::ffff:10.0.0.1", undefined, ["10.0.0.1"]],
  ["10.0.0.1", "10.0.0.1", ["10.0.0.1"]],
  ["", " 1.1.1.1 ,", ["1.1.1.1"]],
])("from %j for %j: %j", (remoteAddress, forwarded, expected) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const event = eventOf("Metadata", requestOf({ remoteAddress, headers }));
  expect(event.sourceIPs).toEqual(expected);
  expect(event).not.toHaveProperty("userAgent");
});

const made = { metadata: { name: "p", managedFields: [1] }, spec: {} };
const kept = { metadata: { name: "p" }, spec: {} };
const failure = { kind: "Status", apiVersion: "v1", status: "Failure", code: 1 };
it.each<[string, object, boolean, object]>([
  ["Metadata", made, false, {}],
  ["Request", made, false, { requestObject: made }],
  ["RequestResponse", made, false, { requestObject: made, responseObject: made }],
  ["RequestResponse", made, true, { requestObject: kept, responseObject: kept }],
  [
    "RequestResponse",
    { items: [made, { spec: {} }] },
    true,
    { requestObject: { items: [kept, { spec: {} }] }, responseObject: { items: [kept, { spec: {} }] } },
  ],
])("level %s records %j (managed fields omitted: %j) as %j", (level, object, omitManagedFields, expected) => {
  const answered = { responseBody: JSON.stringify(object), requestObject: object };
  const [received, completed] = eventsOf({ level, omitManagedFields }, requestOf({}, answered));
  const objects = ({ requestObject, responseObject }: Record<string, unknown> = {}) => ({
    ...(requestObject === undefined ? {} : { requestObject }),
    ...(responseObject === undefined ? {} : { responseObject }),
  });
  expect(objects(received)).toEqual({});
  expect(objects(completed)).toEqual(expected);
});

it.each<[string, string | Buffer | undefined, object]>([
  ["Metadata", JSON.stringify(failure), { status: "Failure", code: 404 }],
  ["Metadata", Buffer.from(JSON.stringify(failure)), { status: "Failure", code: 404 }],
  ["RequestResponse", JSON.stringify(failure), { status: "Failure", code: 404 }],
  ["RequestResponse", JSON.stringify({ ...failure, apiVersion: "x/v1" }), { metadata: {}, code: 404 }],
  ["RequestResponse", JSON.stringify({ ...failure, kind: "Pod" }), { metadata: {}, code: 404 }],
  ["RequestResponse", "plain", { metadata: {}, code: 404 }],
  ["Metadata", undefined, { metadata: {}, code: 404 }],
])("at level %s the answer %s has the status %j", (level, answer, expected) => {
  expect(eventOf(level, requestOf({ statusCode: 404 }, { responseBody: answer })).responseStatus).toEqual(expected);
});

it("appends to a log file, which only its owner can read", async () => {
  const directory = mkdtempSync(join(tmpdir(), "audit-"));
  const path = join(directory, "new", "deep", "audit.log");
  for (const line of ["one", "two"]) {
    const log = auditLogFile(path, { onFailure: (error) => expect.unreachable(String(error)) });
    log.write(line);
    await log.close();
  }
  expect(readFileSync(path, "utf8")).toBe("one\ntwo\n");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, "new")).mode & 0o777).toBe(0o700);
  rmSync(directory, { recursive: true });
});

it("writes the log - to standard output, without closing it", async () => {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const log = auditLogFile("-", { onFailure: (error) => expect.unreachable(String(error)) });
  log.write("one");
  await log.close();
  expect(written).toHaveBeenCalledWith("one\n");
  written.mockRestore();
});

it("reports a log file that cannot be written", async () => {
  const failed = Promise.withResolvers<unknown>();
  const directory = mkdtempSync(join(tmpdir(), "audit-"));
  const log = auditLogFile(directory, { onFailure: failed.resolve });
  expect(await failed.promise).toMatchObject({ code: "EISDIR" });
  await log.close();
  rmSync(directory, { recursive: true });
});
