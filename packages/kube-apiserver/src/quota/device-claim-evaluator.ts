import { Quantity } from "@kubewright/apimachinery";
import { addResources, maxResources, one, type ResourceList } from "../kinds/resource-list.ts";
import { countName, type QuotaEvaluator } from "./quota-evaluator.ts";

const group = "resource.k8s.io";
const resource = "resourceclaims";
const classSuffix = ".deviceclass.resource.k8s.io/devices";
/** Maximum number of devices in a claim. @see k8s.io/api/resource/v1 AllocationResultsMaxSize */
const maxDevices = 32;

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly allocationMode?: string;
  readonly count?: number;
}

interface DeviceClaim {
  readonly spec?: {
    readonly devices?: {
      readonly requests?: readonly {
        readonly exactly?: DeviceRequest;
        readonly firstAvailable?: readonly DeviceRequest[];
      }[];
    };
  };
}

/**
 * Counts device claims and, for each device class, the maximum number of devices that they request. A request for all
 * devices in a class counts as the maximum number of devices that a claim may contain. If a request has alternatives,
 * the one with the most devices in the class counts. Requests for admin access count like all others.
 *
 * @see pkg/quota/v1/evaluator/core resource_claims.go
 */
export const deviceClaimEvaluator: QuotaEvaluator = {
  group,
  resource,
  handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
  constraint: () => undefined,
  matchingResources: (names) =>
    names.filter((name) => name === countName(group, resource) || name.endsWith(classSuffix)),
  isInScope: () => false,
  usage(object) {
    const { spec } = object as DeviceClaim;
    let usage: ResourceList = { [countName(group, resource)]: one };
    for (const { exactly, firstAvailable = [] } of spec?.devices?.requests ?? []) {
      const asks = firstAvailable.length > 0 ? firstAvailable : exactly ? [exactly] : [];
      usage = addResources(usage, asks.map(devicesOf).reduce(maxResources, {}));
    }
    return usage;
  },
};

const devicesOf = ({ deviceClassName = "", allocationMode, count = 0 }: DeviceRequest): ResourceList => ({
  [`${deviceClassName}${classSuffix}`]: Quantity.parse(
    allocationMode === "All" ? maxDevices : allocationMode === "ExactCount" ? count : 0,
  ),
});
