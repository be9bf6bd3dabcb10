export {
  type BuilderOptions,
  ControllerBuilder,
  controllerManagedBy,
  type ForOptions,
  type OwnsOptions,
  type WatchesOptions,
} from "./controller-builder.ts";
