import type { z } from "zod";

/**
 * What the OpenAPI document says about a route. It stands where the route is registered, as `config.doc`, and its schemas
 * are those that the route reads its requests with.
 */
export interface RouteDoc {
  readonly summary: string;
  readonly query?: z.ZodType | undefined;
  readonly headers?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  /** The status of success, when it is not 200. */
  readonly status?: number | undefined;
  readonly streams?: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly doc?: RouteDoc;
  }
}
