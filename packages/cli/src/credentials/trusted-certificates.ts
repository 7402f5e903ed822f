import { readFileSync } from "node:fs";
import { CaretError } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

/**
 * Certificates for the API lane; undefined uses Node's. `api.caFile` extends the default ones and those of NODE_EXTRA_CA_CERTS, which Node
 * ignores once certificates are passed explicitly.
 */
export function trustedCertificates(
  { env }: Pick<Host, "env">,
  { api: { caFile } }: Pick<Config, "api">,
): readonly string[] | undefined {
  if (caFile === undefined) return undefined;
  try {
    const extra = env["NODE_EXTRA_CA_CERTS"];
    const files = [caFile, ...(extra === undefined || extra === "" ? [] : [extra])];
    // Not imported: TLS costs every start megabytes, and few users have their own certificates.
    const { rootCertificates } = process.getBuiltinModule("node:tls");
    return [...rootCertificates, ...files.map((file) => readFileSync(file, "utf8"))];
  } catch (cause) {
    throw new CaretError("invalid-config", `The certificates of api.caFile cannot be read: ${caFile}`, { cause });
  }
}
