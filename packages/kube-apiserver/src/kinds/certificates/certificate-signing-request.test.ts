import type { Unstructured } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { certificateSigningRequestStrategy as strategy } from "./certificate-signing-request.ts";

const request = (conditions: readonly object[]): Unstructured => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "a" },
  spec: {},
  status: { conditions },
});
const context = { user: { name: "u", groups: [] }, nowMs: 60_000, namespace: "", dryRun: false };
const [now, then] = ["1970-01-01T00:01:00Z", "1970-01-01T00:00:00Z"];
const after = (condition: object, before: readonly object[] = []): unknown => {
  const next = request([{ ...condition }]);
  strategy.prepareForStatusUpdate?.(next, request(before), context);
  return (next.status as { conditions: unknown[] }).conditions[0];
};

it("sets missing times of conditions", () => {
  const failed = { type: "Failed", status: "True" };
  const times = { lastUpdateTime: then, lastTransitionTime: then };
  expect(after(failed)).toEqual({ ...failed, lastUpdateTime: now, lastTransitionTime: now });
  expect(after({ ...failed, ...times })).toEqual({ ...failed, ...times });
  expect(after(failed, [{ ...failed, ...times }])).toEqual({
    ...failed,
    lastUpdateTime: now,
    lastTransitionTime: then,
  });
  for (const other of [{ type: "Other" }, { status: "False" }])
    expect(after(failed, [{ ...failed, ...times, ...other }])).toMatchObject({ lastTransitionTime: now });
});
