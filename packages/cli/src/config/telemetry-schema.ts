import { z } from "zod";
import { key } from "./key-names.ts";
import { outboundAddress, outboundHeaders } from "./outbound-schemas.ts";

/** Where traces go; docs/telemetry.md lists their contents. */
export function telemetrySchema() {
  return z
    .strictObject({
      otlp: z
        .strictObject({
          endpoint: key(
            outboundAddress().optional(),
            "A receiver of OpenTelemetry traces (OTLP over HTTP, JSON), as `https://collector.example:4318`; `/v1/traces` is " +
              "appended. `caret serve` and `caret worker` send there. Unset: nothing is traced.",
          ),
          headers: key(outboundHeaders().default({}), "Headers for it: its key, for example.", {
            secret: "all",
          }),
          sampleRatio: key(
            z.number().min(0).max(1).default(1),
            "The share of traces that are recorded, from 0 to 1. A request with a `traceparent` brings its own decision.",
          ),
        })
        .prefault({}),
    })
    .prefault({});
}
