import { type CaretError, Secret } from "@caret/protocol";
import { openTracing, type Tracing } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { version } from "../host/program.ts";

interface TelemetryOptions {
  readonly service: "caret-gateway" | "caret-worker";
  readonly onDropped: (count: number) => void;
  readonly onError: (error: CaretError) => void;
}

/** Tracing as configured; undefined if off. */
export async function openTelemetry(
  { telemetry }: Pick<Config, "telemetry">,
  options: TelemetryOptions,
): Promise<Tracing | undefined> {
  const { endpoint, headers, sampleRatio } = telemetry.otlp;
  if (endpoint === undefined) return undefined;
  const secrets = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, new Secret(value)]));
  return await openTracing({ ...options, endpoint, headers: secrets, sampleRatio, version });
}
