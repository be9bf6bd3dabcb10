import type { KubeObject } from "@kubewright/apimachinery";

export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

/** An event in the core group's format. */
export interface CoreEvent extends KubeObject {
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  type?: string;
  source?: { component?: string; host?: string };
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  count?: number;
  series?: { count?: number; lastObservedTime?: string };
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** An event in the format of `events.k8s.io`. */
export interface NewEvent extends KubeObject {
  regarding?: ObjectReference;
  note?: string;
  deprecatedSource?: { component?: string; host?: string };
  deprecatedFirstTimestamp?: string | null;
  deprecatedLastTimestamp?: string | null;
  deprecatedCount?: number;
  reportingController?: string;
}

export const isNewForm = (event: KubeObject): boolean => event.apiVersion.startsWith("events.k8s.io/");

/** Converts an event in either format to that of the core group. */
export function inCoreForm(event: CoreEvent & NewEvent): CoreEvent {
  if (!isNewForm(event)) return event;
  const { regarding, note, deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp } = event;
  const { deprecatedCount, reportingController, ...rest } = event;
  return {
    ...rest,
    ...(regarding ? { involvedObject: regarding } : {}),
    ...(note === undefined ? {} : { message: note }),
    ...(deprecatedSource ? { source: deprecatedSource } : {}),
    ...(deprecatedFirstTimestamp ? { firstTimestamp: deprecatedFirstTimestamp } : {}),
    ...(deprecatedLastTimestamp ? { lastTimestamp: deprecatedLastTimestamp } : {}),
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
    ...(reportingController === undefined ? {} : { reportingComponent: reportingController }),
  };
}
