import type { Condition, Manager } from "kubewright";
import {
  asReconciler,
  channelSource,
  controllerManagedBy,
  enqueueRequestForObject,
  enqueueRequestsFromMapFunc,
  Finalizers,
  generationChanged,
  ignoreNotFound,
  keyOf,
  mutableCopy,
  rfc3339,
  setCondition,
} from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { Device } from "../api/device.ts";
import { deviceApi } from "../device-api.ts";

const byProfile = "spec.profile";

export interface DeviceControllerOptions {
  /**
   * URL of the device API. Default: the value of the environment variable
   * `DEVICE_API`, or `http://127.0.0.1:8099/things`.
   */
  readonly url?: string | undefined;
  /**
   * Interval between requests about each device, in addition to the requests
   * after its reports. Default 30,000 ms.
   */
  readonly pollMs?: number | undefined;
}

/**
 * Adds a controller that sends devices their settings, and reports in their
 * objects whether they are online.
 */
export function addDeviceController(
  manager: Manager,
  {
    url = process.env.DEVICE_API ?? "http://127.0.0.1:8099/things",
    pollMs = 30_000,
  }: DeviceControllerOptions = {},
): void {
  const api = deviceApi(manager, url);
  // #region finalizer
  const finalizers = new Finalizers<Device>().register(
    "things.example.com/device",
    (device, signal) => api.delete(keyOf(device), signal),
  );
  // #endregion finalizer
  const reconcile = asReconciler(
    Device,
    async (device, { client, clock, signal }) => {
      // #region finalize
      const draft = mutableCopy(device);
      const { updated } = await finalizers.finalize(draft, signal);
      if (updated) await client.update(Device, draft);
      if (device.metadata.deletionTimestamp) return undefined;
      // #endregion finalize

      // #region tell
      const report = async (
        status: Condition["status"],
        reason: string,
        message: string,
      ) => {
        const conditions = mutableCopy(device.status?.conditions ?? []);
        setCondition(
          conditions,
          { type: "Online", status, reason, message },
          rfc3339(clock.now()),
        );
        await client.status.patch(Device, device, { conditions });
      };
      // #endregion tell
      // #region ask
      const profile = {
        namespace: device.metadata.namespace,
        name: device.spec.profile,
      };
      const settings = await client
        .get(ConfigMap, profile)
        .catch(ignoreNotFound);
      if (!settings)
        return report(
          "Unknown",
          "NoProfile",
          `the ConfigMap ${profile.name} does not exist`,
        ); // watched
      const isOnline = await api
        .put(keyOf(device), settings.data ?? {}, signal)
        .catch(async (error: unknown) => {
          await report("Unknown", "Unreachable", String(error));
          throw error; // retried with a growing delay
        });
      await report(
        isOnline ? "True" : "False",
        isOnline ? "Answers" : "Silent",
        "",
      );
      return { requeueAfterMs: pollMs };
      // #endregion ask
    },
  );
  // #region build
  const devicesOf = enqueueRequestsFromMapFunc<ConfigMap>(
    async ({ metadata: { namespace, name } }, { client }) =>
      (
        await client.list(Device, { namespace, fields: { [byProfile]: name } })
      ).map(keyOf),
  );
  controllerManagedBy(manager)
    .for(Device, {
      predicates: [generationChanged],
      indexes: { [byProfile]: ({ spec }) => [spec.profile] },
    })
    .watches(ConfigMap, devicesOf)
    .watchesRawSource(
      channelSource(api.reports, { handler: enqueueRequestForObject() }),
    )
    .needs(Device, ["update"]) // to add the finalizer
    .complete(reconcile);
  // #endregion build
}

// #region add
/** Adds the controller with its defaults. */
export function add(manager: Manager): void {
  addDeviceController(manager);
}
// #endregion add
