import { CaretError } from "@caret/protocol";

/** The server could not be reached. Includes the system's reason, and the host without its path. */
export function unreachable({ host }: URL, reason: unknown): CaretError {
  return new CaretError("upstream-unreachable", `The server ${host} cannot be reached`, {
    cause: reason,
    upstream: reason instanceof Error ? reason.message : String(reason),
    ...(isCertificateFault(reason) ? { retryable: false, fix: CERTIFICATE_FIX } : {}),
  });
}

const CERTIFICATE_FIX =
  "The server's certificate is not trusted. For one of your own, name its CA in `api.caFile` or NODE_EXTRA_CA_CERTS.";

function isCertificateFault(reason: unknown): boolean {
  const code = String((reason as NodeJS.ErrnoException | undefined)?.code ?? "");
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code);
}

/** The error for a broken connection, in our own words. */
export function dropped(reason: unknown): CaretError {
  if (CaretError.is(reason)) return reason;
  // A stream abandoned on our side carries the reason.
  if (reason instanceof Error && CaretError.is(reason.cause)) return reason.cause;
  const upstream = reason instanceof Error ? reason.message : String(reason);
  return new CaretError("upstream-unreachable", "The connection to the upstream broke off", {
    cause: reason,
    upstream,
  });
}
