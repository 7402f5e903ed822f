import type { z } from "zod";

/**
 * What the OpenAPI document says about a route. Given as `config.doc` at the route's registration; its schemas are those with which the
 * route parses its requests.
 */
export interface RouteDoc {
  readonly summary: string;
  readonly query?: z.ZodType | undefined;
  readonly headers?: z.ZodType | undefined;
  readonly body?: z.ZodType | undefined;
  /** The status of success, if not 200. */
  readonly status?: number | undefined;
  readonly streams?: boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    readonly doc?: RouteDoc;
  }
}
