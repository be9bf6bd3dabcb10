import type { StatusWriter, SubResourceWriter } from "@kubewright/client";
import type { RequestNotes } from "./request-notes.ts";

export function notingStatus<R>(status: StatusWriter, notes: RequestNotes<R>): StatusWriter {
  return {
    update: (kind, object, options) => notes.written(kind, status.update(kind, object, options), options),
    patch: (kind, target, patch, options) => notes.written(kind, status.patch(kind, target, patch, options), options),
    apply: (kind, configuration, options) => notes.written(kind, status.apply(kind, configuration, options), options),
  };
}

export function notingSubResource<N extends string, R>(
  inner: SubResourceWriter<N>,
  name: N,
  notes: RequestNotes<R>,
): SubResourceWriter<N> {
  return {
    get: (kind, target, options) => inner.get(kind, target, options),
    getText: (kind, target, options) => inner.getText(kind, target, options),
    create: (kind, target, body, options) => {
      const create = () => inner.create(kind, target, body, options);
      return name === "eviction"
        ? notes.deleted(kind, target, create, { dryRun: options?.dryRun })
        : notes.writtenBelow(kind, target, create(), options);
    },
    update: (kind, target, body, options) =>
      notes.writtenBelow(kind, target, inner.update(kind, target, body, options), options),
    patch: (kind, target, patch, options) =>
      notes.writtenBelow(kind, target, inner.patch(kind, target, patch, options), options),
  };
}
