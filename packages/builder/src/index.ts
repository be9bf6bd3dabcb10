export {
  type BuilderSettings,
  ControllerBuilder,
  controllerManagedBy,
  type ForOptions,
  type OwnsOptions,
  type WatchesOptions,
} from "./controller-builder.ts";
