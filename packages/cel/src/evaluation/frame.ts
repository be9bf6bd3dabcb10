import type { CostMeter } from "../text/cost-meter.ts";
import type { CelValue } from "../values/value.ts";

/** Values of the variables. If a value is a function, it is called on first use. */
export type Bindings = Readonly<Record<string, CelValue | (() => CelValue)>>;

export interface Frame {
  readonly bindings: Bindings;
  readonly locals: CelValue[];
  readonly lazy: Map<string, CelValue>;
  readonly meter: CostMeter;
}

export type Step = (frame: Frame) => CelValue;
